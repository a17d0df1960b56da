import type { EditedNode } from "./api.ts";

type Question = {
  title: string;
  /** What the dialog shows above its buttons. */
  content: JQuery;
  /** The text of the button that does it. */
  action: string;
  /** Called when that button is pressed. Returns whether the dialog closes. */
  act: () => boolean;
};

const WIDTH = 460;

/** Asks a question in a modal dialog of Node-RED's own look. Cancel and Escape close it without an effect. */
export function askInDialog(node: EditedNode, { title, content, action, act }: Question): void {
  const dialog = $('<div class="crec-dialog">').append(content);
  const press = (): void => {
    if (act()) dialog.dialog("close");
  };
  // Enter in a text box does the same as the button.
  dialog.on("keydown", "input", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    press();
  });
  dialog.appendTo("#red-ui-editor").dialog({
    modal: true,
    title,
    width: WIDTH,
    resizable: false,
    classes: {
      "ui-dialog": "red-ui-editor-dialog",
      "ui-dialog-titlebar-close": "hide",
      "ui-widget-overlay": "red-ui-editor-dialog",
    },
    buttons: [
      { text: node._("common.label.cancel"), click: () => dialog.dialog("close") },
      { text: action, class: "primary", click: press },
    ],
    close: () => dialog.dialog("destroy").remove(),
  });
  // A key for the dialog, such as Escape, must not reach the editor behind it.
  dialog.dialog("widget").on("keydown", (event) => event.stopPropagation());
}
