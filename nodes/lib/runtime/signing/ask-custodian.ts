import type { Node, NodeAPI } from "node-red";
import type { Signer, SigningState } from "../../../../src/index.ts";
import type { SignerRef } from "../config-nodes.ts";
import { joinSigner } from "./joined-signer.ts";
import { signingStatus } from "./signing-status.ts";

export type ToSign = {
  ref: SignerRef;
  digest: string;
  /** Unix seconds; 0 for none. */
  deadline: number;
  /** Whether the node shows another message by now. */
  isPast?: () => boolean;
};

export type Asking = {
  signer: Signer;
  onSigningState: (state: SigningState) => void;
  /** The signature is there, or will not come. */
  stop(): void;
  /** The message is done: until then, another message with the same digest gets the same signature. */
  leave(): void;
};

/** For a signer that cannot be reached at all. */
const AT_ONCE_MS = 1_000;

/** A signer whose key is elsewhere, for one message: asked once for a digest, with its state under the node. */
export async function askCustodian(
  RED: NodeAPI,
  node: Node,
  { ref, digest, deadline, isPast = () => false }: ToSign,
): Promise<Asking> {
  // What was submitted before is found without it.
  const given = await ref.signer().catch(unreachable);
  const { signer, leave } = joinSigner(given, digest);
  const { custodian = "" } = ref;
  const { onState, stop } = signingStatus(RED, node, {
    custodian,
    deadline,
    timeoutMs: signer.timeoutMs,
    isPast,
  });
  return { signer, onSigningState: onState, stop, leave };
}

function unreachable(error: unknown): Signer {
  return { kind: "ecdsa", timeoutMs: AT_ONCE_MS, sign: () => Promise.reject(error) };
}
