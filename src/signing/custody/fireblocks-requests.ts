import { createHash } from "node:crypto";
import { CrecError } from "../../errors.ts";
import { reading } from "../../options/index.ts";
import type { Address, Hex } from "../../protocol/index.ts";
import { POLLS } from "../../retry/policies.ts";
import { pollFor } from "../../retry/poll.ts";
import type { OperationTypedData } from "../operation.ts";
import type { SignOptions, SignRequest } from "../signer.ts";
import { badAnswer, type CustodianAnswer, fieldAt, refusalOf } from "./custodian-answers.ts";
import { recoveredSignature } from "./custody-signer.ts";
import { ALGORITHM, FIREBLOCKS, type FireblocksApi, type FireblocksSource } from "./fireblocks-api.ts";
import {
  type FireblocksTransaction,
  failureOf,
  isSigned,
  signatureIn,
  stateOf,
  transactionOf,
} from "./fireblocks-transaction.ts";
import { SignerError } from "./signer-error.ts";

type FireblocksRequestsOptions = {
  source: FireblocksSource;
  address: Address;
  /** Of the key that signs, where it is known. */
  derivationPath: readonly number[] | undefined;
  sends: "digest" | "typed-data";
  note: string;
  pollMs: number;
  timeoutMs: number;
};

/** A request to sign that exists, and which of the requests for this digest it is. */
type Found = {
  transaction: FireblocksTransaction;
  attempt: number;
  /** Just made: the answer has no signature yet, whatever its state. */
  isNew?: boolean;
};

/** The error code of an external id that was used before. */
const USED_BEFORE = 1438;
/** How often an external id that was used, or may be, is looked for: it may not be visible at once. */
const LOOKS = 5;
/** So many failed requests for one digest are passed over at a time. */
const MOST_FAILED = 50;
const LONGEST_PAUSE = 10;
/** An outage of this length, while people decide, does not end the wait. */
const OUTAGE_MS = 2 * 60_000;
const NOTE_LENGTH = 500;
const REMEMBERED = 10_000;

/**
 * Requests to sign. Each has an external id made from the digest and the key, which Fireblocks accepts only once:
 * after a lost answer or a restart the same request is found again, and people are never asked twice. A request that
 * failed keeps its id. So a failure is told to the caller first; only the next call for the same digest asks again, with
 * the next number in the id. The API's idempotency key is not used: it cannot be repeated after an internal error, and
 * ends after a day.
 */
export class FireblocksRequests {
  readonly #api: FireblocksApi;
  readonly #options: FireblocksRequestsOptions;
  /** By digest, the number of the next request, after a failure that a caller was told. */
  readonly #next = new Map<Hex, number>();

  constructor(api: FireblocksApi, options: FireblocksRequestsOptions) {
    this.#api = api;
    this.#options = options;
  }

  /** @throws {SignerError} */
  async sign(request: SignRequest, options: SignOptions): Promise<Hex> {
    const found = await this.#ask(request, options);
    const transaction = await this.#decided(found, options);
    const failure = failureOf(transaction);
    if (failure) {
      this.#told(request.digest, found.attempt);
      throw failure;
    }
    const { sends, derivationPath, address } = this.#options;
    const content = sends === "digest" ? contentOf(request.digest) : undefined;
    const signature = recoveredSignature(
      signatureIn(transaction, { content, derivationPath }),
      request.digest,
      address,
    );
    if (signature === undefined) throw mismatch(address, transaction.shown.id);
    return signature;
  }

