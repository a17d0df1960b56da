import { CrecError } from "../errors.ts";
import { CALL_OPTIONS, type CallOptions, callOptions, type Transport } from "../http/index.ts";
import { callable, flag, type Kinds, optional, options, text } from "../options/index.ts";
import { type Operation, PAGE_LIMITS } from "../protocol/index.ts";
import {
  type Signer,
  type SigningState,
  type SignOptions,
  signerKind,
  signRequestOf,
  signWith,
} from "../signing/index.ts";
import type { Events } from "./events.ts";
import { filterOf, type ListOperations } from "./lists/operation-list.ts";
import { type Listing, listing, listingOf } from "./lists/pages.ts";
import type { Networks } from "./networks.ts";
import { pathId } from "./requests/checks.ts";
import { OperationCalls, operationPath, operationsPath } from "./requests/operation-calls.ts";
import { findSubmitted, type Submitted } from "./requests/operation-find.ts";
import {
  type NewOperation,
  operationInput,
  operationRequest,
  type Prepared,
  prepareOperation,
} from "./requests/operation-request.ts";
import { submitOperation } from "./requests/operation-submit.ts";
import type { NamedOperation } from "./requests/search-filter.ts";
import { CHANGE, type ChangeOptions, notChanged } from "./waits/operation-change.ts";
import { type FollowOptions, followOperation, type OperationChange } from "./waits/operation-follow.ts";
import {
  type FollowUntilOptions,
  followUntil,
  type OperationWaitOptions,
  type ReachedOperation,
  waitForOperation,
} from "./waits/operation-reach.ts";

type SignedCallOptions = CallOptions & {
  /** Called at each new state of a signature that takes time: key services may wait for a person. */
  onSigningState?: ((state: SigningState) => void) | undefined;
  /**
   * Set when this operation may have been sent before, with the same id and deadline: then it is searched before the
   * signer is asked, so that no person is asked to approve what was submitted.
   * @default false; with an `operation_key` it is always searched
   */
  repeated?: boolean | undefined;
};

type SendOptions = SignedCallOptions & {
  /**
   * Called once it is signed, before it is submitted: what it awaits is waited for, and what it throws ends the call, with
   * nothing submitted. With it, operations that are signed at once can be submitted in an order.
   */
  beforeSubmit?: (() => Promise<void>) | undefined;
};

export type FinalizeOptions = SignedCallOptions &
  ChangeOptions & {
    /** The digest that `draft` returned. A draft with another one is not signed. */
    digest?: string | undefined;
  };

const SIGNED: Kinds<SignedCallOptions> = {
  ...CALL_OPTIONS,
  onSigningState: optional(callable()),
  repeated: optional(flag),
};

const sendOptions = options<SendOptions>({ ...SIGNED, beforeSubmit: optional(callable()) });
const finalizeOptions = options<FinalizeOptions>({ ...SIGNED, ...CHANGE, digest: optional(text) });
const changeOptions = options<ChangeOptions>(CHANGE);

/** The operations of a channel: lists of calls that a wallet executes, all or none. */
export class Operations {
  readonly #calls: OperationCalls;

  constructor(transport: Transport, events: Events, networks: Networks, searchesPerSecond: number) {
    this.#calls = new OperationCalls(transport, events, networks, searchesPerSecond);
  }

