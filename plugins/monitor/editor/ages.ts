import { word } from "./words.ts";

const UNITS: ReadonlyArray<readonly [name: string, seconds: number]> = [
  ["days", 86_400],
  ["hours", 3_600],
  ["minutes", 60],
  ["seconds", 1],
];

/** `5 s`, `3 min`, `2 h`, `4 d`: of a duration in milliseconds, the largest unit of which there is one. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [name, size] = UNITS.find(([, one]) => seconds >= one) ?? (["seconds", 1] as const);
  return word(`age.${name}`, { count: Math.floor(seconds / size) });
}

/** The clock of Node-RED, as of its last update: that of the browser may differ. */
export class RuntimeClock {
  #ahead = Date.now() - performance.now();

  /** @param now Unix milliseconds, as Node-RED has just sent it */
  set(now: number): void {
    this.#ahead = now - performance.now();
  }

  /** Unix milliseconds. */
  now(): number {
    return performance.now() + this.#ahead;
  }
}
