import { ArgumentError } from "../../errors.ts";
import { EVENT_TYPES, type EventType, type Open } from "../../protocol/index.ts";

/** Which types of events pass. */
export type TypeFilter = {
  /** Only events of these types, such as `watcher.event`. @default all */
  types?: ReadonlyArray<Open<EventType>> | undefined;
  /** Allows `types` that this version does not list, such as those of a newer service. @default false */
  unlistedTypes?: boolean | undefined;
};

/**
 * With a mistyped type, no event would ever pass, without any sign of it.
 * @throws {ArgumentError} for a type that is not listed, unless `unlistedTypes` allows it.
 */
export function requireKnownTypes({ types = [], unlistedTypes = false }: TypeFilter): void {
  const listed: readonly string[] = EVENT_TYPES;
  for (const [index, type] of types.entries()) {
    if (unlistedTypes || listed.includes(type)) continue;
    const how = `It is one of ${listed.join(", ")}. For a type of a newer service, set unlistedTypes`;
    throw new ArgumentError(`types[${index}]`, `"${type}" is not a known event type. ${how}.`);
  }
}
