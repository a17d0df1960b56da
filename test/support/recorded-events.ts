import { readFile } from "node:fs/promises";

/** What a node "odd-records" has written down of an event. */
export type Recorded = { offset: number; redelivered?: true; attempt?: number };

/** The events that came to the node with this file, in their order; those of a joined message one by one. */
export async function recordedIn(file: string): Promise<Recorded[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.flatMap((line) => {
    const { offset, ...more } = JSON.parse(line) as Recorded & { offset: number | number[] };
    return [offset].flat().map((one) => ({ ...more, offset: one }));
  });
}

/** How many different events these are. */
export function differentIn(events: readonly Recorded[]): number {
  return new Set(events.map(({ offset }) => offset)).size;
}
