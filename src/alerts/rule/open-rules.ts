import { ArgumentError } from "../../errors.ts";

/** The rules of this process that are open, by their ids: how many, and what they have in common. */
const open = new Map<string, { settings: string; rules: number }>();

/**
 * Notes a rule that is opened. Returns the function that notes its end.
 * @throws {ArgumentError} where one with the same id and other settings is open: the ids of their alerts would be the same
 */
export function noteOpen(id: string, settings: string): () => void {
  const known = open.get(id) ?? { settings, rules: 0 };
  if (known.settings !== settings) {
    throw new ArgumentError(
      "id",
      `The alert rule ${JSON.stringify(id)} is open already, with other settings. Give each rule an id of its own, or close the other one first.`,
    );
  }
  known.rules += 1;
  open.set(id, known);
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    known.rules -= 1;
    if (known.rules === 0) open.delete(id);
  };
}
