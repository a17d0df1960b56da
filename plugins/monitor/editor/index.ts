import { reportMissingForms } from "./missing-forms.ts";
import { makeSidebar } from "./sidebar.ts";
import { word } from "./words.ts";

const ID = "crec";
const ACTION = "crec:show-tab";

reportMissingForms();

RED.plugins.registerPlugin("crec-monitor", {
  onadd: () => {
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
