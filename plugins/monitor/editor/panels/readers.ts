import type { Row } from "../../types.ts";
import { nodeName } from "../node-red.ts";
import { by, type PanelKind } from "../panel.ts";
import type { Tone } from "../row.ts";
import { durationText, joined, numberText, word, wordOf } from "../words.ts";

const TONES: Readonly<Record<Row<"readers">["state"], Tone>> = {
  reading: "ok",
  behind: "busy",
  standby: "quiet",
  waiting: "busy",
  retrying: "warning",
  refused: "error",
  paused: "quiet",
  stopped: "quiet",
};
const FIRST: readonly Tone[] = ["error", "warning"];

export const readers: PanelKind<"readers"> = {
  id: "readers",
  section: "readers",
  // What needs a person comes first; all others keep their places.
  order: by(
    (row) => (FIRST.indexOf(toneOf(row)) + FIRST.length + 1) % (FIRST.length + 1),
    ({ label }) => label,
    ({ key }) => key,
  ),
  view: (row) => ({
    key: row.key,
    tone: toneOf(row),
    title: nodeName(row.node, row.label),
    state: wordOf("state", row.state),
    lines: [
      joined([row.channel, row.consumer === "" ? "" : word("line.consumer", { name: row.consumer })]),
      joined([positionText(row), behindText(row)]),
      joined([
        counted("in-flight", row.inFlight),
        counted("rejected", row.rejected),
        counted("late", row.late),
      ]),
    ],
    problem: row.problem?.message,
    opens: row.node,
  }),
  summary: (rows) => {
    const behind = rows.filter(({ state }) => state === "behind").length;
    const failing = rows.filter(({ state }) => state === "refused" || state === "retrying").length;
    return joined([numberText(rows.length), counted("behind", behind), counted("failing", failing)]);
  },
};

/** One that is stopped by an error needs a person. */
function toneOf({ state, problem }: Row<"readers">): Tone {
  return TONES[state] === "quiet" && problem !== undefined ? "warning" : TONES[state];
}

function positionText({ position, delivered }: Row<"readers">): string {
  const count = word("count.delivered", { count: delivered, number: numberText(delivered) });
  if (position === undefined) return delivered === 0 ? "" : count;
  return joined([word("line.position", { offset: numberText(position) }), count]);
}

function behindText({ behind = 0, behindMs }: Row<"readers">): string {
  if (behind === 0) return "";
  const count = word("count.behind", { count: behind, number: numberText(behind) });
  return behindMs === undefined ? count : `${count} (${durationText(behindMs)})`;
}

function counted(name: string, count: number): string {
  return count === 0 ? "" : word(`count.${name}`, { count, number: numberText(count) });
}
