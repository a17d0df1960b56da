import { setImmediate as nextTurn } from "node:timers/promises";
import type { NodeAPI } from "node-red";
import { type FlowNode, type Flows, MOST_INSTANCES } from "./flows.ts";

type End = { id?: string; port?: number };
type Ends = { wires?: readonly End[] };

/** A node where it runs. `outer`: the instance of the subflow that it is in. */
type Place = { id: string; node: FlowNode; outer: Place | undefined };

/** Nodes that get a message when another one of their flow fails, completes it, or changes its status. */
const HANDLERS = ["catch", "complete", "status"];

/** The ways that messages take: wires, link nodes, and into and out of subflows. */
export class Paths {
  readonly #nodes: NodeAPI["nodes"];
  readonly #flows: Flows;
  /** By their flow. */
  readonly #handlers = new Map<string, FlowNode[]>();

  constructor(nodes: NodeAPI["nodes"], flows: Flows) {
    this.#nodes = nodes;
    this.#flows = flows;
    for (const node of flows.ofType(...HANDLERS)) {
      const { z = "" } = node;
      this.#handlers.set(z, [...(this.#handlers.get(z) ?? []), node]);
    }
  }

  /** Whether something that runs is wired to an output. */
  isWired(node: FlowNode, output: number): boolean {
    return this.#behind(node, output).length > 0;
  }

