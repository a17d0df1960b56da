import { createHash } from "node:crypto";
import type { OperationStatus } from "../../../src/protocol/index.ts";
import type { WorkflowRun } from "../../../src/testing/oracle-round.ts";
import type { StoredOperation } from "../store/operations.ts";
import type { StoredQuery } from "../store/queries.ts";
import type { StoredWatcher } from "../store/watchers.ts";

const QUERIES = digest("workflow of queries");
const OPERATION_WRITER = digest("workflow that writes operations");
const OPERATION_STATUS = digest("workflow that reports operations");

/** Statuses that come before the workflow has anything to report from the chain. */
const NOT_REPORTED: readonly OperationStatus[] = ["sending", "sent"];

/** Each watcher has a workflow of its own, from the moment on in which it is provisioned. */
export function workflowOfWatcher({
  watcher_id,
  fromBlock,
}: Pick<StoredWatcher, "watcher_id" | "fromBlock">): { workflow_id?: string } {
  return fromBlock === undefined ? {} : { workflow_id: watcherWorkflow(watcher_id) };
}

/** Of the report about a log; `trigger` is what of the log it tells. */
export function runOfWatcher(
  { watcher_id }: Pick<StoredWatcher, "watcher_id">,
  trigger: string,
): WorkflowRun {
  return run(watcherWorkflow(watcher_id), trigger);
}

function watcherWorkflow(watcherId: string): string {
  return digest(`workflow of watcher ${watcherId}`);
}

/** Of a query, once it has been dispatched. */
export function runOfQuery({ query_id }: Pick<StoredQuery, "query_id">): WorkflowRun {
  return run(QUERIES, query_id);
}

/** Of the report that an operation has a status. */
export function runOfStatus(operationId: string, status: OperationStatus): WorkflowRun {
  return run(OPERATION_STATUS, `${operationId} ${status}`);
}

/** The runs that an operation has seen so far: the one that sent it, and the last that reported it. */
export function runsOfOperation(operation: StoredOperation): Record<string, string> {
  const { operation_id, status, relayStatus } = operation;
  if (relayStatus === undefined) return {};
  const writer = run(OPERATION_WRITER, operation_id);
  const written = {
    operation_writer_workflow_id: writer.workflow_id,
    operation_writer_workflow_execution_id: writer.workflow_execution_id,
  };
  // That an operation expired on its way is not in any report.
  const last = status === "failed" ? status : relayStatus;
  if (NOT_REPORTED.includes(last)) return written;
  const reporter = runOfStatus(operation_id, last);
  return {
    ...written,
    operation_status_workflow_id: reporter.workflow_id,
    operation_status_workflow_execution_id: reporter.workflow_execution_id,
  };
}

/** Known from what it is about: it need not be stored, and is the same after a restart. */
function run(workflowId: string, trigger: string): WorkflowRun {
  return { workflow_id: workflowId, workflow_execution_id: digest(`${workflowId} ${trigger}`) };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
