import type { NodeAPI } from "node-red";
import type { AlertOutcome, RaisedAlert } from "../../src/index.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import type { Severity } from "./fields.ts";
import { type Facts, fillTemplate } from "./template.ts";
import { isObject, oneLine } from "./values.ts";
import { defaultText, defaultTitle, outcomeText, outcomeTitle, type Worded } from "./words.ts";

/** What a person is told, kept with the alert so that its end can name it. */
export type Told = {
  title: string;
  text: string;
  severity: Severity;
  link?: string;
  sumTokens?: string;
  /** Not proven. */
  unproven?: true;
  /** The decoded event, where it is not too large. */
  event?: unknown;
};

export type AlertPayload = Told & {
  kind: AlertOutcome["kind"];
  /** The same however often it is sent, also for its end. */
  id: string;
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
};

const LONGEST_TITLE = 200;
const LONGEST_TEXT = 1_000;
const LARGEST_EVENT = 10_000;

/** What the form says about messages. */
export type Telling = { title: string; text: string; severity: Severity; worded: Worded };

/** The texts of an alert. */
export function told(
  RED: NodeAPI,
  { title, text, severity, worded }: Telling,
  facts: Facts,
  more: Pick<Told, "link" | "unproven">,
): Told {
  const { payload, sumTokens } = facts;
  return {
    title:
      fillTemplate(title, facts, LONGEST_TITLE) || oneLine(defaultTitle(RED, worded, facts), LONGEST_TITLE),
    text: fillTemplate(text, facts, LONGEST_TEXT) || oneLine(defaultText(RED, worded, facts), LONGEST_TEXT),
    severity,
    ...more,
    ...(sumTokens === undefined ? {} : { sumTokens }),
    ...(fits(payload) ? { event: payload } : {}),
  };
}

/** Of an outcome: `told` is what the alert itself said. */
export function payloadOf(RED: NodeAPI, outcome: AlertOutcome, told: Told): AlertPayload {
  const { kind, alert } = outcome;
  const at = kind === "alert" ? alert.at : outcome.at;
  return {
    kind,
    id: alert.id,
    ...told,
    title: oneLine(outcomeTitle(RED, outcome, told.title), LONGEST_TITLE),
    text: oneLine(outcomeText(RED, outcome, told), LONGEST_TEXT),
    at: new Date(at).toISOString(),
    key: alert.key,
    count: alert.count,
    ...(alert.sum === undefined ? {} : { sum: alert.sum }),
    ...(alert.usual === undefined ? {} : { usual: alert.usual }),
    suppressed: alert.suppressed,
    ...(alert.log ? { confidence: alert.log.confidence } : {}),
    ...(kind === "takenBack" ? { reason: outcome.reason, stands: outcome.stands } : {}),
  };
}

export function topicOf({ kind, severity }: Pick<AlertPayload, "kind" | "severity">): string {
  return `${kind}/${severity}`;
}

/** The details of an alert from a store, which an older version, or nothing, may have written. */
export function toldOf({ details }: RaisedAlert): Told | undefined {
  if (!isObject(details) || typeof details.title !== "string" || typeof details.text !== "string")
    return undefined;
  return details as unknown as Told;
}

/** The message of an alert that a message raised: what others wrote into it stays. */
export function alertMessage(msg: CrecMessage, payload: AlertPayload): CrecMessage {
  return { ...msg, payload, topic: topicOf(payload), crec: { ...msg.crec, alert: markOf(payload) } };
}

/** The message of what has no event of its own. */
export function separateMessage(payload: AlertPayload): CrecMessage {
  return { payload, topic: topicOf(payload), crec: { alert: markOf(payload) } } as CrecMessage;
}

function markOf({ kind, id, key, severity }: AlertPayload): Record<string, unknown> {
  return { kind, id, key, severity };
}

function fits(value: unknown): boolean {
  try {
    return (JSON.stringify(value) ?? "").length <= LARGEST_EVENT;
  } catch {
    return false;
  }
}
