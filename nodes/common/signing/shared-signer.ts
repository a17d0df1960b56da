import type { Signer, SigningState } from "../../../src/index.ts";
import { processWide } from "../process-wide.ts";
import { nodeError } from "../shared/errors.ts";

/** A signature that several messages may wait for. */
type Signature = {
  signer: Signer;
  messages: number;
  result: ReturnType<Signer["sign"]> | undefined;
  isSigned: boolean;
  /** The newest state, for a message that comes later. */
  state: SigningState | undefined;
  listeners: Set<(state: SigningState) => void>;
  ending: AbortController;
};

/** By digest, in lower case. */
const signatures = processWide("signatures", () => new Map<string, Signature>());

export type SharedSigner = {
  signer: Signer;
  /** Whether the signature is there. */
  isSigned(): boolean;
  /** The message is done with it. The request ends when no message waits for it any more. */
  leave(): void;
};

/**
 * The same signer, but asked once for a digest, however many messages wait for it at the same time: a message that
 * arrives again gets the signature of the first. It is kept until the last of them leaves. Nothing with another digest is
 * signed: a service that names another chain than before would get the same calls signed for both.
 */
export function shareSigner(signer: Signer, given: string): SharedSigner {
  const digest = given.toLowerCase();
  const known = signatures.get(digest);
  const signature = known?.signer === signer ? known : newSignature(signer);
  signatures.set(digest, signature);
  signature.messages += 1;
  let hasLeft = false;
  const { kind, address, publicKey, timeoutMs } = signer;
  return {
    signer: {
      kind,
      ...(address === undefined ? {} : { address }),
      ...(publicKey === undefined ? {} : { publicKey }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      sign: async (request, { onState } = {}) => {
        if (request.digest.toLowerCase() !== digest) throw otherDigest();
        return signed(signature, request, onState);
      },
    },
    isSigned: () => signature.isSigned,
    leave: () => {
      if (hasLeft) return;
      hasLeft = true;
      signature.messages -= 1;
      if (signature.messages > 0) return;
      signature.ending.abort();
      if (signatures.get(digest) === signature) signatures.delete(digest);
    },
  };
}

function newSignature(signer: Signer): Signature {
  return {
    ...{ signer, messages: 0, result: undefined, isSigned: false, state: undefined },
    ...{ listeners: new Set(), ending: new AbortController() },
  };
}

/** After an error the next message asks again. */
async function signed(
  signature: Signature,
  request: Parameters<Signer["sign"]>[0],
  onState: ((state: SigningState) => void) | undefined,
): ReturnType<Signer["sign"]> {
  const { signer, listeners, ending } = signature;
  if (onState) listeners.add(onState);
  if (signature.result === undefined) {
    const tell = (state: SigningState): void => {
      signature.state = state;
      for (const listener of listeners) listener(state);
    };
    const result = signer.sign(request, { signal: ending.signal, onState: tell });
    signature.result = result;
    result.then(
      () => {
        signature.isSigned = true;
      },
      () => {
        if (signature.result === result) signature.result = undefined;
      },
    );
  } else if (signature.state) onState?.(signature.state);
  try {
    return await signature.result;
  } finally {
    if (onState) listeners.delete(onState);
  }
}

function otherDigest(): Error {
  return nodeError(
    "DIGEST_MISMATCH",
    "The operation has another digest than the one that is being signed: it was changed, or the service names another chain id for its network now. Nothing was signed. Check the network at the service, then send the message again.",
  );
}