  /**
   * Signs an operation and submits it, once: after a lost answer it is searched by its wallet operation id before it is
   * sent again. To repeat the whole call safely, give id and deadline yourself, or an `operation_key`: then an
   * operation that exists under this key is returned as it is, even as a draft, and only one that failed, expired or
   * was cancelled is tried again.
   *
   * Where a person may have to approve, store id, deadline and calls first, and send them again with `repeated` after a
   * restart: then the signer is asked for the same digest, or not at all.
   * @throws {ArgumentError} with the path of the value; {CrecError} `OPERATION_ID_TAKEN`, `OPERATION_KEY_REUSED`,
   * `SIGNATURE_MISMATCH`; {SignerError} and nothing was submitted; {HttpError} as every call.
   * @example
   * const { operation, found } = await client.operations.send(
   *   channelId,
   *   {
   *     chain_selector: network,
   *     address: wallet.address,
   *     transactions: [{ to: counter, value: "0", data: encodeFunctionCall({ abi, function: "increment" }).data }],
   *     operation_key: "order 4711",
   *   },
   *   signer,
   * );
   */
  async send(
    channelId: string,
    operation: NewOperation,
    signer: Signer,
    options?: SendOptions,
  ): Promise<Submitted> {
    signerKind(signer, "signer");
    const sending = sendOptions(options);
    const prepared = await this.#prepare(channelId, operation, sending);
    const earlier = await this.#earlier(channelId, prepared, sending);
    if (earlier) return earlier;
    const signature = await signWith(signer, prepared, signOptions(sending), this.#calls.now());
    await sending.beforeSubmit?.();
    return this.#submit(channelId, { ...prepared, request: { ...prepared.request, signature } }, sending);
  }

  /**
   * Submits an operation without a signature, to be finalized or cancelled later. As safe to repeat as `send`.
   * @throws as `send`.
   * @example
   * const transactions = [{ to: counter, value: "0", data: "0xd09de08a" }];
   * const request = { chain_selector: network, address: wallet.address, transactions };
   * const { operation, digest } = await client.operations.draft(channelId, request);
   * operation.status; // → "pending_signature"
   * await client.operations.finalize(channelId, operation.operation_id, signer, { digest });
   */
  async draft(channelId: string, operation: NewOperation, options?: CallOptions): Promise<Submitted> {
    const call = callOptions(options);
    const prepared = await this.#prepare(channelId, operation, call);
    const earlier = await this.#earlier(channelId, prepared, call);
    return earlier ?? this.#submit(channelId, prepared, call);
  }

  /**
   * Signs a draft and submits its signature. Give the `digest` that `draft` returned: without it, the draft is signed as
   * the service shows it at this moment. The answer may be `expired` when its deadline has passed. With `repeated`, one
   * that is not a draft any more is returned as it is. A signer that takes time is asked only for a draft. After a lost
   * answer the draft is read, and the same signature is sent again, until 60 s before its deadline.
   * @throws {CrecError} `DIGEST_MISMATCH` when the draft has another digest, `SIGNATURE_MISMATCH`; {SignerError} and
   * nothing was submitted; {ConflictError} `OPERATION_NOT_FINALIZABLE`.
   */
  async finalize(
    channelId: string,
    operationId: string,
    signer: Signer,
    options?: FinalizeOptions,
  ): Promise<Operation> {
    signerKind(signer, "signer");
    const { repeated = false, digest, ...changing } = finalizeOptions(options);
    const draft = await this.get(channelId, operationId, changing);
    const chainId = await this.#calls.networks.chainIdOf(draft.chain_selector, changing);
    const prepared = signRequestOf(operationInput(draft), chainId);
    if (digest !== undefined && digest.toLowerCase() !== prepared.digest) {
      const message =
        "The digest of the draft is not the given one, so the draft was changed or is another. Nothing was signed. Check the draft, and who else can change it.";
      throw new CrecError("DIGEST_MISMATCH", message);
    }
    if (draft.status !== "pending_signature" && (repeated || signer.timeoutMs !== undefined)) {
      if (!repeated || draft.status === "cancelled") throw notChanged(draft, "finalized");
      return draft;
    }
    const signature = await signWith(signer, prepared, signOptions(changing), this.#calls.now());
    const change = { status: "accepted", signature, digest: prepared.digest } as const;
    const { wallet_operation_id, address, chain_selector } = draft;
    const finalized = await this.#calls.change(channelId, operationId, change, { ...changing, draft });
    // These were signed, whatever the answer says.
    return { ...finalized, wallet_operation_id, address, chain_selector };
  }

  /** Cancels a draft, as patiently as `finalize`. @throws {ConflictError} `OPERATION_NOT_CANCELLABLE`. */
  async cancel(channelId: string, operationId: string, options?: ChangeOptions): Promise<Operation> {
    return this.#calls.change(channelId, operationId, { status: "cancelled" }, changeOptions(options));
  }

  /** The operation as the service shows it now. @throws {NotFoundError} `OPERATION_NOT_FOUND`. */
  async get(channelId: string, operationId: string, options?: CallOptions): Promise<Operation> {
    return this.#calls.get(channelId, operationId, options);
  }

  /**
   * The operations of a channel.
   * @example
   * const { data } = await client.operations.list(channelId, { status: ["failed", "expired"] });
   */
  list(channelId: string, filter: ListOperations = {}, options?: CallOptions): Listing<Operation> {
    return listingOf(() =>
      listing({
        noun: "operation",
        filter: filterOf(filter, "filter"),
        limits: PAGE_LIMITS.operations,
        get: (query) => this.#calls.transport.get(operationsPath(channelId), query, options),
      }),
    );
  }

  /**
   * Waits until the operation has reached a status, or a stronger one. Some networks end at `confirmed_latest`.
   * Where the wallet refuses it because its id was executed before, the operation that was executed is waited for.
   * @throws {WaitError} `WAIT_TIMEOUT`, `OPERATION_FAILED`, `OPERATION_CANCELLED`, `OPERATION_EXPIRED`, with reason;
   * {CrecError} `OPERATION_EXECUTED_NOT_FOUND`, `OPERATION_ID_TAKEN`, `OPERATION_KEY_REUSED`.
   * @example
   * const { status } = await client.operations.waitFor(channelId, operation.operation_id, {
   *   target: "confirmed_latest",
   * });
   */
  async waitFor(channelId: string, operationId: string, options: OperationWaitOptions): Promise<Operation> {
    operationPath(channelId, operationId);
    const calls = {
      get: (id: string, signal: AbortSignal) => this.get(channelId, id, { signal }),
      events: (shown: Operation, signal: AbortSignal) =>
        this.#calls.statusEvents(channelId, shown, { signal }),
      reason: (shown: Operation, signal: AbortSignal) => this.#calls.reason(channelId, shown, signal),
      findExecuted: this.#calls.findExecuted(channelId),
      closing: this.#calls.transport.closing,
    };
    return waitForOperation(calls, operationId, options);
  }

  /**
   * Every status of an operation, the past ones first, until a terminal one. Given the operation itself instead of its
   * id, it saves the call that reads it. A wrong option is an error of the first status that is asked for.
   * @throws {WaitError} `WAIT_TIMEOUT`, `OPERATION_UNPROVEN`; {CrecError} as `waitFor`.
   * @example
   * for await (const { status, reason } of client.operations.follow(channelId, operation.operation_id)) {
   *   show(status, reason);
   * }
   */
  async *follow(
    channelId: string,
    operation: string | NamedOperation,
    options?: FollowOptions,
  ): AsyncGenerator<OperationChange, void> {
    operationsPath(channelId);
    const calls = {
      get: (id: string, call: CallOptions) => this.get(channelId, id, call),
      watch: () => this.#calls.watch(channelId),
      findExecuted: this.#calls.findExecuted(channelId),
      closing: this.#calls.transport.closing,
    };
    yield* followOperation(calls, operation, options);
  }

  /**
   * Follows an operation until it has reached a status, or a stronger one: what `waitFor` does, with each status by its
   * event, so that `verify` can check the proofs. `later` has the statuses after that.
   * @throws {WaitError} `OPERATION_FAILED`, `OPERATION_CANCELLED`, `OPERATION_EXPIRED`, with reason; what `follow` throws.
   * @example
   * const { operation: reached, later } = await client.operations.followUntil(channelId, operation, {
   *   target: "confirmed_latest",
   *   onChange: ({ status }) => show(status),
   * });
   * for await (const { status } of later) show(reached.operation_id, status);
   */
  async followUntil(
    channelId: string,
    operation: Operation,
    options: FollowUntilOptions,
  ): Promise<ReachedOperation> {
    operationsPath(channelId);
    const calls = {
      get: (id: string, call: CallOptions) => this.get(channelId, id, call),
      follow: (shown: Operation, following: FollowOptions) => this.follow(channelId, shown, following),
    };
    return followUntil(calls, operation, options);
  }

  /** All checks come first: nothing is signed or sent for an operation that cannot be submitted. */
  async #prepare(channelId: string, operation: NewOperation, options?: SignedCallOptions): Promise<Prepared> {
    pathId("channelId", channelId);
    const { serviceTime } = this.#calls.transport;
    const request = operationRequest(operation, { mayBeLate: options?.repeated, serviceTime });
    const chainId = await this.#calls.networks.chainIdOf(request.chain_selector, options);
    return prepareOperation(operation, request, chainId);
  }

  /** With a key, or where it is a repetition, an existing operation is searched before anything is signed or sent. */
  async #earlier(
    channelId: string,
    prepared: Prepared,
    { repeated = false, ...options }: SignedCallOptions = {},
  ): Promise<Submitted | undefined> {
    if (prepared.key === undefined && !repeated) return undefined;
    return findSubmitted(this.#calls.finding(channelId, options), prepared, { tried: repeated });
  }

  #submit(channelId: string, prepared: Prepared, options?: CallOptions): Promise<Submitted> {
    return submitOperation(this.#calls.submitting(channelId, prepared.request, options), prepared);
  }
}

function signOptions({ signal, onSigningState: onState }: SignedCallOptions): SignOptions {
  return { signal, onState };
}
