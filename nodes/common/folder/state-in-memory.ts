import { processWide } from "../process-wide.ts";

const kept = processWide("state-in-memory", () => ({ isOn: false }));

/** From now on, nodes of this process keep in memory what they count: for a process that ends with its work. */
export function keepStateInMemory(isOn = true): void {
  kept.isOn = isOn;
}

export function isStateInMemory(): boolean {
  return kept.isOn;
}
