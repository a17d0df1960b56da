import type { CallOptions, Transport } from "../../http/index.ts";
import type { ChannelEvent, Operation } from "../../protocol/index.ts";
import { signRequestOf } from "../../signing/index.ts";
import type { Events } from "../events.ts";
import type { Networks } from "../networks.ts";
import { type ChangeOptions, changeDraft, type DraftChange } from "../waits/operation-change.ts";
import { findExecuted, type RepeatedFind } from "../waits/operation-executed.ts";
import type { FindExecuted } from "../waits/operation-follow.ts";
import { SharedWaits, type Watch } from "../waits/shared-waits.ts";
import { type StatusEvents, shownStatusReason } from "../waits/status-events.ts";
import { pathId, resourceOf } from "./checks.ts";
import type { FindCalls, Submitted } from "./operation-find.ts";
import { isKeyOf, type OperationRequest, operationInput } from "./operation-request.ts";
import type { SubmitCalls } from "./operation-submit.ts";
import { type NamedOperation, operationEvents } from "./search-filter.ts";

/** The calls about the operations of a channel, from which sending, following and waiting are made. */
export class OperationCalls {
  readonly transport: Transport;
  readonly networks: Networks;
  readonly #events: Events;
  readonly #waits: SharedWaits;

  constructor(transport: Transport, events: Events, networks: Networks, searchesPerSecond: number) {
    this.transport = transport;
    this.networks = networks;
    this.#events = events;
    this.#waits = new SharedWaits(transport, searchesPerSecond);
  }

  async get(channelId: string, operationId: string, options?: CallOptions): Promise<Operation> {
    const path = operationPath(channelId, operationId);
    return resourceOf(await this.transport.get(path, {}, options), "operation_id", operationId);
  }

  /** Changes a draft: see `changeDraft`. */
  async change(
    channelId: string,
    operationId: string,
    change: DraftChange,
    { draft, patienceMs = this.transport.timeoutMs, ...options }: ChangeOptions & { draft?: Operation } = {},
  ): Promise<Operation> {
    const path = operationPath(channelId, operationId);
    const calls = {
      patch: async () => {
        const answer = await this.transport.patch(path, change, options);
        return resourceOf<Operation>(answer, "operation_id", operationId);
      },
      get: () => this.get(channelId, operationId, options),
      signals: [options.signal, this.transport.closing],
      now: () => this.now(),
    };
    return changeDraft(calls, change, { draft, patienceMs });
  }

  /** What deadlines are compared with: the time of the service where it is known. Unix milliseconds. */
  now(): number {
    return this.transport.serviceTime ?? Date.now();
  }

  statusEvents(channelId: string, operation: NamedOperation, options: CallOptions): Promise<ChannelEvent[]> {
    return this.#waits.read(channelId, operation, options);
  }

  /** Reads the status events of one operation after the other, for a wait that may share its searches. */
  watch(channelId: string): Watch {
    return this.#waits.watch(channelId);
  }

  /** Why an operation has its status, as soon as the event that says so is shown. */
  reason(channelId: string, operation: Operation, signal: AbortSignal): Promise<string | undefined> {
    const which = statusEventsOf(channelId, operation);
    return shownStatusReason(this.#events, which, [operation.status], signal);
  }

  finding(channelId: string, options?: CallOptions): FindCalls {
    return {
      get: (operationId) => this.get(channelId, operationId, options),
      search: (filter) => this.#events.search(channelId, filter, options),
    };
  }

  submitting(channelId: string, request: OperationRequest, options: CallOptions = {}): SubmitCalls {
    return {
      ...this.finding(channelId, options),
      post: () => this.transport.post<Partial<Operation>>(operationsPath(channelId), request, options),
      repeatedFind: this.#repeatedFind(channelId, options),
      signal: options.signal,
      closing: this.transport.closing,
    };
  }

  /** Finds the operation that was executed in place of one that the wallet refused. */
  findExecuted(channelId: string): FindExecuted {
    return async (refusedId, { operationKey, signal, timeoutMs }): Promise<Submitted> => {
      const refused = await this.get(channelId, refusedId, { signal });
      const { chain_selector, address, wallet_operation_id, deadline, transactions } = refused;
      const request = { chain_selector, address, wallet_operation_id, deadline, transactions };
      const chainId = await this.networks.chainIdOf(chain_selector, { signal });
      const key = isKeyOf(request, operationKey) ? operationKey : undefined;
      const signed = signRequestOf(operationInput(refused), chainId);
      const prepared = { ...signed, request, chainId, key, isRepeatable: true };
      return findExecuted(this.#repeatedFind(channelId, { signal, timeoutMs }), prepared, refusedId);
    };
  }

  #repeatedFind(channelId: string, options: CallOptions): RepeatedFind {
    return {
      calls: (signal) => this.finding(channelId, { ...options, signal }),
      timeoutMs: options.timeoutMs ?? this.transport.timeoutMs,
      signals: [options.signal, this.transport.closing],
    };
  }
}

export function operationsPath(channelId: string): string {
  return `/channels/${pathId("channelId", channelId)}/operations`;
}

export function operationPath(channelId: string, operationId: string): string {
  return `${operationsPath(channelId)}/${pathId("operationId", operationId)}`;
}

function statusEventsOf(channelId: string, operation: NamedOperation): StatusEvents {
  return { channelId, filter: operationEvents(operation) };
}
