import type { ChannelEvent, LevelSource } from "../../../src/index.ts";
import type { Library } from "../library.ts";
import type { ConfidenceOption } from "../shared/common-fields.ts";

/** What a node's *Confidence* lets pass. */
type ConfidenceCheck = {
  /** Awaited before `passes` sees these events. @throws when the service cannot be asked now */
  prepare(events: readonly ChannelEvent[], signal: AbortSignal): Promise<void>;
  /** Whether the level of an event is high enough. Events other than contract events always pass. */
  passes(event: ChannelEvent): boolean;
};

type Source = {
  levelSource: LevelSource;
  library: Pick<Library, "HighestConfidence" | "eventFilter">;
};

/** The check for an option of the field; empty lets all levels pass. */
export function confidenceCheck(option: ConfidenceOption, { levelSource, library }: Source): ConfidenceCheck {
  if (option === "highest") {
    const highest = new library.HighestConfidence(levelSource);
    return {
      prepare: (events, signal) => highest.learn(events, signal),
      passes: (event) => highest.passes(event),
    };
  }
  const passes = library.eventFilter(option === "" ? {} : { minConfidence: option });
  return { prepare: async () => undefined, passes };
}
