import type { Node } from "node-red";
import type { Operation, OperationChange, VerifyResult } from "../../../src/index.ts";
import { failureOf } from "../messages/failure.ts";
import { toCodedError } from "../shared/errors.ts";
import { activity } from "./activity.ts";
import { originOf } from "./origin.ts";
import { serviceText, serviceTexts } from "./service-texts.ts";
import type { OperationReport } from "./types.ts";

/** What identifies an operation, as far as a node knows it. */
export type KnownOperation = Pick<OperationReport, "channelId"> &
  Partial<
    Pick<OperationReport, "operationId" | "walletOperationId" | "wallet" | "chainSelector" | "startedAt">
  > & {
    status: string;
  };

/** A status with the result of its check, as a node has it. */
type StatusSeen = Pick<OperationChange, "status"> & {
  reason?: string | undefined;
  verification?: Pick<VerifyResult, "verified"> & { reason?: string };
};

/** A kept wait is resumed soon after the deploy: after this time, no node continues it. */
const RESUMED_WITHIN_MS = 120_000;
const LONGEST_REASON = 120;
/** `refused(0x…, 5)`, and what follows it. */
const VALUES = /(?<=\w)\(.*$/s;
const HEX = /\b0x[0-9a-f]{8,}/gi;
/** It was not executed, or not as it was meant. */
const FAILED_STATUSES = new Set(["failed", "cancelled", "expired"]);
/** Codes of operations that ended without being executed; their reason comes with the status. */
const NOT_EXECUTED = new Set(["OPERATION_FAILED", "OPERATION_CANCELLED", "OPERATION_EXPIRED"]);
const SIGNING = "signing";
/** Codes after which it is not known whether the service has the operation: no answer to its call may have arrived. */
const UNANSWERED = new Set([
  ...["TIMEOUT", "SERVICE_UNREACHABLE", "TLS_ERROR", "SERVICE_ERROR", "BAD_RESPONSE", "RESPONSE_TOO_LARGE"],
  ...["RATE_LIMITED", "OPERATION_ALREADY_EXISTS", "OPERATION_EXECUTED_NOT_FOUND"],
]);

/** The operations of one node. When it is closed, those that no node continues are reported as interrupted. */
export class OperationReports {
  readonly #node: Node;
  /** By key: the same message may begin twice, once it is signed. */
  readonly #open = new Map<string, FollowedOperation>();

  /** `resumes`: whether a deploy keeps the waits of the node. */
  constructor(node: Node, resumes: () => boolean) {
    this.#node = node;
    node.on("close", (removed: boolean, done: () => void) => {
      const isKept = !removed && resumes();
      for (const operation of this.#open.values()) operation.leave(isKept);
      this.#open.clear();
      done();
    });
  }

  /** From now on the node works on this operation. A node that did so before does not report about it any longer. */
  begin(known: KnownOperation): FollowedOperation {
    const { channelId, walletOperationId, operationId = "", status, startedAt: begunAt, ...others } = known;
    const key = `${channelId}/${walletOperationId ?? operationId}`.toLowerCase();
    const startedAt = reportOf(key)?.startedAt ?? begunAt ?? Date.now();
    const report: OperationReport = {
      ...originOf(this.#node),
      ...serviceTexts({ walletOperationId, ...others, ...(operationId ? { operationId } : {}) }),
      ...{ channelId, status: serviceText(status) },
      ...{ key, outcome: "waiting", startedAt, changedAt: Date.now() },
    };
    const operation: FollowedOperation = new FollowedOperation(report, () => {
      if (this.#open.get(key) === operation) this.#open.delete(key);
    });
    this.#open.set(key, operation);
    return operation;
  }
}

/** An operation that a node works on. */
export class FollowedOperation {
  #report: OperationReport;
  readonly #onEnd: () => void;

  constructor(report: OperationReport, onEnd: () => void) {
    this.#report = report;
    this.#onEnd = onEnd;
    this.#note(report, reportOf(report.key));
  }

  /** It is sent. */
  sent({ operation_id: operationId, status }: Operation): void {
    this.#change({ operationId, status: serviceText(status) });
  }

  /** Its next status. Also after its wait is over. */
  seen({ status, reason, verification }: StatusSeen): void {
    const { isProven: _before, reason: _former, ...report } = this.#report;
    const isChecked =
      verification !== undefined && !["unproven", "not_verifiable"].includes(verification.reason ?? "");
    const proven = isChecked ? { isProven: verification.verified } : {};
    const isUndone = report.outcome === "reached" && FAILED_STATUSES.has(status);
    const outcome = isUndone ? "failed" : report.outcome;
    this.#replace({ ...report, status: serviceText(status), outcome, ...reasonOf(reason), ...proven });
  }

  /** It was executed, although the service had reported that it was not. */
  executed(change: StatusSeen): void {
    this.#onEnd();
    this.seen(change);
    this.#change({ outcome: "reached", isExecutedAfterAll: true });
  }

  /** The wait is over: what it waited for has come, or a person has to act. */
  end(outcome: "reached" | "draft"): void {
    this.#onEnd();
    this.#change({ outcome });
  }

  /** An error ended it, unless a close did, or another message that continues it. */
  fail(thrown: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#onEnd();
    const { code } = toCodedError(thrown);
    const { status, reason } = this.#report;
    const isNotSent = status === SIGNING && !UNANSWERED.has(code);
    const isOver = NOT_EXECUTED.has(code) || isNotSent;
    this.#change({
      outcome: isOver ? "failed" : "interrupted",
      reason: (NOT_EXECUTED.has(code) && reason) || code,
    });
  }

  /** Its node is closed. */
  leave(isKept: boolean): void {
    const left = this.#report;
    const interrupt = () => {
      if (activity.underWay.get(left.key) === left) this.#change({ outcome: "interrupted" });
    };
    if (isKept) setTimeout(interrupt, RESUMED_WITHIN_MS).unref();
    else interrupt();
  }

  #change(changes: Partial<OperationReport>): void {
    this.#replace({ ...this.#report, ...changes });
  }

  /** Where another node works on it by now, that one reports. */
  #replace(report: OperationReport): void {
    const current = reportOf(report.key);
    if (current !== undefined && current !== this.#report) return;
    // Its own last report: one that ended some time ago is no longer listed.
    const before = this.#report;
    this.#report = { ...report, changedAt: Date.now() };
    this.#note(this.#report, before);
  }

  #note(operation: OperationReport, before: OperationReport | undefined): void {
    activity.note({ kind: "operation", operation, before });
  }
}

function reportOf(key: string): OperationReport | undefined {
  return activity.underWay.get(key) ?? activity.ended.get(key);
}

/** Without the values of a contract's error, which may be about persons: the status of the node has them. */
function reasonOf(text: unknown): { reason?: string } {
  if (typeof text !== "string") return {};
  const reason = failureOf(text).reason.replace(VALUES, "").replace(HEX, "0x…").trim();
  return reason === "" ? {} : { reason: reason.slice(0, LONGEST_REASON) };
}
