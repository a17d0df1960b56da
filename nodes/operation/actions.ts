import type { NodeAPI } from "node-red";
import type {
  CrecClient,
  Operation,
  OperationChange,
  OperationStatus,
  Submitted,
  VerifyResult,
} from "../../src/index.ts";
import { nodeRedContext } from "../common/context.ts";
import type { CallPreview } from "../common/contracts/call-preview.ts";
import type { SignerRef } from "../common/fields/config-nodes.ts";
import { loadLibrary } from "../common/library.ts";
import type { Reported } from "../common/messages/after-failure.ts";
import { isReport, reach } from "../common/messages/operation.ts";
import { type ProofCheck, UNBOUND, type Unproven } from "../common/messages/operation-proof.ts";
import type { Asking } from "../common/signing/ask-custodian.ts";
import type { FollowedOperation, KnownOperation } from "../common/telemetry/operation-reports.ts";

/** The input of an action. An action reads only those fields of the form and the message that it needs. */
export type Task = {
  RED: NodeAPI;
  client: CrecClient;
  /** The base URL of the connection. */
  service: string;
  channelId: string;
  signal: AbortSignal;
  operationId: () => Promise<string>;
  signer: () => SignerRef;
  /** Keeps the wait for a signature that takes time, and asks for it. */
  ask: (unsigned: KeptUnsigned) => Promise<Asking>;
  /** Its calls, readable for the person who approves it. */
  preview: (operation: Operation) => Promise<CallPreview[]>;
  /** Of recipients that are most likely a mistake, and of proxies that were upgraded since. */
  warnOf: (operation: Operation) => void;
  /** Of what may be signed; undefined allows any draft. */
  digest: () => Promise<string | undefined>;
  /** The status to wait for, or else the action's default. */
  target: (byDefault: OperationStatus) => OperationStatus;
  timeoutMs: () => number;
  statuses: readonly OperationStatus[];
  /** Of the operations that are listed. */
  limit: () => number;
  onStatus: (status: string, verification: VerifyResult | Unproven | undefined) => void;
  /** Called when another operation has replaced the given one. */
  onFound: (executed: Submitted) => void;
  /** The key from which its id was made, where the message has it. */
  operationKey: string | undefined;
  /** The id that its owner signed, where the message has it for this operation. */
  walletOperationId: (operationId: string) => string | undefined;
  proofCheck: () => Promise<ProofCheck | undefined>;
  /** Reports from now on how the operation goes. */
  begin: (known: KnownOperation) => FollowedOperation;
  /** Keeps the wait, so that it is resumed after a deploy. */
  keep: (wait: KeptWait) => Promise<void>;
  /** The error leaves at once, and the look for an execution goes on behind it. */
  lookOn: (reported: Reporting) => Promise<void>;
};

/** An operation that was not executed, as the service reports. */
type Reporting = {
  /** Undefined where it left before a deploy. */
  error?: unknown;
  wait: KeptWait;
  report?: FollowedOperation;
} & Pick<Reported, "timeoutMs" | "verify">;

/** What is kept of a draft that waits for its signature, before anyone is asked. */
export type KeptUnsigned = {
  channelId: string;
  operationId: string;
  walletOperationId: string;
  digest: string;
  deadline: number;
  byDefault: OperationStatus;
};

/** What is kept of a wait. */
export type KeptWait = {
  channelId: string;
  operation: Operation;
  byDefault: OperationStatus;
  /** The id that its owner signed, where that is known. The service may show the id of another operation. */
  signedId: string | undefined;
  /** Whether the service has reported that it was not executed, and the error has left. */
  isReported?: true;
  /** When it has, by the time of the service. */
  reportedAt?: number;
};

type Answer = { payload: unknown; crec: Details };
type Details = { status?: string; verification?: VerifyResult | Unproven; [property: string]: unknown };

const PAGE = 100;

