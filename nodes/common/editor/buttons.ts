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

/** The buttons that move and remove an item of an editable list: also for the keyboard and for screen readers. */
type ItemButtons = {
  /** After a change of the order. `words` names a button. */
  place(index: number, count: number, words: (button: "up" | "down" | "remove") => string): void;
};

type ItemButtonsOptions = {
  list: JQuery;
  /** The part of the item that gets the buttons. */
  head: JQuery;
  /** The data of the item. */
  item: object;
  /** Called when the order has changed. */
  renumber: () => void;
  /** What gets the focus in the next item when this one is removed: a selector. */
  focused: string;
};

export function itemButtons({ list, head, item, renumber, focused }: ItemButtonsOptions): ItemButtons {
  const button = (icon: string, press: () => void): JQuery =>
    $('<button type="button" class="red-ui-button red-ui-button-small">')
      .append($('<i class="fa" aria-hidden="true">').addClass(`fa-${icon}`))
      .on("click", press)
      .appendTo(head);
  const line = head.closest("li");
  const move = (pressed: JQuery, other: JQuery, isUp: boolean): void => {
    const neighbour = isUp ? line.prev() : line.next();
    if (isUp) line.insertBefore(neighbour);
    else line.insertAfter(neighbour);
    renumber();
    // Focus moves with the item; at the end of the list the other button gets it.
    (pressed.prop("disabled") ? other : pressed).trigger("focus");
  };
  const up = button("arrow-up", () => move(up, down, true));
  const down = button("arrow-down", () => move(down, up, false));
  const remove = button("remove", () => {
    const next = line.next().length > 0 ? line.next() : line.prev();
    list.editableList("removeItem", item);
    const left = next.length > 0 ? next.find(focused) : list.closest(".red-ui-editableList").find("button");
    left.first().trigger("focus");
  });
  return {
    place(index, count, words) {
      const name = (element: JQuery, key: "up" | "down" | "remove"): JQuery =>
        element.attr({ "aria-label": words(key), title: words(key) });
      name(up, "up").prop("disabled", index === 0);
      name(down, "down").prop("disabled", index === count - 1);
      name(remove, "remove");
    },
  };
}
