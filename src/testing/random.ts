import { randomBytes } from "node:crypto";
import type { Hex } from "../protocol/index.ts";
import type { WorkflowRun } from "./oracle-round.ts";

/** So many random bytes. */
export function randomHex(bytes: number): Hex {
  return `0x${randomBytes(bytes).toString("hex")}`;
}

/** The id of a workflow that does not exist. */
export function newWorkflow(): string {
  return randomBytes(32).toString("hex");
}

/** Another run of a workflow. */
export function newRun(workflow_id = newWorkflow()): WorkflowRun {
  return { workflow_id, workflow_execution_id: newWorkflow() };
}