/** Undefined where the error has left. */
export const ACTIONS: Readonly<Record<string, (task: Task) => Promise<Answer | undefined>>> = {
  get: async (task) => {
    const { client, channelId, signal, operationId, preview } = task;
    const operation = await client.operations.get(channelId, await operationId(), { signal });
    const digest = await digestOf(task, operation);
    const { wallet_operation_id: walletOperationId } = operation;
    return about(operation, { walletOperationId, digest, preview: await preview(operation) });
  },

  list: async ({ client, channelId, signal, statuses, limit: limitOf }) => {
    const limit = limitOf();
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
    // Every error in the form is reported before anything is signed.
    const byDefault = "accepted";
    const target = task.target(byDefault);
    const timeoutMs = task.timeoutMs();
    const proofCheck = await task.proofCheck();
    const [operationId, digest] = [await task.operationId(), await task.digest()];
    if (task.signer().custodian !== undefined) {
      const draft = await client.operations.get(channelId, operationId, { signal });
      task.warnOf(draft);
      const { wallet_operation_id: walletOperationId, deadline } = draft;
      const found = digest ?? (await digestOf(task, draft));
      const unsigned = {
        channelId,
        operationId,
        walletOperationId,
        digest: found,
        deadline,
        byDefault,
      } as const;
      return finalizeElsewhere(task, unsigned, { target, timeoutMs, proofCheck });
    }
    const signer = await task.signer().signer();
    const finalized = await client.operations.finalize(channelId, operationId, signer, {
      ...{ digest, signal, patienceMs: timeoutMs },
    });
    task.warnOf(finalized);
    const signedId = finalized.wallet_operation_id;
    return until(task, finalized, { target, timeoutMs, proofCheck, signedId, byDefault });
  },

  cancel: async (task) => {
    const { client, channelId, signal, operationId } = task;
    const options = { signal, patienceMs: task.timeoutMs() };
    const cancelled = await client.operations.cancel(channelId, await operationId(), options);
    task.begin(knownOf(channelId, cancelled)).end("reached");
    return about(cancelled);
  },

  wait: async (task) => {
    const byDefault = "confirmed_latest";
    const target = task.target(byDefault);
    const timeoutMs = task.timeoutMs();
    const proofCheck = await task.proofCheck();
    const { client, channelId, signal } = task;
    // A missing operation is an error immediately.
    const operation = await client.operations.get(channelId, await task.operationId(), { signal });
    const signedId = task.walletOperationId(operation.operation_id);
    return until(task, operation, { target, timeoutMs, proofCheck, signedId, byDefault });
  },
};

/** Continues a wait, whatever the node's action is now. */
export async function resume(task: Task, kept: KeptWait | KeptUnsigned): Promise<Answer | undefined> {
  const { byDefault } = kept;
  const [target, timeoutMs, proofCheck] = [task.target(byDefault), task.timeoutMs(), await task.proofCheck()];
  if (!("operation" in kept)) {
    return finalizeElsewhere(task, kept, { target, timeoutMs, proofCheck });
  }
  const { operation, signedId, isReported } = kept;
  if (isReported) {
    const verify = await verifyOf(task, operation, { proofCheck, signedId });
    await task.lookOn({ wait: kept, timeoutMs, verify });
    return undefined;
  }
  return until(task, operation, { target, timeoutMs, proofCheck, signedId, byDefault });
}

type Finalizing = Pick<Wait, "target" | "timeoutMs" | "proofCheck">;

/** By a key service: what it is asked for is stored before. */
async function finalizeElsewhere(
  task: Task,
  unsigned: KeptUnsigned,
  wait: Finalizing,
): Promise<Answer | undefined> {
  const { client, channelId, signal } = task;
  const { operationId, digest, walletOperationId: signedId, byDefault } = unsigned;
  const asking = await task.ask(unsigned);
  const report = task.begin({ channelId, operationId, walletOperationId: signedId, status: "signing" });
  const finalizing = asking.run((signer, onSigningState, isAgain) => {
    const options = { digest, signal, onSigningState, repeated: isAgain, patienceMs: wait.timeoutMs };
    return client.operations.finalize(channelId, operationId, signer, options);
  });
  const finalized = await finalizing.catch((error: unknown) => failed(report, error, signal));
  return until(task, finalized, { ...wait, signedId, byDefault });
}

