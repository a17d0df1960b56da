import type { AlertEvidence, DecodedWatcherEvent, LogPlace } from "../../src/index.ts";
import { isEvent } from "../../src/protocol/index.ts";
import type { Library } from "../common/library.ts";
import { override } from "../common/messages/details.ts";
import { isRedelivered } from "../common/messages/event-message.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { provenEventOf, timeOf } from "./event-facts.ts";
import type { Levels } from "./levels.ts";

/** What a message proves about the chain; undefined if it is no evidence for or against an alert. */
export async function evidenceOf(
  msg: CrecMessage,
  {
    decodeEvent,
    logPlaceOf,
    blockEvidenceOf,
  }: Pick<Library, "decodeEvent" | "logPlaceOf" | "blockEvidenceOf">,
  levels: Levels,
  signal: AbortSignal,
): Promise<AlertEvidence | undefined> {
  const event = provenEventOf(msg);
  if (event === undefined) return undefined;
  let log: LogPlace | undefined;
  try {
    if (!isEvent(event, "watcher.event")) return blockEvidenceOf(event);
    // Without an ABI: the contents of two logs are compared, and the form may choose another one meanwhile.
    log = logPlaceOf(decodeEvent(event) as DecodedWatcherEvent);
  } catch {
    // A message that was written by hand.
  }
  if (log === undefined) return undefined;
  const isHighest = await levels.isHighest(event, override(msg, "channelId"), signal);
  return {
    kind: "log",
    log,
    at: timeOf(msg, Date.now()) ?? Date.now(),
    ...(isHighest === undefined ? {} : { isHighest }),
    ...(isRedelivered(msg) ? { redelivered: true } : {}),
  };
}
