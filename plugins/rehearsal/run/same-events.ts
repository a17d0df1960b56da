import type { PastEvents } from "../../../rehearsal/parent/events/index.ts";
import type { Report } from "../../../rehearsal/shared/report.ts";
import type { AskedSpan } from "../types.ts";

/** The span of a rehearsal that is repeated: of "the last hours" those of then. Offsets and files stay as they are. */
export function spanAgain(span: AskedSpan, { span: { from, to } }: Pick<Report, "span">): AskedSpan {
  return "last" in span ? { from, to } : span;
}

/** Without what has come since to the channels that were read then, also where it is dated into the span. */
export async function* readBefore(
  batches: PastEvents["batches"],
  { channels }: Pick<Report, "channels">,
): PastEvents["batches"] {
  const last = new Map(channels.map(({ id, lastOffset = -1 }) => [id, lastOffset]));
  for await (const batch of batches) {
    const known = batch.filter(
      ({ channelId, event }) => event.headers.offset <= (last.get(channelId) ?? Number.POSITIVE_INFINITY),
    );
    if (known.length > 0) yield known;
  }
}
