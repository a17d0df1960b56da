import type { NodeReport, Outcome, OutcomeKind, Report } from "../shared/report.ts";

// Words for people, in English, as a file of a report and the command have them.

/** Of each kind of outcome: one of it, and several. */
const KIND_WORDS: Readonly<Record<OutcomeKind, readonly [one: string, several: string]>> = {
  alert: ["alert", "alerts"],
  resolved: ["resolved alert", "resolved alerts"],
  suppressed: ["suppressed alert", "suppressed alerts"],
  sent: ["sent message", "sent messages"],
  operation: ["operation", "operations"],
  watcher: ["watcher change", "watcher changes"],
  query: ["query", "queries"],
  call: ["call to the service", "calls to the service"],
  ack: ["acknowledgement", "acknowledgements"],
  error: ["error", "errors"],
};

/** The name of a kind, for one outcome of it or for several: `alert`, `alerts`. */
export function kindName(kind: OutcomeKind, count = 1): string {
  const [one, several] = KIND_WORDS[kind];
  return count === 1 ? one : several;
}

/** `1 alert`, `2,400 alerts`. */
export function kindCount(kind: OutcomeKind, count: number): string {
  return `${grouped(count)} ${kindName(kind, count)}`;
}

/** `1 event`, `2,400 events`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : several}`;
}

/** `31 alerts more`, `1 alert fewer`. */
export function changeOf(kind: OutcomeKind, before: number, after: number): string {
  return `${kindCount(kind, Math.abs(after - before))} ${after > before ? "more" : "fewer"}`;
}

/** With commas between thousands, whatever the language of the machine. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `2026-01-31 14:05:09` in that zone; with milliseconds only where there are any. */
export function timeText(at: number, timeZone: string): string {
  const part = partsOf(at, timeZone);
  const milliseconds = at % 1000 === 0 ? "" : `.${String(((at % 1000) + 1000) % 1000).padStart(3, "0")}`;
  return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}:${part("second")}${milliseconds}`;
}

/** A span, to the minute: `2026-01-31 14:05 to 2026-01-31 15:05`. */
export function spanText({ span: { from, to }, timeZone }: Pick<Report, "span" | "timeZone">): string {
  return [from, to].map((at) => minuteText(at, timeZone)).join(" to ");
}

/** `2026-01-31 14:05` in that zone. */
export function minuteText(at: number, timeZone: string): string {
  return timeText(at, timeZone).slice(0, "2026-01-31 14:05".length);
}

/** The name of a node as people know it, else its type. */
export function nodeName(node: Pick<NodeReport, "id" | "name" | "type"> | undefined, id = ""): string {
  return plain(node?.name || node?.type || node?.id || id);
}

/** The names of nodes as people know them, by their ids. */
export function namesOf(nodes: readonly NodeReport[]): ReadonlyMap<string, string> {
  return new Map(nodes.map((node) => [node.id, nodeName(node)]));
}

/** `in cooldown 3`, for each reason of suppressed alerts that there was. */
export function reasonsInWords(reasons: NodeReport["reasons"]): string[] {
  return Object.entries(reasons)
    .filter(([, count]) => count > 0)
    .map(([why, count]) => `${plain(why).replaceAll("_", " ")} ${grouped(count)}`);
}

/** `of event 12`, with the channel where the report has several; or `at` and the time, without an event. */
export function causeOf(outcome: Outcome, report: Pick<Report, "channels" | "timeZone">): string {
  if (outcome.event === undefined) return `at ${timeText(outcome.at, report.timeZone)}`;
  const { offset, channelId } = outcome.event;
  const channel = report.channels.length > 1 ? ` of ${channelName(channelId, report)}` : "";
  return `of event ${offset}${channel}`;
}

/** The name of a channel, else its id. */
function channelName(channelId: string, { channels }: Pick<Report, "channels">): string {
  return plain(channels.find(({ id }) => id === channelId)?.name || channelId);
}

/** Text of others in one line, with visible characters only. */
export function plain(text: string, length = 300): string {
  const line = visible(text.replaceAll(/\s+/g, " ").trim());
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

/** Characters that would hide text, change its order, or control a terminal are shown as `\u{…}`. */
export function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

const formats = new Map<string, Intl.DateTimeFormat>();

function partsOf(at: number, timeZone: string): (type: Intl.DateTimeFormatPartTypes) => string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formats.set(timeZone, format);
  }
  const parts = format.formatToParts(at);
  return (type) => parts.find((part) => part.type === type)?.value ?? "";
}
