/** Whether a part of a benchmark gives its figures, and each of them is a number. */
import type { Measured } from "./measured.ts";

/**
 * A figure that a part has to have, by words of its line; sizes are left out. `mayBe` says what it can be besides a
 * number above 0: a difference can be 0 or less, and what needs a program that is missing is skipped.
 */
export type Figure = string | { words: string; mayBe: "0 or less" | "skipped" };

/** A difference, which can be 0 or less, or a time that is shorter than its unit. */
export const smallest = (words: string): Figure => ({ words, mayBe: "0 or less" });
/** What needs a program, or a system, that is not everywhere. */
export const optional = (words: string): Figure => ({ words, mayBe: "skipped" });

const SKIPPED = /^skipped: needs \S/;
/** As numbers turn into text: `toLocaleString` writes the second one. */
const NO_NUMBER = /NaN|∞|Infinity|undefined|null/;
/** `p99` names a percentile. */
const NUMBER = /(?<![\p{L}\d])-?\d[\d,]*(?:\.\d+)?/u;

/**
 * What is wrong with the figures of a part, in one sentence; undefined where nothing is.
 *
 * @param part completes "… of": its name and that of its benchmark
 */
export function problemOf(
  part: string,
  figures: readonly Figure[],
  measured: readonly Measured[],
): string | undefined {
  let next = 0;
  for (const figure of figures) {
    const { words, mayBe } = typeof figure === "string" ? { words: figure, mayBe: undefined } : figure;
    const row = measured[next];
    if (!row?.what.includes(words)) return `The figure "${words}" of ${part} is missing.`;
    next += 1;
    const problem = problemOfValue(row.value, mayBe);
    if (problem !== undefined) return `The figure "${row.what.trim()}" of ${part} ${problem}`;
  }
  const other = measured[next];
  if (other === undefined) return undefined;
  return `The figure "${other.what.trim()}" of ${part} is not in bench/benches.ts: add it there.`;
}

/** Whether a line says what it needs instead of a figure. */
export function isSkipped({ value }: Measured): boolean {
  return SKIPPED.test(value);
}

/** Completes "The figure …". */
function problemOfValue(value: string, mayBe: "0 or less" | "skipped" | undefined): string | undefined {
  if (value.startsWith("skipped")) {
    if (mayBe === "skipped" && SKIPPED.test(value)) return undefined;
    return `was skipped, which it may not be: ${value}`;
  }
  const [number] = NUMBER.exec(value) ?? [];
  if (NO_NUMBER.test(value) || number === undefined) return `is not a finite number: ${value}`;
  if (mayBe !== "0 or less" && Number(number.replaceAll(",", "")) <= 0)
    return `says that nothing was measured: ${value}`;
  return undefined;
}