  /**
   * All nodes that may get a message from these outputs, also by a Catch or Complete node. A subflow in several places
   * counts as one, so it may be more than really do.
   */
  reachable(...from: ReadonlyArray<readonly [node: FlowNode, output: number]>): Set<FlowNode> {
    const found = new Set<FlowNode>();
    const flows = new Set<string>();
    const next = from.flatMap(([node, output]) => this.firstBehind(node, output));
    for (let node = next.pop(); node; node = next.pop()) {
      if (found.has(node)) continue;
      found.add(node);
      next.push(...this.#nextOf(node), ...this.#handlersOf(node.z, flows));
    }
    return found;
  }

  /**
   * The nodes that work on what leaves by an output: by wires and links, and in subflows. Not what Catch or Complete
   * hand on, nor other places of a subflow.
   */
  workingOn(from: FlowNode, output: number): Set<FlowNode> {
    const found = new Set<FlowNode>();
    const next = this.#targets(from.wires?.[output]);
    for (let node = next.pop(); node; node = next.pop()) {
      if (found.has(node)) continue;
      found.add(node);
      next.push(...this.#targets(node.wires?.flat()));
      next.push(...this.#linked(node), ...this.#inside(this.#templateOf(node)));
    }
    return found;
  }

  /**
   * All nodes whose messages may get to one of these, in the same ways. Found once for all nodes: to follow each of many
   * readers through a large flow takes long.
   */
  leadingTo(goals: readonly FlowNode[]): Set<FlowNode> {
    const before = new Map<FlowNode, FlowNode[]>();
    for (const node of this.#flows.all()) {
      for (const after of [...this.#nextOf(node), ...this.#handlersOf(node.z, new Set())]) {
        const known = before.get(after);
        if (known) known.push(node);
        else before.set(after, [node]);
      }
    }
    const found = new Set<FlowNode>();
    const next = [...goals];
    for (let node = next.pop(); node; node = next.pop()) {
      if (found.has(node)) continue;
      found.add(node);
      next.push(...(before.get(node) ?? []));
    }
    return found;
  }

  /**
   * The ids under which nodes of a type run that messages of nodes of another type get to, each with the ids of these: by
   * wires and links, and what Catch or Complete hand on. Each instance of a subflow counts for itself, and a link call
   * gets back only what it sent.
   */
  async feeding(sources: string, goals: string): Promise<Map<string, Set<string>>> {
    const fed = new Map<string, Set<string>>();
    for (const source of this.#flows.ofType(sources).flatMap((node) => this.#placesOf(node))) {
      const seen = new Set<string>();
      const next = this.#placesAfter(source);
      for (let place = next.pop(); place; place = next.pop()) {
        const { id, node } = place;
        // What gets to another source only controls it.
        if (seen.has(id) || node.type === sources) continue;
        seen.add(id);
        if (node.type === goals) fed.set(id, (fed.get(id) ?? new Set()).add(source.id));
        next.push(...this.#placesAfter(place));
      }
      await nextTurn();
    }
    return fed;
  }

  /** What gets a message from an output first, also by a Catch or Complete node. */
  firstBehind(node: FlowNode, output: number): FlowNode[] {
    return [...this.#behind(node, output), ...this.#handlersOf(node.z, new Set())];
  }

  /** The nodes that certainly get what leaves by an output of these, as it is: only by wires and links, through these types. */
  direct(from: readonly FlowNode[], output: number, through: ReadonlySet<string>): Set<FlowNode> {
    const found = new Set<FlowNode>();
    const next = from.flatMap(({ wires }) => this.#targets(wires?.[output]));
    for (let node = next.pop(); node; node = next.pop()) {
      if (found.has(node)) continue;
      found.add(node);
      if (node.type === "link out") next.push(...this.#linked(node));
      else if (node.type === "crec-verify-event" || node.type === "crec-ack") {
        if (through.has(node.type)) next.push(...this.#targets(node.wires?.[0]));
      } else if (through.has(node.type)) next.push(...this.#targets(node.wires?.flat()));
    }
    return found;
  }

  /** Whether a node comes from a module whose inside the flows do not show. */
  isOpaque({ type }: FlowNode): boolean {
    return typeof (this.#nodes as { getType?(name: string): unknown }).getType?.(type) === "object";
  }

  #nextOf(node: FlowNode): FlowNode[] {
    if (node.type === "link out" && node.mode === "return") {
      return this.#flows.ofType("link call").flatMap((call) => this.#behind(call));
    }
    if (node.type === "link out") return this.#targets(node.links);
    if (node.type === "link call") {
      const called = node.linkType === "dynamic" ? this.#flows.ofType("link in") : this.#linked(node);
      return [...called, ...this.#behind(node)];
    }
    const template = this.#templateOf(node);
    if (!template) return this.#behind(node);
    return [...this.#inside(template), ...this.#leaving(template, template.id)];
  }

  /** As `runningIds` of the flows. */
  #placesOf(node: FlowNode): Place[] {
    if (!this.#flows.template(node.z)) return [placeIn(undefined)(node)];
    const outer = this.#flows.instancesOf(node.z ?? "").flatMap((instance) => this.#placesOf(instance));
    return outer.slice(0, MOST_INSTANCES).map((one) => placeIn(one)(node));
  }

  #placesAfter(place: Place): Place[] {
    const { node, outer } = place;
    const isDynamic = node.type === "link call" && node.linkType === "dynamic";
    const template = this.#templateOf(node);
    return [
      ...(isDynamic ? this.#flows.ofType("link in").flatMap((to) => this.#placesOf(to)) : []),
      ...this.#linked(node).flatMap((to) => (to.z === node.z ? placeIn(outer)(to) : this.#placesOf(to))),
      ...this.#inside(template).map(placeIn(place)),
      ...(template
        ? outputsFrom(template, template.id).flatMap((output) => this.#placesBehind(place, output))
        : this.#placesBehind(place)),
      ...this.#handlingOf(place),
    ];
  }

  /** What is wired to an output, or to all of them, also around the instance of the subflow. */
  #placesBehind({ node, outer }: Place, output?: number): Place[] {
    const wires = output === undefined ? node.wires?.flat() : node.wires?.[output];
    const template = this.#flows.template(node.z);
    const leaving = template && outer ? outputsFrom(template, node.id, output) : [];
    return [
      ...this.#targets(wires).map(placeIn(outer)),
      ...leaving.flatMap((one) => (outer ? this.#placesBehind(outer, one) : [])),
    ];
  }

  /** What hands on messages of a node, in its flow and around its subflow. */
  #handlingOf({ node, outer }: Place): Place[] {
    const own = (this.#handlers.get(node.z ?? "") ?? []).filter(
      ({ type, scope }) => type !== "status" && (!Array.isArray(scope) || scope.includes(node.id)),
    );
    return [...own.map(placeIn(outer)), ...(outer ? this.#handlingOf(outer) : [])];
  }

  /** What is wired to an output, or to all of them. */
  #behind(node: FlowNode, output?: number): FlowNode[] {
    const wires = output === undefined ? node.wires?.flat() : node.wires?.[output];
    const template = this.#flows.template(node.z);
    return [...this.#targets(wires), ...(template ? this.#leaving(template, node.id, output) : [])];
  }

  /** What is wired to the instances of a subflow, where a node in it is wired to one of its outputs. */
  #leaving(template: FlowNode, id: string, output?: number): FlowNode[] {
    return outputsFrom(template, id, output).flatMap((index) =>
      this.#flows.instancesOf(template.id).flatMap((one) => this.#behind(one, index)),
    );
  }

  /** Those of a flow, each flow once; of a subflow also those around its instances. */
  #handlersOf(container: string | undefined, seen: Set<string>): FlowNode[] {
    if (!container || seen.has(container)) return [];
    seen.add(container);
    const own = this.#handlers.get(container) ?? [];
    const around = this.#flows.instancesOf(container).flatMap(({ z }) => this.#handlersOf(z, seen));
    return [...own, ...around];
  }

  /** What a link node names. One that returns names nothing. */
  #linked({ type, mode, links }: FlowNode): FlowNode[] {
    return type === "link call" || (type === "link out" && mode !== "return") ? this.#targets(links) : [];
  }

  /** What the inputs of a subflow are wired to. */
  #inside(template: FlowNode | undefined): FlowNode[] {
    return ends(template?.in).flatMap(({ wires = [] }) => this.#targets(wires.map(({ id }) => id)));
  }

  #templateOf({ type }: FlowNode): FlowNode | undefined {
    return type.startsWith("subflow:") ? this.#flows.template(type.slice("subflow:".length)) : undefined;
  }

  #targets(ids: unknown): FlowNode[] {
    const listed: readonly unknown[] = Array.isArray(ids) ? ids : [];
    return listed.flatMap((id) => this.#flows.get(id) ?? []);
  }
}

/** The inputs or outputs of a template. */
function ends(value: unknown): readonly Ends[] {
  return Array.isArray(value) ? (value as Ends[]) : [];
}

/** The outputs of a subflow that an output of a node in it is wired to, or any of its outputs. */
function outputsFrom(template: FlowNode, id: string, output?: number): number[] {
  return ends(template.out).flatMap(({ wires = [] }, index) =>
    wires.some((end) => end.id === id && (output === undefined || end.port === output)) ? [index] : [],
  );
}

function placeIn(outer: Place | undefined): (node: FlowNode) => Place {
  return (node) => ({ id: outer === undefined ? node.id : `${outer.id}-${node.id}`, node, outer });
}
