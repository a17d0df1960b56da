import { type Diagnostics, LISTS } from "./types.ts";

/** Of each list, before anything else is left out. */
const MOST_ENTRIES = 500;

/** The same with shorter lists, until it has at most `most` characters as JSON. Says what was left out. */
export function shorten(whole: Diagnostics, most: number): Diagnostics {
  const shorter: Diagnostics = { ...whole, leftOut: { ...whole.leftOut } };
  for (const list of LISTS) keep(shorter, whole, list, MOST_ENTRIES);
  while (JSON.stringify(shorter).length > most) {
    const [longest] = [...LISTS].sort((one, other) => sizeOf(shorter, other) - sizeOf(shorter, one));
    if (longest === undefined || shorter[longest].length === 0) break;
    keep(shorter, whole, longest, Math.floor(shorter[longest].length / 2));
  }
  return shorter;
}

function keep(shorter: Diagnostics, whole: Diagnostics, list: (typeof LISTS)[number], count: number): void {
  if (list === "nodes") shorter.nodes = shorter.nodes.slice(0, count);
  else shorter[list] = shorter[list].slice(0, count);
  const missing = whole[list].length - shorter[list].length;
  if (missing > 0) shorter.leftOut[list] = missing;
}

function sizeOf(diagnostics: Diagnostics, list: (typeof LISTS)[number]): number {
  return JSON.stringify(diagnostics[list]).length;
}
