import type { AlertOutcome, RaisedAlert } from "../../../src/index.ts";
import { KNOWN_CHAINS } from "../../../src/protocol/index.ts";
import type { Translate } from "../../common/context.ts";
import type { CrecMessage } from "../../common/messages/message.ts";
import { isObject } from "../../common/shared/collections.ts";
import { ADDRESS } from "../../common/shared/field-checks.ts";
import type { NamedEvent } from "../../common/status/channel-progress.ts";
import type { Severity } from "../fields.ts";
import { type Facts, fillTemplate } from "./template.ts";
import { oneLine } from "./values.ts";
import { defaultText, defaultTitle, limitWords, outcomeText, outcomeTitle, type Worded } from "./words.ts";

/** What a person is told, kept with the alert so that its end can name it. */
export type AlertContent = {
  title: string;
  text: string;
  severity: Severity;
  link?: string;
  sumTokens?: string;
  /** Not proven. */
  unproven?: true;
  /** The decoded event, where it is not too large. */
  event?: unknown;
  /** The event that it left with, of which its end must not come before it. Not for people. */
  from?: NamedEvent;
};

type AlertPayload = Omit<AlertContent, "from"> & {
  kind: AlertOutcome["kind"];
  /** The same however often it is sent, also for its reminders and its end. */
  id: string;
  /** Of a reminder that the alert is still open: its number, from 1. */
  reminder?: number;
  /** Of an alert that is sent again: it has ended meanwhile. ISO text. */
  endedAt?: string;
  /** How often the condition ended and held again since the last message. */
  changes?: number;
  /** ISO text. */
  at: string;
  key: string;
  count: number;
  /** In the smallest unit. */
  sum?: string;
  usual?: number;
  suppressed: number;
  confidence?: string;
  /** Why it was taken back. */
  reason?: string;
  /** Whether the same log is proven in another block. */
  stands?: boolean;
  /** Of what was taken back: other events hold the alert, which stays open. */
  isOpen?: true;
  /** It is about the rule itself, which no longer counts new keys. */
  limit?: "maxKeys";
};

const LONGEST_TITLE = 200;
const LONGEST_TEXT = 1_000;

/** Of all that is kept with an alert, in characters of JSON: a rule keeps no more. */
const MOST_TOLD = 8_192;

/** What the form says about messages. */
type Telling = { title: string; text: string; severity: Severity; worded: Worded };

/** The texts of an alert. */
export function told(
  t: Translate,
  { title, text, severity, worded }: Telling,
  facts: Facts,
  more: Pick<AlertContent, "link" | "unproven" | "from">,
): AlertContent {
  const { payload, sumTokens } = facts;
  const said: AlertContent = {
    title:
      fillTemplate(title, facts, LONGEST_TITLE) || oneLine(defaultTitle(t, worded, facts), LONGEST_TITLE),
    text: fillTemplate(text, facts, LONGEST_TEXT) || oneLine(defaultText(t, worded, facts), LONGEST_TEXT),
    severity,
    ...more,
    ...(sumTokens === undefined ? {} : { sumTokens }),
  };
  const whole = { ...said, event: payload };
  return fits(whole) ? whole : said;
}

/** The texts of an alert about the rule itself. */
export function toldOfLimit(
  t: Translate,
  { count }: RaisedAlert,
  { severity, name, maxKeys }: { severity: Severity; name: string; maxKeys: number },
): AlertContent {
  return { ...limitWords(t, { name, maxKeys, count }), severity };
}

/** Of an outcome: `told` is what the alert itself said. `isOwn`: it is the alert of the event that arrived. */
export function payloadOf(
  t: Translate,
  outcome: AlertOutcome,
  told: AlertContent,
  isOwn: boolean,
): AlertPayload {
  const { kind, alert } = outcome;
  const { from: _from, ...said } = told;
  return {
    kind,
    id: alert.id,
    ...(alert.reminder === undefined ? {} : { reminder: alert.reminder }),
    ...said,
    title: oneLine(outcomeTitle(t, outcome, { title: told.title, isOwn }), LONGEST_TITLE),
    text: oneLine(outcomeText(t, outcome, { text: told.text, isOwn }), LONGEST_TEXT),
    at: new Date(timeOfOutcome(outcome)).toISOString(),
    key: alert.key,
    count: alert.count,
    ...(alert.sum === undefined ? {} : { sum: alert.sum }),
    ...(alert.usual === undefined ? {} : { usual: alert.usual }),
    suppressed: alert.suppressed,
    ...changesOf(outcome),
    ...(kind === "alert" && outcome.endedAt !== undefined
      ? { endedAt: new Date(outcome.endedAt).toISOString() }
      : {}),
    ...(alert.limit === undefined ? {} : { limit: alert.limit }),
    ...(alert.log ? { confidence: alert.log.confidence } : {}),
    ...(kind === "takenBack" ? { reason: outcome.reason, stands: outcome.stands } : {}),
    ...(kind === "takenBack" && outcome.isOpen ? { isOpen: true as const } : {}),
  };
}

function changesOf(outcome: AlertOutcome): { changes?: number } {
  const { changes } = outcome.kind === "recovered" ? outcome : outcome.alert;
  return changes === undefined || (outcome.kind !== "alert" && outcome.kind !== "recovered")
    ? {}
    : { changes };
}

/** In milliseconds. */
export function timeOfOutcome(outcome: AlertOutcome): number {
  return outcome.kind === "alert" ? outcome.alert.at : outcome.at;
}

function topicOf({ kind, severity }: Pick<AlertPayload, "kind" | "severity">): string {
  return `${kind}/${severity}`;
}

/** The stored details of an alert; undefined where they are missing, or in the form of another version. */
export function toldOf({ details }: RaisedAlert): AlertContent | undefined {
  if (!isObject(details) || typeof details.title !== "string" || typeof details.text !== "string")
    return undefined;
  return details as unknown as AlertContent;
}

/** The message of an alert that a message raised: it keeps its other properties. */
export function alertMessage(msg: CrecMessage, payload: AlertPayload, rule: string): CrecMessage {
  return { ...msg, payload, topic: topicOf(payload), crec: { ...msg.crec, alert: markOf(payload, rule) } };
}

/** A message without an event. */
export function separateMessage(payload: AlertPayload, rule: string): CrecMessage {
  return { payload, topic: topicOf(payload), crec: { alert: markOf(payload, rule) } } as CrecMessage;
}

/** `rule`: the id of the node. */
function markOf({ kind, id, reminder, key, severity }: AlertPayload, rule: string): Record<string, unknown> {
  return { kind, id, ...(reminder === undefined ? {} : { reminder }), rule, key, severity };
}

function fits(value: unknown): boolean {
  try {
    return (JSON.stringify(value) ?? "").length <= MOST_TOLD;
  } catch {
    return false;
  }
}

const HASH = /^0x[0-9a-f]{64}$/i;

/** The page of a public explorer about an event: its transaction, else its contract. Undefined for a local network. */
export function linkOf(payload: unknown): string | undefined {
  if (!isObject(payload) || payload.chainSelectorUnsigned === true) return undefined;
  const { chainSelector, transactionHash, contract } = payload;
  const explorer = KNOWN_CHAINS.find((chain) => chain.chainSelector === chainSelector)?.explorer;
  if (explorer === undefined) return undefined;
  // Only what has the right form gets into an address that a person opens.
  if (typeof transactionHash === "string" && HASH.test(transactionHash))
    return `${explorer}/tx/${transactionHash}`;
  return typeof contract === "string" && ADDRESS.test(contract)
    ? `${explorer}/address/${contract}`
    : undefined;
}
