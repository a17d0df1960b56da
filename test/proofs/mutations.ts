import fc from "fast-check";
import type { EventEnvelope } from "../../src/protocol/index.ts";

export type Path = Array<string | number>;

/** What somebody on the way could do to one place of an event. `from` picks the event that is borrowed of. */
export const mutation = fc.oneof(
  fc.record({ kind: fc.constant("replace"), value: fc.jsonValue() }),
  fc.record({ kind: fc.constant("delete") }),
  fc.record({ kind: fc.constant("truncate"), at: fc.nat() }),
  fc.record({ kind: fc.constant("character"), at: fc.nat(), to: fc.constantFrom(..."09abcdefABCxyz=+/ ") }),
  fc.record({
    kind: fc.constant("unicode"),
    at: fc.nat(),
    // Look-alikes of digits and letters, invisible ones, half a pair, and characters whose low byte is a digit.
    to: fc.constantFrom(..."０１ａƒİıſK\u200b\u202e\ufeff\u0301\u0130\u0161\0", "\ud800"),
  }),
  fc.record({ kind: fc.constant("case"), upper: fc.boolean() }),
  fc.record({ kind: fc.constant("repeat"), times: fc.constantFrom(1, 2, 8, 100, 5_000) }),
  fc.record({ kind: fc.constant("reorder"), by: fc.nat() }),
  fc.record({ kind: fc.constant("swap"), with: fc.nat() }),
  fc.record({ kind: fc.constant("borrow"), from: fc.nat() }),
  fc.record({ kind: fc.constant("borrow proofs"), from: fc.nat() }),
  fc.record({ kind: fc.constant("add proofs"), from: fc.nat() }),
  fc.record({ kind: fc.constant("wrap"), depth: fc.constantFrom(1, 2, 65, 5_000) }),
  fc.record({
    kind: fc.constant("prototype"),
    name: fc.constantFrom(
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "hasOwnProperty",
      "valueOf",
      "then",
    ),
    from: fc.nat(),
  }),
);
export type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

/** The places of an event, as far down and along as it has any of its own. */
export function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null || path.length === 8) return [path];
  const children = Object.entries(value)
    .slice(0, 20)
    .flatMap(([key, child]) => pathsOf(child, [...path, key]));
  return path.length === 0 ? children : [path, ...children];
}

/** Changes the event in one place; whatever cannot be done there is left undone. */
export function mutate(
  event: EventEnvelope,
  path: Path,
  change: Mutation,
  others: readonly EventEnvelope[],
): void {
  const parent = parentOf(event, path);
  const key = path.at(-1) ?? "";
  const value = parent[key];
  const other = (which: number) => structuredClone(others[which % others.length] as EventEnvelope);
  const put = (changed: unknown) => define(parent, key, changed);
  switch (change.kind) {
    case "replace":
      put(change.value);
      break;
    case "delete":
      delete parent[key];
      break;
    case "truncate":
      put(truncated(value, change.at));
      break;
    case "character":
    case "unicode":
      if (typeof value === "string") put(spliced(value, change.at, change.to));
      break;
    case "case":
      if (typeof value === "string") put(change.upper ? value.toUpperCase() : value.toLowerCase());
      break;
    case "repeat":
      if (Array.isArray(parent)) parent.push(...new Array(change.times).fill(value));
      else if (typeof value === "string") put(value.repeat(Math.min(change.times, 100)));
      break;
    case "reorder":
      put(reordered(value, change.by));
      break;
    case "swap": {
      const paths = pathsOf(event);
      const place = paths[change.with % paths.length] ?? [];
      if (isInside(place, path) || isInside(path, place)) break;
      const target = parentOf(event, place);
      const last = place.at(-1) ?? "";
      put(target[last]);
      define(target, last, value);
      break;
    }
    case "borrow":
      put(valueAt(other(change.from), path));
      break;
    case "borrow proofs":
      define(event as never, "headers", {
        ...event.headers,
        proofs: other(change.from).headers.proofs,
      });
      break;
    case "add proofs": {
      const { proofs } = event.headers ?? {};
      if (Array.isArray(proofs)) proofs.push(...other(change.from).headers.proofs);
      break;
    }
    case "wrap": {
      let wrapped = value;
      for (let depth = 0; depth < change.depth; depth++) wrapped = depth % 2 ? { wrapped } : [wrapped];
      put(wrapped);
      break;
    }
    case "prototype":
      define(parent, change.name, valueAt(other(change.from), path.slice(0, -1)));
      break;
  }
}

/** As an own property, also where the name is `__proto__`: what JSON with that name gives. */
function define(target: Record<string, unknown>, key: string | number, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function parentOf(event: unknown, path: Path): Record<string, unknown> {
  return path.slice(0, -1).reduce((value, key) => (value as never)[key], event) as Record<string, unknown>;
}

function valueAt(event: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], event);
}

function isInside(inner: Path, outer: Path): boolean {
  return outer.every((key, index) => inner[index] === key);
}

function truncated(value: unknown, at: number): unknown {
  if (typeof value !== "string" && !Array.isArray(value)) return value;
  return value.slice(0, at % (value.length + 1));
}

function spliced(text: string, at: number, to: string): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + to + text.slice(place + 1);
}

/** A list turned, an object with its fields in another order. */
function reordered(value: unknown, by: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  const turn = <T>(items: T[]): T[] => [
    ...items.slice(by % (items.length + 1)),
    ...items.slice(0, by % (items.length + 1)),
  ];
  return Array.isArray(value) ? turn(value) : Object.fromEntries(turn(Object.entries(value)));
}
