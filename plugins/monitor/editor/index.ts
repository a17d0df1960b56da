import { say } from "./node-red.ts";
import { makeSidebar } from "./sidebar.ts";
import { word } from "./words.ts";

const ID = "crec";
const ACTION = "crec:show-tab";

reportMissingForms();

RED.plugins.registerPlugin("crec-monitor", {
  onadd: () => {
    // The package was removed and installed again while this page was open: Node-RED keeps its tab, and the tab works.
    if (RED.sidebar.containsTab(ID)) return;
    const name = word("label.sidebar");
    RED.sidebar.addTab({
      id: ID,
      label: name,
      name,
      iconClass: "fa fa-heartbeat",
      content: makeSidebar(),
      action: ACTION,
      // People look at it while they change a node.
      enableOnEdit: true,
    });
    RED.actions.add(ACTION, () => RED.sidebar.show(ID), { label: word("label.show") });
  },
});

/** What all forms share. Node-RED loads it before each of them. */
const FORMS = "resources/@crec-nodes/node-red-crec/forms.js";

/**
 * Says that the forms cannot be loaded. Node-RED waits for a script that a form names, also where there is none, and so
 * the editor would not open. A plugin is loaded before the first form.
 */
function reportMissingForms(): void {
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
