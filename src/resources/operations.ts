import { CrecError } from "../errors.ts";
import { type CallOptions, ConflictError, type Transport } from "../http/index.ts";
import {
  OPERATION_LIFECYCLE,
  type Open,
  type Operation,
  type OperationStatus,
  PAGE_LIMITS,
} from "../protocol/index.ts";
import { type Signer, signWith, walletOperationIdOf } from "../signing/index.ts";
import { resourceOf } from "./answers.ts";
import { pathId } from "./checks.ts";
import { isAnswerLost } from "./create-or-find.ts";
import type { Events } from "./events.ts";
import type { Networks } from "./networks.ts";
import { findExecuted, type LookOn, saysExecuted } from "./operation-executed.ts";
import { findSubmitted, type LookCalls, type Submitted } from "./operation-find.ts";
import {
  type FindExecuted,
  type FollowCalls,
  type FollowOptions,
  followOperation,
  type IfExecuted,
  type OperationChange,
} from "./operation-follow.ts";
import {
  digestOf,
  type NewOperation,
  type OperationRequest,
  operationRequest,
  type Prepared,
  prepareOperation,
  signingInput,
} from "./operation-request.ts";
import { submitOperation } from "./operation-submit.ts";
import { type Listing, listing } from "./pages.ts";
import { type NamedOperation, operationEvents } from "./search-by-id.ts";
import { readStatusEvents, type StatusEvents, shownStatusReason } from "./status-events.ts";
import { WaitError, type WaitOptions, waitForStatus } from "./wait.ts";

export type ListOperations = {
  status?: ReadonlyArray<Open<OperationStatus>> | undefined;
  chain_selector?: string | undefined;
  chain_environment?: Open<"mainnet" | "testnet"> | undefined;
  address?: string | undefined;
  wallet_id?: string | undefined;
  initiator_subject_type?: string | undefined;
  initiator_subject_id?: string | undefined;
  signer_subject_type?: string | undefined;
  signer_subject_id?: string | undefined;
  canceller_subject_type?: string | undefined;
  canceller_subject_id?: string | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
};

export type FinalizeOptions = CallOptions & {
  /** What the draft must be signed as, as `draft` gave it. */
  digest?: string | undefined;
};

export type OperationWaitOptions = WaitOptions<OperationStatus, Operation> & IfExecuted;

export class Operations {
  readonly #transport: Transport;
  readonly #events: Events;
  readonly #networks: Networks;

  constructor(transport: Transport, events: Events, networks: Networks) {
    this.#transport = transport;
    this.#events = events;
    this.#networks = networks;
  }

  /**
   * Signs an operation and hands it in to be executed, once: after a lost answer it is looked for by its
   * wallet operation id before it is sent again. To repeat the whole call safely give id and deadline yourself, or
   * an `operation_key`: then what is there under this key is found and answered as it is, even as a draft, and
   * only one that failed, expired or was cancelled is tried again.
   * @throws {ArgumentError} with the path of the value; {CrecError} `OPERATION_ID_TAKEN`, `OPERATION_KEY_REUSED`,
   * `SIGNATURE_MISMATCH`; {HttpError} as every call.
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
    options?: CallOptions,
  ): Promise<Submitted> {
    const prepared = await this.#prepare(channelId, operation, options);
    const earlier = await this.#earlier(channelId, prepared, options);
    if (earlier) return earlier;
    const signature = await signWith(signer, prepared);
    return this.#submit(channelId, { ...prepared, request: { ...prepared.request, signature } }, options);
  }

  /**
   * Hands an operation in without a signature, to be finalized or cancelled later. As safe to lose as `send`.
   * @example
   * const transactions = [{ to: counter, value: "0", data: "0xd09de08a" }];
   * const request = { chain_selector: network, address: wallet.address, transactions };
   * const { operation, digest } = await client.operations.draft(channelId, request);
   * operation.status; // → "pending_signature"
   * await client.operations.finalize(channelId, operation.operation_id, signer, { digest });
   */
  async draft(channelId: string, operation: NewOperation, options?: CallOptions): Promise<Submitted> {
    const prepared = await this.#prepare(channelId, operation, options);
    const earlier = await this.#earlier(channelId, prepared, options);
    return earlier ?? this.#submit(channelId, prepared, options);
  }

