import type { ChannelEvent, ChannelReader, CrecClient } from "../../src/index.ts";
import type { Library } from "../common/library.ts";
import type { Filters } from "./filters.ts";
import { findUnwatched, WatcherCheck } from "./unwatched.ts";
import { type Wanted, wantedOf } from "./watchers.ts";

type SelectionOptions = {
  client: CrecClient;
  channelId: string;
  library: Library;
  once: ChannelReader["once"];
  /** How often an idle node polls, in milliseconds. */
  pollMaxMs: number;
  onChange: () => void;
};

/** Which events of the channel a node sends. */
type Selection = {
  wanted: Wanted;
  /** Whether an event is wanted, at a level that is high enough. */
  passes(event: ChannelEvent): boolean;
  /** How many wanted events were skipped because their confidence is too low. */
  lower(): number;
  watcherCheck: WatcherCheck;
};

export function selectionOf(filters: Filters, options: SelectionOptions): Selection {
  const { client, channelId, once, pollMaxMs, onChange } = options;
  const wanted = wantedOf(filters, options);
  const watcherCheck = new WatcherCheck(
    (signal, maxAgeMs) => findUnwatched(filters, { client, channelId, once }, { signal, maxAgeMs }),
    onChange,
    { pollMaxMs },
  );
  let lower = 0;
  const passes = (event: ChannelEvent): boolean => {
    watcherCheck.note(event);
    if (!wanted.matches(event)) return false;
    const isConfident = wanted.isConfident(event);
    if (!isConfident) lower += 1;
    return isConfident;
  };
  return { wanted, passes, lower: () => lower, watcherCheck };
}
