import type { EditedNode } from "./api.ts";

/** How long "Copied." stays. */
const SHOWN_MS = 2000;

/**
 * A small button that copies a text, and says that it did. Node-RED's own way of copying also works over plain http,
 * where browsers have no `navigator.clipboard`.
 * @param label a key of the catalog, for the name of the button: `common.label.copy-address`
 * @param text what to copy when the button is pressed
 */
export function copyButton(node: EditedNode, label: string, text: () => string): JQuery {
  const part = $('<span class="crec-copy">').css({ "margin-left": "4px", "white-space": "nowrap" });
  const button = $('<button type="button" class="red-ui-button red-ui-button-small">')
    .attr({ "aria-label": node._(label), title: node._(label) })
    .append('<i class="fa fa-copy" aria-hidden="true">')
    .appendTo(part);
  const result = $('<span role="status">').css({ "margin-left": "6px", "font-size": "0.9em" }).appendTo(part);
  let timer: ReturnType<typeof setTimeout> | undefined;
  button.on("click", () => {
    clearTimeout(timer);
    const isCopied = RED.clipboard.copyText(text());
    result.text(node._(isCopied ? "common.hint.copied" : "common.error.not-copied"));
    if (isCopied) timer = setTimeout(() => result.text(""), SHOWN_MS);
  });
  return part;
}