  /** A new request, or the last one that exists. */
  async #ask(request: SignRequest, options: SignOptions): Promise<Found> {
    const attempt = this.#next.get(request.digest) ?? 1;
    const body = reading("request.typedData", () => this.#body(request, attempt));
    const waiting = { ...options, withinMs: this.#options.timeoutMs };
    const post = { method: "POST", path: "/v1/transactions", body, ...waiting } as const;
    const answer = await this.#api.call(post).catch((error: Error) => error);
    if (answer instanceof Error) return this.#lost(request, attempt, answer, options.signal);
    const transaction = transactionOf(answer);
    if (isSuccess(answer) && transaction) return { transaction, attempt, isNew: true };
    if (isSuccess(answer)) throw badAnswer(FIREBLOCKS, "transaction", answer);
    const found = await this.#usedBefore(request, attempt, answer, options.signal);
    if (found === undefined) throw refusalOf(FIREBLOCKS, answer);
    return found;
  }

  /** The last request for a digest, if the external id of this one was used before. */
  async #usedBefore(
    { digest }: SignRequest,
    attempt: number,
    { status, json, text }: CustodianAnswer,
    signal: AbortSignal | undefined,
  ): Promise<Found | undefined> {
    if (status !== 400 && status !== 409) return undefined;
    const isUsed = fieldAt(json, "code") === USED_BEFORE || /external/i.test(text);
    return this.#last(digest, attempt, isUsed ? LOOKS : 1, signal);
  }

  /** A request whose answer was lost, if it exists: it is looked for, and not made again. @throws `error` */
  async #lost(
    { digest }: SignRequest,
    attempt: number,
    error: Error,
    signal: AbortSignal | undefined,
  ): Promise<Found> {
    if (!(error instanceof SignerError) || !error.isAsked) throw error;
    const found = await this.#last(digest, attempt, LOOKS, signal).catch((thrown: unknown) => {
      throw thrown instanceof SignerError ? error : thrown;
    });
    if (found === undefined) throw error;
    return found;
  }

  /** The last request for a digest from this one on. */
  async #last(
    digest: Hex,
    attempt: number,
    looks: number,
    signal: AbortSignal | undefined,
  ): Promise<Found | undefined> {
    let transaction = await this.#find(digest, attempt, signal);
    for (let look = 1; transaction === undefined && look < looks; look++) {
      await this.#api.pause(this.#options.pollMs, signal);
      transaction = await this.#find(digest, attempt, signal);
    }
    let last = attempt;
    while (transaction && failureOf(transaction) && last - attempt < MOST_FAILED) {
      const next = await this.#find(digest, last + 1, signal);
      if (next === undefined) break;
      transaction = next;
      last += 1;
    }
    return transaction && { transaction, attempt: last };
  }

  async #find(
    digest: Hex,
    attempt: number,
    signal: AbortSignal | undefined,
  ): Promise<FireblocksTransaction | undefined> {
    const path = `/v1/transactions/external_tx_id/${this.#externalTxId(digest, attempt)}`;
    const answer = await this.#api.call({ method: "GET", path, signal });
    return this.#shown(answer);
  }

  /** Waits until a request is signed or has failed. */
  async #decided(
    { transaction: first, isNew = false }: Found,
    { signal, onState }: SignOptions,
  ): Promise<FireblocksTransaction> {
    const { pollMs } = this.#options;
    let transaction = first;
    let shown = "";
    let seenAt = performance.now();
    const show = () => {
      const state = stateOf(transaction);
      if (state.state !== shown) onState?.(state);
      shown = state.state;
      if (failureOf(transaction)) return transaction;
      return isSigned(transaction) && !(isNew && transaction === first) ? transaction : undefined;
    };
    const pause = async (ms: number) => {
      await this.#api.pause(ms, signal);
      try {
        const path = `/v1/transactions/${encodeURIComponent(first.id)}`;
        const answer = await this.#api.call({ method: "GET", path, signal });
        transaction = this.#shown(answer) ?? transaction;
        seenAt = performance.now();
      } catch (error) {
        const isOutage = error instanceof SignerError && error.retryable;
        if (!isOutage || performance.now() - seenAt > OUTAGE_MS) throw error;
      }
    };
    const policy = { ...POLLS.decision, min: pollMs, max: pollMs * LONGEST_PAUSE };
    return pollFor({ policy, look: async () => show(), pause });
  }

  /** Undefined where it does not exist, or is not visible yet. */
  #shown(answer: CustodianAnswer): FireblocksTransaction | undefined {
    if (answer.status === 404) return undefined;
    if (!isSuccess(answer)) throw refusalOf(FIREBLOCKS, answer);
    const transaction = transactionOf(answer);
    if (transaction === undefined) throw badAnswer(FIREBLOCKS, "transaction", answer);
    return transaction;
  }

  #told(digest: Hex, attempt: number): void {
    const [oldest] = this.#next.keys();
    if (oldest !== undefined && this.#next.size >= REMEMBERED) this.#next.delete(oldest);
    this.#next.set(digest, attempt + 1);
  }

  #body({ digest, typedData }: SignRequest, attempt: number): string {
    const { source, sends, note } = this.#options;
    const isByAsset = "vaultAccountId" in source;
    const message =
      sends === "digest" ? { content: contentOf(digest) } : { content: typedData, type: "EIP712" };
    return JSON.stringify({
      operation: sends === "digest" ? "RAW" : "TYPED_MESSAGE",
      ...(isByAsset
        ? { source: { type: "VAULT_ACCOUNT", id: source.vaultAccountId }, assetId: source.assetId }
        : {}),
      extraParameters: {
        rawMessageData: isByAsset
          ? { messages: [message] }
          : { messages: [{ ...message, derivationPath: source.derivationPath }], algorithm: ALGORITHM },
      },
      externalTxId: this.#externalTxId(digest, attempt),
      note: `${note === "" ? "" : `${note} · `}${operationNote(typedData)}`.slice(0, NOTE_LENGTH),
    });
  }

  #externalTxId(digest: Hex, attempt: number): string {
    const { source, sends } = this.#options;
    const key = "vaultAccountId" in source ? [source.vaultAccountId, source.assetId] : source.derivationPath;
    const text = ["external id of a signature", sends, ...key, digest.toLowerCase()].join("\0");
    const id = `crec-${createHash("sha256").update(text).digest("hex")}`;
    return attempt === 1 ? id : `${id}-${attempt}`;
  }
}

