import { setTimeout as sleep } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import type { Signer, SigningState } from "../../../src/index.ts";
import type { SignerRef } from "../fields/config-nodes.ts";
import { errorStatus, showStatus, statusText } from "../status/status.ts";
import { type SharedSigner, shareSigner } from "./shared-signer.ts";

type ToSign = {
  ref: () => SignerRef;
  digest: string;
  /** Unix seconds; 0 for none. */
  deadline: number;
  /** Whether it was asked for before, by a message that a restart has interrupted. */
  isResumed: boolean;
  /** Whether the node shows another message by now. */
  isPast: () => boolean;
  signal: AbortSignal;
};

/** What is done with the signer: it is repeated where it fails only for a while. */
type SignedWork<T> = (
  signer: Signer,
  onSigningState: (state: SigningState) => void,
  isAgain: boolean,
) => Promise<T>;

/** Of a signer that cannot be reached, and whose own time-out is not known. */
const USUAL_TIMEOUT_MS = 10 * 60_000;

type Repeating = {
  /** Whether this failure is to be repeated, if it is one that passes. */
  mayRepeat: () => boolean;
  /** Called before each pause. */
  onFailure: (error: Error) => void;
  /** How long it may take from now on, in milliseconds. */
  leftMs: () => number;
  signal: AbortSignal;
};

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

type Signing = {
  /** The key service, as people call it. */
  custodian: string;
  /** Of the operation, in Unix seconds; 0 for none. */
  deadline: number;
  /** Of the signer. */
  timeoutMs: number | undefined;
  /** Whether the node shows another message by now. */
  isPast?: () => boolean;
};

type SigningStatus = { onState: (state: SigningState) => void; stop: () => void };

/** How often the time that is left is updated. */
const EVERY_MS = 20_000;
const MINUTE_MS = 60_000;

/**
 * A signature by a key that is elsewhere, for one message: asked for once for a digest, with its state under the node. An
 * outage of the service after the signature, or of anything after a restart, does not lose what a person approves.
 */
export class Asking {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #toSign: ToSign;
  #joined: SharedSigner | undefined;

  constructor(RED: NodeAPI, node: Node, toSign: ToSign) {
    this.#RED = RED;
    this.#node = node;
    this.#toSign = toSign;
  }

  /** Makes sure that the request of another message with the same digest goes on if that message ends. */
  async join(): Promise<Signer> {
    const before = this.#joined;
    // What was submitted before is found without it.
    const given = await this.#toSign.ref().signer().catch(unreachable);
    this.#joined = shareSigner(given, this.#toSign.digest);
    before?.leave();
    return this.#joined.signer;
  }

  async run<T>(work: SignedWork<T>): Promise<T> {
    const { deadline, isResumed, isPast, signal } = this.#toSign;
    let isAgain = isResumed;
    const attempt = async () => {
      const signer = await this.join();
      const { custodian = "" } = this.#toSign.ref();
      const words = { custodian, deadline, timeoutMs: signer.timeoutMs, isPast };
      const { onState, stop } = signingStatus(this.#RED, this.#node, words);
      return work(signer, onState, isAgain).finally(stop);
    };
    const { timeoutMs = 0 } = await this.join();
    const endsAt = performance.now() + timeoutMs;
    return repeatUntil(attempt, {
      mayRepeat: () => isResumed || this.#joined?.isSigned() === true,
      onFailure: (error) => {
        isAgain = true;
        if (!isPast()) showStatus(this.#node, "waiting", errorStatus(error));
      },
      leftMs: () => (deadline === 0 ? endsAt - performance.now() : deadline * 1000 - Date.now()),
      signal,
    });
  }

  /** The message is done: until then, another message with the same digest gets the same signature. */
  leave(): void {
    this.#joined?.leave();
  }
}

function unreachable(error: unknown): Signer {
  return { kind: "ecdsa", timeoutMs: USUAL_TIMEOUT_MS, sign: () => Promise.reject(error) };
}

/**
 * Repeats what fails only for a while, such as an outage of the service after a person has approved, until the time is
 * up. What it repeats must be safe to repeat.
 */
export async function repeatUntil<T>(work: () => Promise<T>, repeating: Repeating): Promise<T> {
  const { mayRepeat, onFailure, leftMs, signal } = repeating;
  for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_MS)) {
    try {
      return await work();
    } catch (error) {
      const isOver = signal.aborted || pauseMs >= leftMs();
      if (isOver || !isPassing(error) || !mayRepeat()) throw error;
      onFailure(error);
      await sleep(pauseMs, undefined, { signal });
    }
  }
}

function isPassing(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  // A person may have been asked: only the flow, or a person, asks again.
  const { retryable, isAsked } = error as { retryable?: unknown; isAsked?: unknown };
  return retryable === true && isAsked !== true;
}

/** Shows under a node what a signature waits for: the key service, or a person, with the time that is left. */
function signingStatus(RED: NodeAPI, node: Node, signing: Signing): SigningStatus {
  const { custodian, deadline, timeoutMs = Number.POSITIVE_INFINITY, isPast = () => false } = signing;
  const endsAt = performance.now() + timeoutMs;
  const leftMs = () =>
    Math.min(endsAt - performance.now(), deadline === 0 ? timeoutMs : deadline * 1000 - Date.now());
  let newest: SigningState | undefined;
  const show = (): void => {
    if (newest === undefined || isPast()) return;
    const { state, isForPerson } = newest;
    const [key, words] = isForPerson ? leftOf(leftMs()) : ["waits-for", {}];
    showStatus(
      node,
      isForPerson ? "waiting" : "working",
      statusText(RED._, `common.status.${key}`, { custodian, state, ...words }),
    );
  };
  const timer = setInterval(show, EVERY_MS);
  timer.unref();
  return {
    onState: (state) => {
      newest = state;
      show();
    },
    stop: () => clearInterval(timer),
  };
}

/** The text about a person, by the time that is left. */
function leftOf(leftMs: number): [key: string, words: Record<string, string>] {
  if (leftMs === Number.POSITIVE_INFINITY) return ["person-approves", {}];
  if (leftMs < MINUTE_MS) return ["person-approves-soon", {}];
  return ["person-approves-within", { minutes: String(Math.floor(leftMs / MINUTE_MS)) }];
}
