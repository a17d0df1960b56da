import type { CrecClient, Operation, OperationStatus, Signer, Submitted } from "../../src/index.ts";
import type { CallPreview } from "../lib/call-preview.ts";
import { loadLibrary } from "../lib/library.ts";
import { climb, type Ladder } from "../lib/operation.ts";

/** What an action works with; what asks the form or the message is only called by actions that need it. */
export type Task = {
  client: CrecClient;
  channelId: string;
  signal: AbortSignal;
  operationId: () => Promise<string>;
  signer: () => Promise<Signer>;
  /** Its calls, for a person to judge. */
  preview: (operation: Operation) => Promise<CallPreview[]>;
  /** What must be signed; undefined where anything may be. */
  digest: () => Promise<string | undefined>;
  /** The rung to wait for, or else the one that is usual for the action. */
  ladder: (usual: OperationStatus) => Promise<Ladder>;
  timeoutMs: () => number;
  statuses: readonly OperationStatus[];
  /** At most this many of a list. */
  most: () => number;
  onStatus: (status: string) => void;
  /** Told when another operation has taken the place of the one asked for. */
  onFound: (executed: Submitted) => void;
  /** What its id was made from, where the message tells. */
  operationKey: string | undefined;
};

export type Answer = { payload: unknown; crec: Record<string, unknown> };

const PAGE = 100;

export const ACTIONS: Readonly<Record<string, (task: Task) => Promise<Answer>>> = {
  get: async ({ client, channelId, signal, operationId, preview }) => {
    const operation = await client.operations.get(channelId, await operationId(), { signal });
    const { operationDigest } = await loadLibrary();
    const { wallet_operation_id: id, address: account, deadline, transactions, chain_selector } = operation;
    const chainId = await client.networks.chainIdOf(chain_selector, { signal });
    // Of what is shown, whatever the service says: who approves, approves this.
    const digest = operationDigest({ id, account, deadline, transactions }, chainId);
    return about(operation, { walletOperationId: id, digest, preview: await preview(operation) });
  },

  list: async ({ client, channelId, signal, statuses, most }) => {
    const limit = most();
    const filter = { limit: Math.min(limit, PAGE), ...(statuses.length > 0 ? { status: statuses } : {}) };
    const payload: Operation[] = [];
    for await (const operation of client.operations.list(channelId, filter, { signal })) {
      payload.push(operation);
      if (payload.length === limit) break;
    }
    return { payload, crec: {} };
  },

  finalize: async (task) => {
    const { client, channelId, signal } = task;
    // Whatever is wrong in the form is said before anything is signed.
    const ladder = await task.ladder("accepted");
    const timeoutMs = task.timeoutMs();
    const [operationId, digest, signer] = [
      await task.operationId(),
      await task.digest(),
      await task.signer(),
    ];
    const finalized = await client.operations.finalize(channelId, operationId, signer, { digest, signal });
    return until(task, finalized, ladder, timeoutMs);
  },

  cancel: async ({ client, channelId, signal, operationId }) =>
    about(await client.operations.cancel(channelId, await operationId(), { signal })),

  wait: async (task) => {
    const ladder = await task.ladder("confirmed_latest");
    const timeoutMs = task.timeoutMs();
    const { client, channelId, signal } = task;
    // One that is not there is an error at once, and nothing to wait for.
    const operation = await client.operations.get(channelId, await task.operationId(), { signal });
    return until(task, operation, ladder, timeoutMs);
  },
};

async function until(task: Task, operation: Operation, ladder: Ladder, timeoutMs: number): Promise<Answer> {
  const { client, channelId, signal, operationKey, onFound } = task;
  const onRung = ({ status }: { status: string }) => task.onStatus(status);
  const climbed = { client, channelId, operation, operationKey, ladder, timeoutMs, signal };
  return about((await climb({ ...climbed, onRung, onFound })).operation);
}

function about(operation: Operation, more: Record<string, unknown> = {}): Answer {
  return { payload: operation, crec: { status: operation.status, ...more } };
}
