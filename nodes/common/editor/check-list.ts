import type { TestCheck } from "../shared/form-types.ts";
import type { EditedNode } from "./api.ts";

type State = TestCheck["state"];

/** Of Font Awesome 4, and colors of both themes. */
const LOOKS: Readonly<Record<State, { icon: string; color: string }>> = {
  ok: { icon: "check", color: "var(--red-ui-text-color-success)" },
  problem: { icon: "times", color: "var(--red-ui-text-color-error)" },
  unchecked: { icon: "minus", color: "var(--red-ui-secondary-text-color)" },
};

/** An empty list of what a test found. */
export function listOfChecks(result: JQuery): JQuery {
  return $("<ul>").css({ "list-style": "none", margin: "0 0 6px 0", padding: "0" }).appendTo(result);
}

/**
 * A line of that list. The state is a symbol, which has a name for screen readers; the text has the color of the form. Built
 * from text nodes: names from the service must not become HTML.
 */
export function addCheck(node: EditedNode, list: JQuery, state: State, text: string): JQuery {
  const { icon, color } = LOOKS[state];
  const line = $("<li>")
    .css({ display: "flex", gap: "6px", "margin-bottom": "3px" })
    .attr("data-state", state)
    .appendTo(list);
  $('<i class="fa fa-fw" role="img">')
    .addClass(`fa-${icon}`)
    .attr("aria-label", node._(`common.check-state.${state}`))
    .css({ color, "line-height": "20px", flex: "none" })
    .appendTo(line);
  $("<span>").css({ "overflow-wrap": "anywhere", "min-width": "0" }).text(text).appendTo(line);
  return line;
}
