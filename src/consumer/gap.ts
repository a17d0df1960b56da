import { CrecError } from "../errors.ts";

/** Offsets of events that are not kept any more, from the first to the last. */
export type Gap = { from: number; to: number };

export function notKept({ from, to }: Gap): CrecError {
  const gap = from === to ? `the event at offset ${from}` : `events from offset ${from} to ${to}`;
  return new CrecError(
    "EVENTS_NOT_KEPT",
    `The service keeps only its newest events: ${gap} may have been missed. Reading goes on at offset ${to + 1}. To miss none, let the consumer run at least as often as the service forgets.`,
  );
}
