import { reportMissingForms } from "./missing-forms.ts";
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