  /**
   * Signs a draft and hands it in. Give the `digest` that `draft` gave: without it, whatever the service
   * shows as the draft at this moment is signed. The answer may be `expired` when its deadline has passed.
   * @throws {CrecError} `DIGEST_MISMATCH` when the draft is not what `digest` stands for, `SIGNATURE_MISMATCH`;
   * {ConflictError} `OPERATION_NOT_FINALIZABLE`.
   */
  async finalize(
    channelId: string,
    operationId: string,
    signer: Signer,
    options: FinalizeOptions = {},
  ): Promise<Operation> {
    const draft = await this.get(channelId, operationId, options);
    const chainId = await this.#networks.chainIdOf(draft.chain_selector, options);
    const prepared = digestOf(signingInput(draft), chainId);
    if (options.digest !== undefined && options.digest.toLowerCase() !== prepared.digest) {
      const message =
        "The draft does not hold what was to be signed: its digest is another one. Nothing was signed. Look at the draft, and at who else may change it.";
      throw new CrecError("DIGEST_MISMATCH", message);
    }
    const signature = await signWith(signer, prepared);
    const change = { status: "accepted", signature, digest: prepared.digest };
    const { wallet_operation_id, address, chain_selector } = draft;
    const finalized = await this.#change(channelId, operationId, change, options);
    // What was signed is this, whatever the answer says.
    return { ...finalized, wallet_operation_id, address, chain_selector };
  }

  /** Gives a draft up. @throws {ConflictError} `OPERATION_NOT_CANCELLABLE`. */
  async cancel(channelId: string, operationId: string, options?: CallOptions): Promise<Operation> {
    return this.#change(channelId, operationId, { status: "cancelled" }, options);
  }

  async get(channelId: string, operationId: string, options?: CallOptions): Promise<Operation> {
    const path = operationPath(channelId, operationId);
    return resourceOf(await this.#transport.get(path, {}, options), "operation_id", operationId);
  }

  /**
   * @example
   * const { data } = await client.operations.list(channelId, { status: ["failed", "expired"] });
   */
  list(channelId: string, filter: ListOperations = {}, options?: CallOptions): Listing<Operation> {
    return listing({
      noun: "operation",
      filter,
      limits: PAGE_LIMITS.operations,
      get: (query) => this.#transport.get(operationsPath(channelId), query, options),
    });
  }

  /**
   * Waits until the operation has reached a rung of its ladder, or a higher one. Some networks end at `confirmed_latest`.
   * Where the wallet refuses it because its id was executed before, the operation that was executed is waited for.
   * @throws {WaitError} `WAIT_TIMEOUT`, `OPERATION_FAILED`, `OPERATION_CANCELLED`, `OPERATION_EXPIRED`, with reason;
   * {CrecError} `OPERATION_EXECUTED_NOT_FOUND`, `OPERATION_ID_TAKEN`, `OPERATION_KEY_REUSED`.
   * @example
   * const { status } = await client.operations.waitFor(channelId, operation.operation_id, {
   *   target: "confirmed_latest",
   * });
   */
  async waitFor(channelId: string, operationId: string, options: OperationWaitOptions): Promise<Operation> {
    const { operationKey, signal, onFound } = options;
    const deadline = performance.now() + (options.timeoutMs ?? 300_000);
    const left = () => Math.max(1, deadline - performance.now());
    let id = operationId;
    for (let { timeoutMs } = options; ; timeoutMs = left()) {
      try {
        return await this.#waitForOne(channelId, id, { ...options, timeoutMs });
      } catch (error) {
        if (!isRefusedAsExecuted(error)) throw error;
        const how = { operationKey, signal, timeoutMs: left() };
        const executed = await this.#findExecuted(channelId, id, how);
        await onFound?.(executed);
        id = executed.operation.operation_id;
      }
    }
  }

  /**
   * Every status of an operation, the past ones first, until a terminal one. Given the operation itself in place of
   * its id, it need not be asked for first.
   * @example
   * for await (const { status, reason } of client.operations.follow(channelId, operation.operation_id)) {
   *   show(status, reason);
   * }
   */
  follow(
    channelId: string,
    operation: string | NamedOperation,
    options: FollowOptions = {},
  ): AsyncGenerator<OperationChange, void> {
    const calls: FollowCalls = {
      get: (operationId, call) => this.get(channelId, operationId, call),
      events: (named, call, until) =>
        readStatusEvents(this.#events, { channelId, filter: operationEvents(named) }, call, until),
      findExecuted: (id, how) => this.#findExecuted(channelId, id, how),
      closing: this.#transport.closing,
    };
    return followOperation(calls, operation, options);
  }

  #waitForOne(channelId: string, operationId: string, options: OperationWaitOptions): Promise<Operation> {
    const eventsOf = (operation: Operation): StatusEvents => ({
      channelId,
      filter: operationEvents(operation),
    });
    return waitForStatus(
      {
        noun: "operation",
        id: operationId,
        lifecycle: OPERATION_LIFECYCLE,
        setbacks: ["failed", "cancelled", "expired"],
        look: (signal) => this.get(channelId, operationId, { signal }),
        events: (operation, signal) => readStatusEvents(this.#events, eventsOf(operation), { signal }),
        reason: (operation, signal) =>
          shownStatusReason(this.#events, eventsOf(operation), [operation.status], signal),
        closing: this.#transport.closing,
      },
      options,
    );
  }

  /** The operation that was executed in place of one that the wallet refused. */
  async #findExecuted(
    channelId: string,
    refusedId: string,
    { operationKey, signal, timeoutMs }: Parameters<FindExecuted>[1],
  ): Promise<Submitted> {
    const refused = await this.get(channelId, refusedId, { signal });
    const { chain_selector, address, wallet_operation_id, deadline, transactions } = refused;
    const request = { chain_selector, address, wallet_operation_id, deadline, transactions };
    const chainId = await this.#networks.chainIdOf(chain_selector, { signal });
    const key = belongs(operationKey, request) ? operationKey : undefined;
    const prepared = {
      ...digestOf(signingInput(refused), chainId),
      request,
      chainId,
      key,
      isRepeatable: true,
    };
    return findExecuted(this.#lookOn(channelId, { signal, timeoutMs }), prepared, refusedId);
  }

  /** All checks come first, so that nobody is asked to sign, and nothing is sent, for what cannot be handed in. */
  async #prepare(channelId: string, operation: NewOperation, options?: CallOptions): Promise<Prepared> {
    pathId("channelId", channelId);
    const request = operationRequest(operation);
    return prepareOperation(
      operation,
      request,
      await this.#networks.chainIdOf(request.chain_selector, options),
    );
  }

  /** With a key, what is there already is looked for before anything is signed or sent. */
  async #earlier(
    channelId: string,
    prepared: Prepared,
    options?: CallOptions,
  ): Promise<Submitted | undefined> {
    if (prepared.key === undefined) return undefined;
    return findSubmitted(this.#lookCalls(channelId, options), prepared);
  }

  #submit(channelId: string, prepared: Prepared, options: CallOptions = {}): Promise<Submitted> {
    const calls = {
      ...this.#lookCalls(channelId, options),
      post: () =>
        this.#transport.post<Partial<Operation>>(operationsPath(channelId), prepared.request, options),
      lookOn: this.#lookOn(channelId, options),
      signal: options.signal,
      closing: this.#transport.closing,
    };
    return submitOperation(calls, prepared);
  }

  #lookOn(channelId: string, options: CallOptions): LookOn {
    return {
      look: (signal) => this.#lookCalls(channelId, { ...options, signal }),
      timeoutMs: options.timeoutMs ?? this.#transport.timeoutMs,
      signals: [options.signal, this.#transport.closing],
    };
  }

  #lookCalls(channelId: string, options?: CallOptions): LookCalls {
    return {
      get: (operationId) => this.get(channelId, operationId, options),
      search: (filter) => this.#events.search(channelId, filter, options),
    };
  }

