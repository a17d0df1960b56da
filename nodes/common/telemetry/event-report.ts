import type { Node } from "node-red";
import type { ChannelEvent, Verification } from "../../../src/index.ts";
import type { NodeContext } from "../context.ts";
import { isNotice, isRejected } from "../messages/event-message.ts";
import { processWide } from "../process-wide.ts";
import { activity } from "./activity.ts";
import { originOf } from "./origin.ts";
import type { EventReport, Origin } from "./types.ts";

/** What is known of a delivered event. `decoded` is its payload as a message has it. */
type Delivered = {
  origin: Origin;
  consumer: string;
  channelId: string;
  event: ChannelEvent;
  decoded: unknown;
  verification: Verification | undefined;
  /** Where it was not sent as an event for something else than its proof. */
  reason?: string | undefined;
  proofMs?: number | undefined;
  isRedelivered: boolean;
  isLate: boolean;
};

const MOST_AMOUNTS = 5;
/** A rejected event may hold anything. */
const LONGEST_TEXT = 100;
const SECOND_MS = 1_000;

const numbers = processWide("event-numbers", () => ({ last: 0 }));

/** The report of an event, with nothing of its parameters but amounts in tokens. */
export function eventReport(delivered: Delivered): EventReport {
  numbers.last += 1;
  const { origin, consumer, channelId, event, decoded, verification, proofMs } = delivered;
  const { headers, created_at: createdAt } = event;
  const { type: _node, ...place } = origin;
  const reason = isRejected(verification) ? verification.reason : delivered.reason;
  return {
    ...place,
    ...{ number: numbers.last, seenAt: Date.now(), consumer, channelId },
    ...(typeof createdAt === "number" ? { createdAt: createdAt * SECOND_MS } : {}),
    // A rejected event may have anything in their place.
    ...(typeof headers.offset === "number" ? { offset: headers.offset } : {}),
    type: typeof headers.type === "string" ? cut(headers.type) : "",
    ...factsOf(decoded),
    proof: proofOf(verification),
    ...(reason === undefined ? {} : { reason }),
    ...(proofMs === undefined ? {} : { proofMs }),
    ...{ isRedelivered: delivered.isRedelivered, isLate: delivered.isLate },
  };
}

function proofOf(verification: Verification | undefined): EventReport["proof"] {
  if (verification === undefined) return "unchecked";
  if (verification.verified) return "verified";
  return isNotice(verification) ? "unsigned" : "rejected";
}

type Facts = Pick<EventReport, "name" | "chainSelector" | "contract" | "confidence" | "tokens">;

/** Of a contract's event, and the network and confidence of others. */
function factsOf(decoded: unknown): Facts {
  const { name, chainSelector, contract, confidence, tokens } = (decoded ?? {}) as Record<string, unknown>;
  const texts = Object.entries({ name, chainSelector, contract, confidence }).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const amounts = amountsIn(tokens);
  return {
    ...Object.fromEntries(texts.map(([key, text]) => [key, cut(text)])),
    ...(amounts.length > 0 ? { tokens: Object.fromEntries(amounts) } : {}),
  };
}

/** Those of tuples and lists by their path. */
function amountsIn(tokens: unknown, path = ""): Array<[path: string, amount: string]> {
  if (typeof tokens !== "object" || tokens === null)
    return typeof tokens === "string" ? [[path, cut(tokens)]] : [];
  return Object.entries(tokens)
    .slice(0, MOST_AMOUNTS)
    .flatMap(([name, value]) => amountsIn(value, path === "" ? name : `${path}.${name}`))
    .slice(0, MOST_AMOUNTS);
}

function cut(text: string): string {
  return text.slice(0, LONGEST_TEXT);
}

/** Lists in Issues that a node received a log with other parameters than before. `log`: see `eventKeyOf`. */
export function noteContradiction(node: Node, log: string): void {
  activity.note({ kind: "contradiction", contradiction: { ...originOf(node), log, seenAt: Date.now() } });
}

/** Warns about it, too. */
export function reportContradiction({ node, t }: Pick<NodeContext, "node" | "t">, log: string): void {
  node.warn(t("common.warning.contradicts", { log }));
  noteContradiction(node, log);
}
