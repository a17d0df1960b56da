// @ts-check
// What happened, in words for people.

/** @typedef {import("../timeline/entry.ts").TimelineEntry} Entry */

/**
 * What the status of a thing means, by the kind of thing.
 *
 * @type {Readonly<Record<string, Readonly<Record<string, string>>>>}
 */
const MEANINGS = {
  channel: {
    active: "The channel exists. Its events are numbered from 1.",
    archived: "The channel is archived. It gets no new watchers, operations or queries.",
  },
  watcher: {
    pending: "The watcher is being prepared.",
    active: "The watcher reports each matching event of the contract.",
    archived: "The watcher has stopped.",
  },
  wallet: {
    pending: "The wallet is created. Its contract is not on the chain yet.",
    deploying: "The contract of the wallet is being deployed.",
    deployed: "The contract of the wallet is on the chain.",
    archived: "The wallet is archived. It executes no new operations.",
  },
  operation: {
    pending_signature: "A draft, which waits for its signature.",
    accepted: "The service has checked the signature.",
    sending: "The service prepares the transaction.",
    sent: "The transaction was sent to the chain.",
    broadcasting: "The transaction waits for a block.",
    confirmed_latest: "The transaction is in a block. The chain can still replace that block.",
    confirmed_safe: "It is unlikely that the chain replaces the block of the transaction.",
    confirmed: "The transaction is final.",
    cancelled: "The draft was cancelled.",
    expired: "The deadline passed before the transaction was in a block.",
  },
  query: {
    accepted: "The service has the question.",
    sending: "The service reads the contract.",
    sent: "The oracles sign the answer.",
    completed: "The answer is there, with its proof.",
    expired: "There was no answer in time.",
  },
  event: {
    latest: "The event is in a block. The chain can still replace that block.",
    safe: "It is unlikely that the chain replaces the block of the event.",
    finalized: "The event is final.",
  },
};

/** @type {Readonly<Record<string, string>>} */
const KINDS = {
  channel: "Channel",
  watcher: "Watcher",
  wallet: "Wallet",
  operation: "Operation",
  query: "Query",
  event: "Event",
  injected: "Injected failure",
  reorganization: "Reorganization",
};

/** @type {Readonly<Record<string, string>>} */
const STATES = { asked: "requested", applied: "applied", cleared: "cleared" };
/** @type {Readonly<Record<string, string>>} */
const INJECTED = {
  faults: "answers of the service",
  failures: "failing resources",
  absences: "resources not found",
  proofs: "proofs",
  deliveries: "delivery of events",
};
/** @type {Readonly<Record<string, string>>} */
const PROOF_CHANGES = {
  withhold: "left out, as a tester asked",
  delay: "delivered late, as a tester asked",
  corrupt: "tampered with, as a tester asked: one valid signature is missing",
};
/** @type {Readonly<Record<string, string>>} */
const DELIVERIES = {
  late: "Delivered late, as a tester asked.",
  twice: "Delivered twice, as a tester asked.",
  out_of_order: "Delivered out of order, as a tester asked.",
};
const FAILED = ["failed", "archive_failed", "expired"];
const DONE = ["confirmed", "completed", "finalized", "deployed", "active", "archived", "cancelled"];

/**
 * The title of a thing, such as `Operation: transfer 1 DEMO`.
 *
 * @param {Entry} entry the newest one about it
 */
export function titleOf(entry) {
  const kind = KINDS[entry.kind] ?? entry.kind;
  switch (entry.kind) {
    case "operation": {
      const more = (entry.calls_total ?? 0) - (entry.calls?.length ?? 0);
      const calls = (entry.calls ?? []).map(callWords).join(", ");
      return `${kind}: ${calls}${more > 0 ? ` and ${more} more` : ""}`;
    }
    case "event":
      return `${kind}: ${entry.name}${entry.amount === undefined ? "" : ` of ${amountWords(entry.amount)}`}`;
    case "query":
      return `${kind}: ${entry.contract}`;
    case "injected":
      return `${kind}: ${INJECTED[entry.injected?.list ?? ""] ?? entry.injected?.list}`;
    case "reorganization":
      return `${kind}: the chain replaced blocks`;
    default:
      return `${kind}: ${entry.name ?? entry.subject}`;
  }
}

/**
 * What belongs to a thing, such as its channel.
 *
 * @param {Entry} entry
 */
export function contextOf(entry) {
  return [
    entry.kind === "channel" || entry.channel === undefined ? "" : `channel ${entry.channel}`,
    entry.wallet === undefined ? "" : `wallet ${entry.wallet}`,
    entry.watcher === undefined ? "" : `watcher ${entry.watcher}`,
    entry.kind === "query" || entry.contract === undefined ? "" : `contract ${entry.contract}`,
  ].filter((part) => part !== "");
}

/**
 * The status in a word or two. What the service calls it, so that it is found in flows and in the documentation.
 *
 * @param {Entry} entry
 */
export function statusOf(entry) {
  if (entry.injected !== undefined) return STATES[entry.injected.state] ?? entry.injected.state;
  return entry.status ?? "";
}

/**
 * What the newest entry about a thing means.
 *
 * @param {Entry} entry
 */
export function meaningOf(entry) {
  if (entry.reason !== undefined) return `Reason: ${entry.reason}`;
  if (entry.injected !== undefined) return entry.injected.details ?? "";
  if (entry.replaced !== undefined) {
    const { after_block, up_to_block } = entry.replaced;
    return `Its blocks after ${after_block}, up to ${up_to_block}, are replaced. The service reads the new ones.`;
  }
  return MEANINGS[entry.kind]?.[entry.status ?? ""] ?? "";
}

/**
 * What an entry says of its proof and its delivery.
 *
 * @param {Entry} entry
 */
export function proofOf({ proof, delivery }) {
  const words = [];
  if (proof !== undefined) {
    const change = PROOF_CHANGES[proof.change ?? ""];
    words.push(
      change === undefined
        ? `Proof: ${proof.signatures} signatures, ${proof.required} needed.`
        : `Proof: ${change}.`,
    );
  }
  if (delivery !== undefined) words.push(DELIVERIES[delivery] ?? delivery);
  return words.join(" ");
}

/**
 * How it stands: for the color.
 *
 * @param {Entry} entry
 * @returns {"bad" | "good" | "open"}
 */
export function moodOf({ kind, status = "", proof, delivery }) {
  const isInjected = kind === "injected" || kind === "reorganization";
  const isChanged = proof?.change !== undefined || delivery !== undefined;
  if (isInjected || isChanged || FAILED.includes(status)) return "bad";
  return DONE.includes(status) ? "good" : "open";
}

/** @param {NonNullable<Entry["calls"]>[number]} call */
function callWords({ contract, action, amount }) {
  const paid = amount === undefined ? "" : ` ${amountWords(amount)}`;
  return action === undefined ? `call of ${contract}${paid}` : `${action}${paid} (${contract})`;
}

/** @param {{ value: string, symbol: string }} amount */
function amountWords({ value, symbol }) {
  return `${value} ${symbol}`;
}