  /** Changes a draft. After a lost answer the operation itself tells whether the change was made. */
  async #change(
    channelId: string,
    operationId: string,
    change: { status: string },
    options?: CallOptions,
  ): Promise<Operation> {
    const path = operationPath(channelId, operationId);
    try {
      return resourceOf(await this.#transport.patch(path, change, options), "operation_id", operationId);
    } catch (error) {
      if (!isAnswerLost(error)) throw error;
      const operation = await this.get(channelId, operationId, options);
      if (operation.status === "pending_signature") throw error;
      if ((operation.status === "cancelled") !== (change.status === "cancelled")) throw notChanged(operation);
      return operation;
    }
  }
}

function operationsPath(channelId: string): string {
  return `/channels/${pathId("channelId", channelId)}/operations`;
}

function operationPath(channelId: string, operationId: string): string {
  return `${operationsPath(channelId)}/${pathId("operationId", operationId)}`;
}

/** A message may carry the key of another operation. */
function belongs(key: string | undefined, request: OperationRequest): boolean {
  const { chain_selector: chainSelector, address, wallet_operation_id } = request;
  return (
    key !== undefined && walletOperationIdOf(key, { chainSelector, address }) === String(wallet_operation_id)
  );
}

/** Failed, and the reason is that the wallet has executed its id before. */
function isRefusedAsExecuted(error: unknown): boolean {
  if (!(error instanceof WaitError && error.code === "OPERATION_FAILED")) return false;
  const { wallet_operation_id } = error.resource as Operation;
  return saysExecuted(error.reason ?? "", wallet_operation_id);
}

/** Somebody else has finalized what was to be cancelled, or the other way round. */
function notChanged({ status }: Operation): ConflictError {
  const [code, change] =
    status === "cancelled"
      ? ["OPERATION_NOT_FINALIZABLE", "finalized"]
      : ["OPERATION_NOT_CANCELLABLE", "cancelled"];
  return new ConflictError(
    code,
    `The operation is ${status} by now, so it cannot be ${change} any more. Look at it before you go on.`,
  );
}