/** Computed here, not taken from the service: a person approves what is shown. */
async function digestOf({ client, signal }: Task, operation: Operation): Promise<string> {
  const { operationDigest, operationInput } = await loadLibrary();
  const chainId = await client.networks.chainIdOf(operation.chain_selector, { signal });
  return operationDigest(operationInput(operation), chainId);
}

type Wait = {
  target: OperationStatus;
  timeoutMs: number;
  proofCheck: ProofCheck | undefined;
  signedId: string | undefined;
  byDefault: OperationStatus;
};

/** The proof is checked against the id that was signed, where that is known. */
async function verifyOf(
  { channelId }: Task,
  operation: Operation,
  { proofCheck, signedId }: Pick<Wait, "proofCheck" | "signedId">,
) {
  const { requestedOperation } = await loadLibrary();
  const asked = requestedOperation(operation);
  return proofCheck?.({ ...asked, walletOperationId: signedId ?? asked.walletOperationId }, channelId);
}

async function until(task: Task, operation: Operation, wait: Wait): Promise<Answer | undefined> {
  const { client, service, channelId, signal, operationKey, onStatus, onFound } = task;
  const { proofCheck, signedId, byDefault, ...waiting } = wait;
  const kept: KeptWait = { channelId, operation, byDefault, signedId };
  await task.keep(kept);
  const verify = await verifyOf(task, operation, { proofCheck, signedId });
  const judged = (verification: VerifyResult | Unproven | undefined) =>
    signedId === undefined && verification?.verified ? UNBOUND : verification;
  const report = task.begin(knownOf(channelId, operation));
  const onChange = (change: OperationChange) => {
    const verification = judged(change.verification);
    onStatus(change.status, verification);
    const { verification: _unbound, ...seen } = change;
    report.seen({ ...seen, ...(verification ? { verification } : {}) });
  };
  const reaching = reach(
    nodeRedContext(task.RED),
    { client, service, channelId, operation },
    {
      ...{ ...waiting, signal, operationKey, verify, onChange },
      onFound: (executed) => {
        report.sent(executed.operation);
        onFound(executed);
      },
    },
  );
  const reached = await reaching.catch(async (error: unknown) => {
    report.fail(error, signal);
    if (signal.aborted || !isReport(error, operation)) throw error;
    await task.lookOn({ error, wait: kept, report, timeoutMs: wait.timeoutMs, verify });
  });
  if (!reached) return undefined;
  report.end("reached");
  return about(reached.operation, { verification: judged(reached.verification), ...upgradesIn(operation) });
}

/** The proxies that were upgraded between draft and signature, as the local service tells. */
function upgradesIn({ transactions }: Operation): { upgraded?: object[] } {
  const upgraded = transactions.flatMap(({ to, implementation: from, upgraded_to: implementation }) =>
    implementation === undefined ? [] : [{ to, from, implementation }],
  );
  return upgraded.length > 0 ? { upgraded } : {};
}

function failed(report: FollowedOperation, error: unknown, signal: AbortSignal): never {
  report.fail(error, signal);
  throw error;
}

export function knownOf(channelId: string, operation: Operation): KnownOperation {
  const { operation_id: operationId, wallet_operation_id: walletOperationId, status } = operation;
  const { address: wallet, chain_selector: chainSelector } = operation;
  return { channelId, operationId, walletOperationId, wallet, chainSelector, status };
}

function about(operation: Operation, more: Record<string, unknown> = {}): Answer {
  return { payload: operation, crec: { status: operation.status, ...more } };
}
