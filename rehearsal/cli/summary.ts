import {
  counted,
  grouped,
  kindCount,
  namesOf,
  nodeName,
  plain,
  reasonsInWords,
  spanText,
} from "../report/words.ts";
import { OUTCOME_KINDS, type Report } from "../shared/report.ts";

/** Where the command writes: lines for people. What is wrong goes to `warn`. */
export type Output = { say(line: string): void; warn(line: string): void };

const SHOWN = 50;

/** A report in a few lines: what came in, and what each node would have done. */
export function summaryOf(report: Report): string[] {
  const { tabs, timeZone, events, channels, nodes, notes } = report;
  const lines = [
    `Rehearsal of ${tabs.map(({ label }) => plain(label)).join(", ")}`,
    `${spanText(report)} (${timeZone}), ${counted(events.read, "event")}`,
    "",
  ];
  const done = nodes.flatMap((node) => {
    const counts = OUTCOME_KINDS.flatMap((kind) => {
      const count = node.outcomes[kind] ?? 0;
      if (count === 0) return [];
      return [
        kind === "suppressed"
          ? `${kindCount(kind, count)}${reasonsOf(node.reasons)}`
          : kindCount(kind, count),
      ];
    });
    return counts.length === 0 ? [] : [`  ${nodeName(node)}: ${counts.join(", ")}`];
  });
  lines.push(...(done.length > 0 ? done : ["  Nothing would have left the flow."]));
  if (events.read > 0 && events.delivered === 0) {
    const names = channels.map(({ name, id }) => plain(name || id)).join(", ");
    lines.push(`  No event came into the flow. The events are of ${names}: does the flow read that channel?`);
  }
  const names = namesOf(nodes);
  const said = notes.map(({ node, text }) => {
    const name = node === undefined ? "" : `${names.get(node) ?? plain(node)}: `;
    return `  ${name}${plain(text, 1_000)}`;
  });
  return said.length === 0 ? lines : [...lines, "", "Notes", ...shortened(said)];
}

/** The first of many lines, and how many more there are. */
export function shortened(lines: readonly string[], shown = SHOWN): string[] {
  if (lines.length <= shown) return [...lines];
  return [...lines.slice(0, shown), `  and ${grouped(lines.length - shown)} more`];
}

function reasonsOf(reasons: Record<string, number>): string {
  const texts = reasonsInWords(reasons);
  return texts.length === 0 ? "" : ` (${texts.join(", ")})`;
}
