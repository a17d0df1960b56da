import type { Node, NodeAPI } from "node-red";
import type { Signer, SigningState } from "../../../src/index.ts";
import type { SignerRef } from "../fields/config-nodes.ts";
import { errorStatus, showStatus } from "../status/status.ts";
import { repeatUntil } from "./repeat.ts";
import { type SharedSigner, shareSigner } from "./shared-signer.ts";
import { signingStatus } from "./signing-status.ts";

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
