import { randomUUID } from "node:crypto";
import type { Node, NodeAPI } from "node-red";
import type {
  DedupeDelivery,
  DedupeDetails,
  DedupeResult,
  FileDedupeStore,
  OnceMark,
  OnceResult,
  SeenKeys,
  SharedState,
} from "../../src/index.ts";
import { isInFlows } from "../common/fields/flow-settings.ts";
import { fleetOf, urlOfEnvironment } from "../common/fleet/fleet.ts";
import { leaseOfMessage } from "../common/fleet/held-leases.ts";
import { type Joined, joinFleet } from "../common/fleet/join-fleet.ts";
import { LeasedStore } from "../common/folder/leased-store.ts";
import { stateFiles } from "../common/folder/state-files.ts";
import { isStateInMemory } from "../common/folder/state-folder.ts";
import { loadLibrary } from "../common/library.ts";
import { errorText } from "../common/messages/error-texts.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { type CodedError, nodeError, toCodedError } from "../common/shared/errors.ts";
import { errorStatus, showStatus, statusText } from "../common/status/status.ts";
import { dedupePath, type VerifyEventFields } from "./settings.ts";

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

type SharedOnceOptions = {
  shared: Pick<SharedState, "once">;
  /** Marks of different nodes do not meet. */
  scope: string;
  ttlMs: number;
};

type Fence = OnceMark["fence"];

const MOST_UNCERTAIN = 10_000;

/** Remembers, together with all copies of the flow, which keys were processed. */
class SharedOnce {
  readonly #options: SharedOnceOptions;
  /** Delivery ids by key, of calls that failed: whether the engine carried them out is not known. */
  readonly #uncertain = new Map<string, string>();

  constructor(options: SharedOnceOptions) {
    this.#options = options;
  }

  /**
   * Whether to process a key now; see `FileDedupeStore.accept`. A key whose message failed here before, because the engine
   * could not be reached, is still new when the message is sent again.
   * @throws the retryable error of the engine
   */
  async accept(key: string, details: DedupeDetails, fence: Fence): Promise<OnceResult> {
    const result = await this.#mark(key, details, fence);
    if (result !== "contradicts") return result;
    const reading = await this.#mark(`${key} ${details.digest}`, details, fence);
    return reading === "new" ? "contradicts" : reading;
  }

  async #mark(key: string, { delivery, digest }: DedupeDetails, fence: Fence): Promise<OnceResult> {
    const { shared, scope, ttlMs } = this.#options;
    const failed = this.#uncertain.get(key);
    const id = delivery?.id ?? failed ?? randomUUID();
    const redelivered = delivery?.redelivered === true || failed === id;
    try {
      const result = await shared.once({ scope, key, ttlMs, delivery: { id, redelivered }, digest, fence });
      this.#uncertain.delete(key);
      return result;
    } catch (error) {
      if (this.#uncertain.size < MOST_UNCERTAIN) this.#uncertain.set(key, id);
      throw error;
    }
  }
}

type Store = Pick<FileDedupeStore, "accept" | "load" | "close">;

/**
 * The keys that a node with *each event once* has processed; undefined for a node without it. They are read at the
 * deploy, so that errors show then. The returned function waits for that, and tries again after an error. The file is
 * removed with the node.
 */
function openDedupeStore(
  RED: NodeAPI,
  node: Node,
  fields: VerifyEventFields,
): (() => Promise<Store>) | undefined {
  const path = dedupePath(RED, node.id);
  const onWarning = (message: string): void => {
    node.warn(message);
    showStatus(node, "error", statusText(RED._, "verify-event.status.memory"));
  };
  const make = async (): Promise<Store> => {
    const maxKeys = fields.number("remember");
    const library = await loadLibrary();
    if (isStateInMemory()) return inMemory(new library.SeenKeys(maxKeys));
    return new library.FileDedupeStore({ path, maxKeys, onWarning, files: stateFiles });
  };
  const held = fields.flag("firstTimeOnly") ? new LeasedStore(RED, make) : undefined;
  const close = async (isRemoved: boolean): Promise<void> => {
    await held?.close();
    if (isRemoved && !isInFlows(RED.nodes, node)) await stateFiles.rm(path, { force: true });
  };
  node.on("close", (isRemoved: boolean, done: () => void) => {
    close(isRemoved)
      .catch((thrown: unknown) => node.warn(errorText(thrown)))
      .then(done);
  });
  if (!held) return undefined;
  const ready = () => held.open();
  ready().catch((thrown: unknown) => {
    const error = toCodedError(thrown);
    // Its events come when this process takes over.
    if (error.code === "FOLDER_IN_USE")
      return showStatus(node, "stopped", statusText(RED._, "verify-event.status.standby"));
    node.warn(errorText(error));
    showStatus(node, "error", errorStatus(error));
  });
  return ready;
}

/** As the one in a file, but forgotten with the process. */
function inMemory(keys: SeenKeys): Store {
  const nothing = async () => {};
  return { accept: (key, details = {}) => keys.accept(key, details).result, load: nothing, close: nothing };
}
