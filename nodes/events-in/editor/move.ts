import type { EditedNode } from "../../common/editor/api.ts";
import { askInDialog } from "../../common/editor/dialog.ts";
import { isTime } from "../../common/shared/times.ts";

/** As `POST crec/events-in/:id/seek` takes it. */
type Position = string | { time: string };

const CHOICES = ["stored", "now", "beginning", "offset", "time"] as const;
type Choice = (typeof CHOICES)[number];

/** `next`: the first offset that was not delivered, if it is known. `isMoved`: the service has another address now. */
type Known = { next: number | undefined; isMoved: boolean };

/** Asks where the cursor should be moved to. */
export function askWhereTo(node: EditedNode, { next, isMoved }: Known, move: (to: Position) => void): void {
  const choices = CHOICES.filter((choice) => isMoved || choice !== "stored");
  const content = $("<div>");
  $("<p>").text(node._("events-in.panel.move-explained")).appendTo(content);
  const group = $('<div role="radiogroup">')
    .attr("aria-label", node._("events-in.panel.move-title"))
    .appendTo(content);
  const boxes = { offset: textBox(String(next ?? "")), time: textBox("24h") };
  const radios = choices.map((choice) => {
    const label = $("<label>").css({ display: "block", "line-height": "34px" }).appendTo(group);
    const radio = $('<input type="radio" name="crec-events-in-move">')
      .css({ width: "auto", margin: "0 6px 0 0", "vertical-align": "middle" })
      .val(choice)
      .appendTo(label);
    label.append(document.createTextNode(node._(`events-in.start.${choice}`)));
    if (choice === "offset" || choice === "time") {
      const box = boxes[choice].attr("aria-label", node._(`events-in.start.${choice}`));
      box.on("focus input", () => radio.prop("checked", true)).insertAfter(label);
      $('<div class="crec-move-line">')
        .css({ display: "flex", "align-items": "center", gap: "8px" })
        .insertBefore(label)
        .append(label, box);
    }
    return radio;
  });
  const problem = $('<div role="alert">').css("color", "var(--red-ui-text-color-error)").appendTo(content);
  const chosen = (): Choice | undefined =>
    choices.find((_choice, index) => radios[index]?.prop("checked") === true);
  const first = isMoved ? "stored" : next === undefined ? "now" : "offset";
  radios[choices.indexOf(first)]?.prop("checked", true);
  askInDialog(node, {
    title: node._("events-in.panel.move-title"),
    content,
    action: node._("events-in.panel.move-action"),
    act: () => {
      const to = positionOf(chosen() ?? first, boxes);
      if (to === undefined) problem.text(node._(`events-in.error.${chosen() ?? first}`));
      else move(to);
      return to !== undefined;
    },
  });
}

/** Undefined where the text of the chosen line is not what it must be. */
function positionOf(choice: Choice, boxes: { offset: JQuery; time: JQuery }): Position | undefined {
  if (choice !== "offset" && choice !== "time") return choice;
  const text = String(boxes[choice].val() ?? "").trim();
  if (choice === "offset") return /^\d+$/.test(text) ? text : undefined;
  return text !== "" && isTime(text) ? { time: text } : undefined;
}

function textBox(value: string): JQuery {
  return $('<input type="text">').css({ width: "200px", margin: "0" }).val(value);
}
