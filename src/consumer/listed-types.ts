import { ArgumentError } from "../errors.ts";
import { EVENT_TYPES, type EventType, type Open } from "../protocol/index.ts";

/** Which types are wanted. */
export type WantedTypes = {
  types?: ReadonlyArray<Open<EventType>> | undefined;
  /** Takes `types` that this version does not list, such as those of a newer service. False: they are refused. */
  unlistedTypes?: boolean | undefined;
};

/**
 * With a mistyped type no event is wanted: all of them would be passed over, in silence.
 * @throws {ArgumentError} for a type that is not listed, unless these are taken.
 */
export function requireListed({ types = [], unlistedTypes = false }: WantedTypes): void {
  const listed: readonly string[] = EVENT_TYPES;
  for (const [index, type] of types.entries()) {
    if (unlistedTypes || listed.includes(type)) continue;
    const how = `It is one of ${listed.join(", ")}. For a type of a newer service, set unlistedTypes`;
    throw new ArgumentError(`types[${index}]`, `"${type}" is no type of events that is known here. ${how}.`);
  }
}
