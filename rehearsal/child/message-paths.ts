import { LONGEST_PATH, type Path } from "../shared/report.ts";

/** A number that stands for the wires a message took. 0: none. */
export type PathId = number;

type Step = {
  before: PathId;
  from: string;
  port: number;
  to: string;
  length: number;
  next: Map<string, PathId>;
};

/**
 * The ways that messages took. Most messages take the same few ways: each is kept once, so that a message has only a
 * number.
 */
export class MessagePaths {
  readonly #steps: Step[] = [{ before: 0, from: "", port: 0, to: "", length: 0, next: new Map() }];

  /** The trail with one wire more. */
  extend(trail: PathId, from: string, port: number, to: string): PathId {
    const step = this.#step(trail);
    const key = `${from} ${port} ${to}`;
    const known = step.next.get(key);
    if (known !== undefined) return known;
    if (step.length === LONGEST_PATH) return trail;
    const added =
      this.#steps.push({ before: trail, from, port, to, length: step.length + 1, next: new Map() }) - 1;
    step.next.set(key, added);
    return added;
  }

  /** The node that it leads to. Empty without a wire. */
  end(trail: PathId): string {
    return this.#step(trail).to;
  }

  /** The part of it that leads to a node. 0 where it does not pass it. */
  upTo(trail: PathId, node: string): PathId {
    let part = trail;
    while (part !== 0 && this.#step(part).to !== node) part = this.#step(part).before;
    return part;
  }

  path(trail: PathId): Path {
    const path: Array<Path[number]> = [];
    for (let step = this.#step(trail); step.length > 0; step = this.#step(step.before)) {
      path.push({ from: step.from, port: step.port, to: step.to });
    }
    return path.reverse();
  }

  #step(trail: PathId): Step {
    return this.#steps[trail] as Step;
  }
}
