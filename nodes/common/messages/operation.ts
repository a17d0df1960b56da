import type {
  CrecClient,
  FollowUntilOptions,
  Operation,
  OperationChange,
  OperationStatus,
  VerifyResult,
  WaitError,
} from "../../../src/index.ts";
import { OPERATION_LIFECYCLE, progressTo } from "../../../src/protocol/index.ts";
import type { NodeRedContext } from "../context.ts";
import { type ContractRegistry, contractRegistry } from "../contracts/contract-registry.ts";
import { loadLibrary } from "../library.ts";
import { nodeError, toCodedError } from "../shared/errors.ts";
import type { StatusKind } from "../status/status.ts";
import { callsOf, explainFailure, failureSentence } from "./failure.ts";
import { explainReuse } from "./key-reused.ts";
import { type Unproven, verificationOf } from "./operation-proof.ts";

/**
 * By the codes of an operation that ended without being executed, as the service says: what to do next, under the same
 * key or without one. None of these statuses carries a proof, and only under a key is one operation executed at most.
 */
const ADVICE: Readonly<Record<string, { underKey: string; withoutKey: string }>> = {
  OPERATION_FAILED: {
    underKey: "Correct the cause, then send it again under the same key.",
    withoutKey: "Correct the cause, and check the chain before you send it again.",
  },
  OPERATION_CANCELLED: {
    underKey: "If it is still needed, send it again under the same key.",
    withoutKey: "If it is still needed, check the chain before you send it again.",
  },
  OPERATION_EXPIRED: {
    underKey: "Send it again under the same key, with a later deadline if it needs longer.",
    withoutKey: "Check the chain before you send it again, with a later deadline if it needs longer.",
  },
};

/** Clocks of two machines may differ by so much. */
const CLOCKS_DIFFER_S = 60;

const STATUS_STYLES = { waiting: "working", reached: "done", unreachable: "error" } as const;

/** How a node shows a status on the way to its target. */
export function statusStyle(target: OperationStatus, status: string): StatusKind {
  return STATUS_STYLES[progressTo(OPERATION_LIFECYCLE, target, status)];
}

/** Whether an error is about an operation that was not executed, as the service reports without a proof. */
export function isReport(error: unknown, operation: Operation): boolean {
  const { code } = toCodedError(error);
  return ADVICE[code] !== undefined && !isCancelledDraft(code, operation);
}

/** A person has decided against it, and nothing can execute what nobody has signed. */
function isCancelledDraft(code: string, { signature, status }: Operation): boolean {
  return (
    code === "OPERATION_CANCELLED" &&
    signature === null &&
    ["pending_signature", "cancelled"].includes(status)
  );
}

type Reached = {
  /** With the status that was reached, and `transactionHash` where it is known. */
  operation: Operation & { transactionHash?: string };
  verification: VerifyResult | Unproven;
  /** The statuses after that, as they arrive. */
  later: AsyncGenerator<OperationChange, void>;
};

/** Where an operation is followed. `service` is the base URL by which its tokens have told their decimals. */
type Followed = { client: CrecClient; service: string; channelId: string; operation: Operation };

/**
 * Waits until an operation has reached its target, as `operations.followUntil` does.
 * @throws OPERATION_FAILED, OPERATION_CANCELLED, OPERATION_EXPIRED with advice what to do; the errors of `followUntil`.
 */
export async function reach(
  context: NodeRedContext,
  { client, service, channelId, operation }: Followed,
  options: FollowUntilOptions,
): Promise<Reached> {
  const { WaitError } = await loadLibrary();
  try {
    const reached = await client.operations.followUntil(channelId, operation, options);
    const { transactionHash, verification } = reached.change;
    return {
      operation: { ...reached.operation, ...(transactionHash ? { transactionHash } : {}) },
      verification: verificationOf(verification),
      later: reached.later,
    };
  } catch (error) {
    if (!(error instanceof WaitError) || ADVICE[error.code] === undefined)
      throw await explainReuse(context, error, service);
    throw await notExecuted(
      contractRegistry(context.RED),
      error,
      { service, operation },
      options.operationKey,
    );
  }
}

/** The reason first, then what it means and its values; the id last. */
async function notExecuted(
  registry: ContractRegistry,
  error: WaitError,
  { service, operation }: Pick<Followed, "service" | "operation">,
  key: string | undefined,
): Promise<Error> {
  const { code, id, lastStatus, reason } = error;
  const failure = reason ? await explainFailure(registry, reason, callsOf(operation), service) : undefined;
  const isDraft = isCancelledDraft(code, operation);
  const meaning = `${isDraft ? "The" : "The service reports that the"} operation was not executed`;
  const what = failureSentence(lastStatus ?? "failed", failure, meaning);
  // Such an operation has released its key.
  const next = ADVICE[code]?.[key === undefined ? "withoutKey" : "underKey"];
  const advice = isDraft ? "Create a new one if it is still needed." : next;
  return nodeError(code, `${what}${earlyWords(code, operation)} ${advice} Operation ${id}.`);
}

/** An operation that expires long before its deadline shows that the clocks differ. */
function earlyWords(code: string, { deadline = 0 }: Operation): string {
  const leftS = Math.round(deadline - Date.now() / 1000);
  if (code !== "OPERATION_EXPIRED" || leftS <= CLOCKS_DIFFER_S) return "";
  return ` Its deadline is in ${leftS} s by the clock of this machine: check that clock.`;
}