function mismatch(address: Address, id: string): CrecError {
  const message = `The signature of transaction ${id} in ${FIREBLOCKS} is not one of this operation by ${address}. Nothing was submitted. Check the vault account and the asset, or the derivation path, in the signer.`;
  return new CrecError("SIGNATURE_MISMATCH", message);
}

function contentOf(digest: Hex): string {
  return digest.slice(2).toLowerCase();
}

function isSuccess({ status }: CustodianAnswer): boolean {
  return status >= 200 && status < 300;
}

const CALLS_SHOWN = 3;
/** The last second that a date can show. */
const LAST_DATE_S = 8.64e12;

/** What is signed, in one line for the people who approve it where only the digest is sent. */
export function operationNote({ domain, message }: OperationTypedData): string {
  const { id, account, deadline, transactions } = message;
  const calls = transactions.slice(0, CALLS_SHOWN).map(({ to, value, data }) => {
    const amount = value === "0" ? "" : ` with ${value} wei`;
    return data === "0x" ? `send to ${to}${amount}` : `call ${data.slice(0, 10)} of ${to}${amount}`;
  });
  const left = transactions.length - calls.length;
  const more = left > 0 ? [`${left} more`] : [];
  return `Operation ${id} of wallet ${account} on chain ${domain.chainId}, ${until(deadline)}: ${[...calls, ...more].join("; ")}`;
}

function until(deadline: string): string {
  const seconds = Number(deadline);
  if (seconds === 0) return "without a deadline";
  if (seconds > LAST_DATE_S) return `until ${deadline}`;
  return `until ${new Date(seconds * 1000).toISOString().replace(".000", "")}`;
}
