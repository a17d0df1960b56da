import type {
  CrecClient,
  Operation,
  OperationChange,
  OperationStatus,
  Signer,
  Submitted,
  VerifyResult,
} from "../../src/index.ts";
import type { CallPreview } from "../lib/runtime/call-preview.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { climb, type Ladder } from "../lib/runtime/operation.ts";
import { type ProofCheck, UNBOUND, type Unproven } from "../lib/runtime/operation-proof.ts";

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
  onStatus: (status: string, verification: VerifyResult | Unproven | undefined) => void;
  /** Told when another operation has taken the place of the one asked for. */
  onFound: (executed: Submitted) => void;
  /** What its id was made from, where the message tells. */
  operationKey: string | undefined;
  /** The id that its owner signed, where the message tells it of this operation. */
  walletOperationId: (operationId: string) => string | undefined;
  proofCheck: () => Promise<ProofCheck | undefined>;
};

export type Answer = { payload: unknown; crec: Noted };
type Noted = { status?: string; verification?: VerifyResult | Unproven; [property: string]: unknown };

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
    const proofCheck = await task.proofCheck();
    const [operationId, digest, signer] = [
      await task.operationId(),
      await task.digest(),
      await task.signer(),
    ];
    const finalized = await client.operations.finalize(channelId, operationId, signer, { digest, signal });
    return until(task, finalized, { ladder, timeoutMs, proofCheck, signedId: finalized.wallet_operation_id });
  },

  cancel: async ({ client, channelId, signal, operationId }) =>
    about(await client.operations.cancel(channelId, await operationId(), { signal })),

  wait: async (task) => {
    const ladder = await task.ladder("confirmed_latest");
    const timeoutMs = task.timeoutMs();
    const proofCheck = await task.proofCheck();
    const { client, channelId, signal } = task;
    // One that is not there is an error at once, and nothing to wait for.
    const operation = await client.operations.get(channelId, await task.operationId(), { signal });
    const signedId = task.walletOperationId(operation.operation_id);
    return until(task, operation, { ladder, timeoutMs, proofCheck, signedId });
  },
};

type Wait = {
  ladder: Ladder;
  timeoutMs: number;
  proofCheck: ProofCheck | undefined;
  /** The id that its owner signed, where that is known. What the service shows may be of another operation. */
  signedId: string | undefined;
};

async function until(task: Task, operation: Operation, wait: Wait): Promise<Answer> {
  const { client, channelId, signal, operationKey, onStatus, onFound } = task;
  const { wallet_operation_id, address: wallet, chain_selector: chainSelector } = operation;
  const { proofCheck, signedId, ...bounds } = wait;
  const asked = { walletOperationId: signedId ?? wallet_operation_id, wallet, chainSelector };
  const verify = proofCheck?.(asked, channelId);
  const judged = (verification: VerifyResult | Unproven | undefined) =>
    signedId === undefined && verification?.verified ? UNBOUND : verification;
  const climbed = { client, channelId, operation, operationKey, ...bounds, signal, verify };
  const onRung = ({ status, verification }: OperationChange) => onStatus(status, judged(verification));
  const reached = await climb({ ...climbed, onRung, onFound });
  return about(reached.operation, { verification: judged(reached.verification) });
}

function about(operation: Operation, more: Record<string, unknown> = {}): Answer {
  return { payload: operation, crec: { status: operation.status, ...more } };
}
