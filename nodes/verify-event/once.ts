import type { Node, NodeAPI } from "node-red";
import type { DedupeDelivery, DedupeResult } from "../../src/index.ts";
import { fleetOf, urlOfEnvironment } from "../common/fleet/fleet.ts";
import { leaseOfMessage } from "../common/fleet/held-leases.ts";
import { type Joined, joinFleet } from "../common/fleet/join-fleet.ts";
import { errorText } from "../common/messages/error-texts.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { type CodedError, nodeError, toCodedError } from "../common/shared/errors.ts";
import { errorStatus, showStatus } from "../common/status/status.ts";
import { openDedupeStore } from "./open-dedupe-store.ts";
import type { VerifyEventFields } from "./settings.ts";
import { SharedOnce } from "./shared-once.ts";

const DAY_MS = 86_400_000;

/** An event that is to be processed once. */
type Candidate = {
  msg: CrecMessage;
  key: string;
  /** Of its parameters. */
  digest: string | undefined;
  delivery: DedupeDelivery | undefined;
  /** Aborted when the node is closed. */
  signal: AbortSignal;
};

/**
 * Whether to process an event: unless it was seen, it is remembered from now on, and must be sent.
 * @throws CONSUMER_MOVED; the errors of the memory, which are retryable while an engine cannot be reached
 */
type Once = (candidate: Candidate) => Promise<DedupeResult>;

/**
 * The memory of a node with *each event once*: one that all copies share, or a file of this Node-RED. Undefined for a
 * node without it.
 */
export function openOnce(RED: NodeAPI, node: Node, fields: VerifyEventFields): Once | undefined {
  const isShared = Boolean(fields.settings.fleet) || urlOfEnvironment() !== "";
  if (fields.flag("firstTimeOnly") && isShared) return openShared(RED, node, fields);
  const store = openDedupeStore(RED, node, fields);
  if (!store) return undefined;
  return async ({ key, digest, delivery, signal }) => {
    const opened = await store();
    signal.throwIfAborted();
    return opened.accept(key, { delivery, digest });
  };
}

function openShared(RED: NodeAPI, node: Node, fields: VerifyEventFields): Once {
  let joined: Promise<Joined> | undefined;
  const open = async (): Promise<SharedOnce> => {
    const ref = fleetOf(RED, fields.settings.fleet);
    if (!ref) throw new TypeError("There is no shared state");
    const ttlMs = fields.number("rememberDays") * DAY_MS;
    joined = joinFleet(RED, ref);
    const { fleet } = await joined;
    return new SharedOnce({ shared: fleet.shared, scope: node.id, ttlMs });
  };
  let once: Promise<SharedOnce> | undefined;
  const ready = (): Promise<SharedOnce> => {
    once ??= open();
    once.catch(() => {
      once = undefined;
    });
    return once;
  };
  node.on("close", (done: () => void) => {
    const leave = async () => (await joined)?.leave();
    leave()
      .catch(() => {})
      .then(done);
  });
  // At the deploy, so that wrong settings show then.
  ready().catch((thrown: unknown) => {
    const error = toCodedError(thrown);
    node.warn(errorText(error));
    showStatus(node, "error", errorStatus(error));
  });
  return async ({ msg, key, digest, delivery, signal }) => {
    const opened = await ready();
    signal.throwIfAborted();
    const result = await opened.accept(key, { delivery, digest }, leaseOfMessage(msg));
    if (result === "moved") throw moved();
    return result;
  };
}

function moved(): CodedError {
  return nodeError(
    "CONSUMER_MOVED",
    "Another copy reads this channel by now, and sends this event again, so this copy did not process it. You do not have to do anything.",
  );
}
