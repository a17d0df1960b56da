import type { Row } from "../../types.ts";
import { nodeName } from "../node-red.ts";
import { by, type PanelKind } from "../panel.ts";
import type { Tone } from "../row.ts";
import { joined, networkName, numberText, word, wordOf } from "../words.ts";

type EventRow = Row<"events">;

const TONES: Readonly<Record<EventRow["proof"], Tone>> = {
  verified: "ok",
  rejected: "error",
  unsigned: "quiet",
  unchecked: "quiet",
};

/** The last events as a time line, the newest first. */
export const events: PanelKind<"events"> = {
  id: "events",
  section: "events",
  order: by(({ number }) => -number),
  view: (row) => ({
    key: row.key,
    tone: TONES[row.proof],
    title: row.name ?? wordOf("event", row.proof === "unsigned" ? "unsigned" : "other"),
    state: wordOf("proof", row.proof),
    since: row.seenAt,
    lines: [
      tokensText(row),
      joined([networkName(row.chainSelector), row.confidence && wordOf("confidence", row.confidence)]),
      joined([
        nodeName(row.node, row.label),
        row.offset === undefined ? "" : word("line.offset", { offset: numberText(row.offset) }),
        row.isRedelivered ? word("line.redelivered") : "",
        row.isLate ? word("line.late") : "",
      ]),
    ],
    problem:
      row.reason === undefined
        ? undefined
        : word("line.rejected-for", { reason: wordOf("reason", row.reason) }),
    opens: row.node,
  }),
  summary: (rows) => {
    const rejected = rows.filter(({ proof }) => proof === "rejected").length;
    const count = word("count.rejected", { count: rejected, number: numberText(rejected) });
    return joined([numberText(rows.length), rejected > 0 ? count : ""]);
  },
};

/** `value 1.5 · fee 0.1`, in tokens. */
function tokensText({ tokens = {} }: EventRow): string {
  return joined(Object.entries(tokens).map(([name, amount]) => `${name} ${amount}`));
}
