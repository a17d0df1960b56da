import { setImmediate as nextTurn } from "node:timers/promises";
import type { FlowNodes } from "../fields/flow-settings.ts";
import { callsWithContracts } from "../shared/stored-values.ts";
import { labelOf } from "../telemetry/origin.ts";
import type { Origin } from "../telemetry/types.ts";

/** A node as the flows store it. */
export type FlowNode = Readonly<{
  id: string;
  type: string;
  z?: string;
  name?: string;
  wires?: ReadonlyArray<readonly string[]>;
  [setting: string]: unknown;
}>;

const SUBFLOW = "subflow:";
/** Nodes that may use them; a subflow by its variables. */
const USERS = /^(?:crec-|subflow:)/;
/** Flows may have thousands of nodes: other work gets its turn in between. */
const AT_ONCE = 500;
/** A subflow in more places is not looked at in each of them. */
export const MOST_INSTANCES = 100;
const CONTAINERS = new Set(["tab", "subflow", "group"]);
const OUR_CONFIG = new Set([
  ...["crec-connection", "crec-channel", "crec-contract"],
  ...["crec-signer", "crec-wallet", "crec-fleet"],
]);

/** Of those that Node-RED brings, the ones that ours use. */
const CONFIG_OF_NODE_RED = new Set(["tls-config", "http proxy"]);

/**
 * What is deployed and runs: no disabled node or tab, no template of a subflow that is not used, and of the config
 * nodes of this package only those that a running node uses.
 */
export class Flows {
  readonly #stored = new Map<string, FlowNode>();
  readonly #active = new Map<string, FlowNode>();
  readonly #byType = new Map<string, FlowNode[]>();
  readonly #instances = new Map<string, FlowNode[]>();

  /** Reads the deployed flows, in steps. */
  static async read(nodes: Pick<FlowNodes, "eachNode">): Promise<Flows> {
    const stored: FlowNode[] = [];
    nodes.eachNode((node) => stored.push(withContracts(node as unknown as FlowNode)));
    const flows = new Flows();
    await flows.#fill(stored);
    return flows;
  }

  /** A node that runs. */
  get(id: unknown): FlowNode | undefined {
    return typeof id === "string" ? this.#active.get(id) : undefined;
  }

  /** A node that is deployed and does not run: it is disabled, or its tab is. */
  disabled(id: unknown): FlowNode | undefined {
    const found = typeof id === "string" && !this.#active.has(id) ? this.#stored.get(id) : undefined;
    return found === undefined || CONTAINERS.has(found.type) ? undefined : found;
  }

  /** The config nodes that a node names in its settings, however deep, and that do not run. */
  disabledConfigOf({ wires: _others, ...settings }: FlowNode): FlowNode[] {
    const named = [...new Set(textsIn(settings))].flatMap((text) => this.disabled(text) ?? []);
    return named.filter(({ type }) => OUR_CONFIG.has(type) || CONFIG_OF_NODE_RED.has(type));
  }

  /** The ids under which nodes of a type run, or would run if they were not disabled: in a subflow, one for each instance. */
  deployedIds(type: string): string[] {
    const stored = [...this.#stored.values()];
    const idsOf = (node: FlowNode): string[] =>
      this.template(node.z) === undefined
        ? [node.id]
        : stored
            .filter((instance) => instance.type === `${SUBFLOW}${node.z}`)
            .flatMap((instance) => idsOf(instance).map((id) => `${id}-${node.id}`));
    return stored.filter((node) => node.type === type).flatMap(idsOf);
  }

  ofType(...types: readonly string[]): FlowNode[] {
    return types.flatMap((type) => this.#byType.get(type) ?? []);
  }

  all(): IterableIterator<FlowNode> {
    return this.#active.values();
  }

  /** The template that a node is in, or that an instance is made from. */
  template(id: unknown): FlowNode | undefined {
    const found = typeof id === "string" ? this.#stored.get(id) : undefined;
    return found?.type === "subflow" ? found : undefined;
  }

  /** The instances of a subflow that run. */
  instancesOf(template: string): readonly FlowNode[] {
    return this.#instances.get(template) ?? [];
  }

  /** The ids under which a node runs: its own, or one for each instance of its subflow. */
  runningIds(node: FlowNode): string[] {
    if (!this.template(node.z)) return [node.id];
    return this.instancesOf(node.z ?? "")
      .flatMap((instance) => this.runningIds(instance).map((id) => `${id}-${node.id}`))
      .slice(0, MOST_INSTANCES);
  }

  /** Where the editor finds a node. Of a node in a subflow, the tab is that of its first instance. */
  originOf({ id, type, z = "", name }: FlowNode): Origin {
    return { node: id, flow: this.#tabOf(z), type, label: labelOf({ name, type }) };
  }

  #tabOf(container: string): string {
    const [instance] = this.template(container) ? this.instancesOf(container) : [];
    return instance ? this.#tabOf(instance.z ?? "") : container;
  }

  async #fill(stored: readonly FlowNode[]): Promise<void> {
    for (const node of stored) this.#stored.set(node.id, node);
    const placed = stored.filter(({ type, d }) => !CONTAINERS.has(type) && d !== true);
    const isUsed = this.#usedTemplates(placed);
    const active = placed.filter(({ z }) => this.#isOn(z, isUsed));
    const used = await this.#usedConfig(active);
    for (const node of active) {
      if (OUR_CONFIG.has(node.type) && !used.has(node.id)) continue;
      this.#active.set(node.id, node);
      push(this.#byType, node.type, node);
      if (node.type.startsWith(SUBFLOW)) push(this.#instances, node.type.slice(SUBFLOW.length), node);
    }
  }

  #isOn(container: string | undefined, usedTemplates: ReadonlySet<string>): boolean {
    if (!container) return true;
    const found = this.#stored.get(container);
    if (found?.type === "subflow") return usedTemplates.has(container);
    return found?.disabled !== true;
  }

  #usedTemplates(placed: readonly FlowNode[]): ReadonlySet<string> {
    const instances = placed.filter(({ type }) => type.startsWith(SUBFLOW));
    const used = new Set<string>();
    for (let before = -1; before !== used.size; ) {
      before = used.size;
      for (const { type, z } of instances) if (this.#isOn(z, used)) used.add(type.slice(SUBFLOW.length));
    }
    return used;
  }

  async #usedConfig(active: readonly FlowNode[]): Promise<ReadonlySet<string>> {
    const used = new Set<string>();
    const next: unknown[] = [...this.#stored.values()].filter(({ type }) => CONTAINERS.has(type));
    next.push(...active.filter(({ type }) => USERS.test(type) && !OUR_CONFIG.has(type)));
    for (let looked = 1; next.length > 0; looked += 1) {
      for (const text of textsIn(next.pop())) {
        const named = used.has(text) ? undefined : this.#stored.get(text);
        if (!named || !OUR_CONFIG.has(named.type)) continue;
        used.add(text);
        next.push(named);
      }
      if (looked % AT_ONCE === 0) await nextTurn();
    }
    return used;
  }
}

/** The copy that a call has of its contract's id is that of another node after an import. */
function withContracts(node: FlowNode): FlowNode {
  return node.type === "crec-submit-operation" ? { ...node, calls: callsWithContracts(node) } : node;
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** All texts in the settings of a node, however deep. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) {
    for (const one of Object.values(value)) yield* textsIn(one);
  }
}
