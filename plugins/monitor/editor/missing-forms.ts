import { say } from "./say.ts";
import { word } from "./words.ts";

/** What all forms share. Node-RED loads it before each of them. */
const FORMS = "resources/@crec-nodes/node-red-crec/forms.js";

/**
 * Says that the forms cannot be loaded. Node-RED waits for a script that a form names, also where there is none, and so
 * the editor would not open. A plugin is loaded before the first form.
 */
export function reportMissingForms(): void {
  let isSaid = false;
  const report = () => {
    if (!isSaid) say(word("error.forms"), "error");
    isSaid = true;
  };
  // What a script element reports is only told to listeners above it.
  addEventListener(
    "error",
    (event) => {
      const { target } = event;
      if (target instanceof HTMLScriptElement && target.src.includes(FORMS)) {
        report();
        if (target.onerror === null) target.dispatchEvent(new Event("load"));
      } else if (event instanceof ErrorEvent && event.filename.includes(FORMS)) report();
    },
    true,
  );
}
