import { CrecError } from "../errors.ts";
import { bounded } from "../http/index.ts";
import type { Hex } from "../protocol/index.ts";
import { LONGEST_TIMER_MS } from "../timing/index.ts";
import { SignerError } from "./custody/signer-error.ts";
import type { OperationInput } from "./operation.ts";
import { operationDigest, operationPreimage, operationTypedData } from "./operation.ts";
import { isRsaSignature, requireRsaSignature } from "./rsa.ts";
import { canonicalSignature, recoverSigner } from "./signature.ts";
import type { Signer, SigningState, SignOptions, SignRequest } from "./signer.ts";

/**
 * Signs with a signer, and verifies the signature: otherwise a wrong one would only be refused on chain, much later. An
 * ECDSA signature is returned in the one form that wallets take. For a signer with a time-out, it waits until that
 * time-out, and at most until the operation's deadline: a later signature could not be used. `now`: Unix milliseconds, by
 * the clock that decides on the deadline.
 * @throws {CrecError} `SIGNATURE_MISMATCH`; {SignerError} `SIGNER_TIMEOUT`; {ArgumentError} `INVALID_SIGNATURE`; any
 * error of the signer.
 */
export async function signWith(
  signer: Signer,
  request: SignRequest,
  options: SignOptions = {},
  now: number = Date.now(),
): Promise<Hex> {
  const { kind, address, publicKey } = signer;
  const made = await inTime(signer, request, options, now);
  if (kind === "rsa") {
    requireRsaSignature(made);
    if (publicKey && !isRsaSignature(publicKey, request.digest, made)) throw mismatch("the signer's RSA key");
    return made;
  }
  const signature = canonicalSignature(made);
  if (address && recoverSigner(request.digest, signature).toLowerCase() !== address.toLowerCase()) {
    throw mismatch(address);
  }
  return signature;
}

async function inTime(
  signer: Signer,
  request: SignRequest,
  { signal, onState }: SignOptions,
  now: number,
): Promise<Hex> {
  const { timeoutMs } = signer;
  // A key in this process takes no time, and the service says best why an operation is too late.
  const deadline = timeoutMs === undefined ? 0 : Number(request.typedData.message.deadline);
  const untilDeadline = deadline === 0 ? LONGEST_TIMER_MS : deadline * 1000 - now;
  const limit = Math.min(timeoutMs ?? LONGEST_TIMER_MS, LONGEST_TIMER_MS);
  const isByDeadline = untilDeadline < limit;
  if (untilDeadline <= 0) throw late(isByDeadline);
  let last: SigningState | undefined;
  const noteState = (state: SigningState) => {
    last = state;
    onState?.(state);
  };
  const bounds = {
    timeoutMs: Math.min(limit, untilDeadline),
    onTimeout: () => late(isByDeadline, last),
    signals: [signal],
  };
  return bounded(bounds, async (within) => signer.sign(request, { signal: within, onState: noteState }));
}

function late(isByDeadline: boolean, last?: SigningState): SignerError {
  const who = last?.isForPerson ? "Ask the person who approves" : "Check the key service";
  const sentence = isByDeadline
    ? "No signature before the operation's deadline. Nothing was submitted. Choose a later deadline, or have it signed sooner."
    : `No signature within the signer's time-out. Nothing was submitted. ${who}, or set a longer time-out in the signer.`;
  const message = last ? `${sentence} The key service still says ${last.state}.` : sentence;
  return new SignerError("SIGNER_TIMEOUT", message, { state: last?.state });
}

function mismatch(expected: string): CrecError {
  const message = `The signature was not made by ${expected}. Check which key the signer uses. Nothing was sent.`;
  return new CrecError("SIGNATURE_MISMATCH", message);
}

/**
 * What a signer is given to sign an operation.
 * @throws ArgumentError as `operationTypedData`.
 * @example
 * const input = { id: "1", account: wallet.address, deadline: 0, transactions: [{ to: counter, value: "0", data: "0x" }] };
 * await signer.sign(signRequestOf(input, "31337"));
 */
export function signRequestOf(operation: OperationInput, chainId: string | number | bigint): SignRequest {
  return {
    digest: operationDigest(operation, chainId),
    preimage: operationPreimage(operation, chainId),
    typedData: operationTypedData(operation, chainId),
  };
}
