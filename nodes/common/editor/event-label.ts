import { eventText } from "../../../src/protocol/abi-names.ts";
import type { EventChoice } from "../shared/form-types.ts";

/** What selects an event, alone or with others. */
export function eventNamesOf(event: EventChoice): string[] {
  return [event.name, event.signature, eventText(event)];
}

/** The shortest of these that selects no other event. */
export function eventLabel(event: EventChoice, all: readonly EventChoice[]): string {
  const sameName = all.filter(({ name }) => name === event.name);
  if (sameName.length <= 1) return event.name;
  const alike = sameName.filter(({ signature }) => signature === event.signature);
  return alike.length <= 1 ? event.signature : eventText(event);
}
