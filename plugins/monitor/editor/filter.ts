import type { ConfigNode } from "../../../nodes/common/editor/api.ts";
import { make } from "../../../nodes/common/editor/elements.ts";
import type { Origin } from "../../../nodes/common/telemetry/types.ts";
import { word } from "./words.ts";

const ALL = "";
const CURRENT = "current";

/** The choice of the flow whose rows are shown. */
export class FlowFilter {
  readonly element = make("select", "crec-filter");

  /** @param changed called when another flow is to be shown */
  constructor(changed: () => void) {
    this.element.setAttribute("aria-label", word("label.filter"));
    this.element.addEventListener("change", changed);
    RED.events.on("workspace:change", () => this.element.value === CURRENT && changed());
    for (const event of ["flows:add", "flows:remove", "flows:change", "flows:loaded"])
      RED.events.on(event, () => this.refresh());
    this.refresh();
  }

  refresh(): void {
    const options = [option(ALL, word("filter.all")), option(CURRENT, word("filter.current"))];
    RED.nodes.eachWorkspace(({ id, label }) => options.push(option(id, label || id)));
    const key = (all: Iterable<HTMLOptionElement>) =>
      JSON.stringify([...all].map(({ value, text }) => [value, text]));
    if (key(options) === key(this.element.options)) return;
    const chosen = this.element.value;
    this.element.replaceChildren(...options);
    this.element.value = options.some(({ value }) => value === chosen) ? chosen : ALL;
  }

  /** Whether a row about this node is shown; one about no node only where all flows are. */
  shows(origin: Origin | undefined): boolean {
    const { value } = this.element;
    if (value === ALL) return true;
    const flow = value === CURRENT ? RED.workspaces.active() : value;
    if (origin === undefined) return false;
    if (origin.flow === flow) return true;
    return origin.flow === "" ? isUsedIn(origin.node, flow) : flowOf(RED.nodes.node(origin.node)) === flow;
  }
}

/** A config node is shown in the flows whose nodes use it, also through another config node. */
function isUsedIn(id: string, flow: string, seen = new Set<string>()): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  const users = (RED.nodes.node(id)?.users ?? []) as ConfigNode[];
  return users.some((user) => flowOf(user) === flow || isUsedIn(user.id, flow, seen));
}

function flowOf(node: ConfigNode | null): unknown {
  return node?.z;
}

function option(value: string, text: string): HTMLOptionElement {
  const element = make("option", "", text);
  element.value = value;
  return element;
}
