import { Rehearsals } from "./rehearse.ts";
import { word } from "./words.ts";

const ACTION = "crec:rehearse";

RED.plugins.registerPlugin("crec-rehearsal", {
  onadd: () => {
    // The package was removed and installed again while this page was open: what is there works.
    if (RED.actions.list().some(({ id }) => id === ACTION)) return;
    const rehearsals = new Rehearsals();
    RED.actions.add(ACTION, () => void rehearsals.open(), { label: word("label.action") });
  },
});
