import type { OperationChange, OperationStatus, Submitted } from "../../src/index.ts";
import type { Translate } from "../common/context.ts";
import { answer, type Task } from "../common/fields/input.ts";
import { executionOf, timeAt } from "../common/messages/after-failure.ts";
import { failureOf } from "../common/messages/failure.ts";
import { reach, statusStyle } from "../common/messages/operation.ts";
import { proofCheckOf, shownStatus, verificationOf } from "../common/messages/operation-proof.ts";
import { statusWord } from "../common/messages/service-words.ts";
import { type StatusText, showStatus } from "../common/status/status.ts";
import type { OperationReports } from "../common/telemetry/operation-reports.ts";
import type { Course, SubmitContext } from "./given.ts";
import { knownOf, type Sent } from "./operation-value.ts";

const SECOND_MS = 1_000;

type FollowingOptions = { course: Course; sent: Sent; target: OperationStatus; timeoutMs: number };

/** Follows what one node has sent, and tells each status. */
export class Following {
  readonly #context: SubmitContext;
  readonly #reports: OperationReports;

  constructor(context: SubmitContext, reports: OperationReports) {
    this.#context = context;
    this.#reports = reports;
  }

  /** The error leaves at once, and the look for an execution goes on behind it. */
  async lookOn(
    { msg, send, signal, keep, tell }: Task,
    { course, sent, timeoutMs, reported }: Omit<FollowingOptions, "target"> & { reported: unknown },
  ): Promise<void> {
    const { node, t } = this.#context;
    const { connection, client, isPast } = course;
    const { channelId, operation, walletOperationId, wallet, chainSelector } = sent;
    let { reportedAt } = sent;
    if (reported !== undefined) {
      reportedAt = timeAt(client);
      const about = { ...sent, isReported: true, reportedAt } satisfies Sent;
      await keep({ id: walletOperationId, connection, about, isLater: true });
    }
    tell(reported);
    const verify = (await proofCheckOf(connection))?.(
      { walletOperationId, wallet, chainSelector },
      channelId,
    );
    const change = await executionOf({
      ...{ client, channelId, operation, timeoutMs, reportedAt, verify, signal },
    });
    if (!change) return;
    const { status, reason } = change;
    const { operation_id: operationId } = operation;
    const known = { ...knownOf({ state: "sent", sent }), operationId, status };
    (course.report ?? this.#reports.begin(known)).executed(change);
    const words = { status: statusWord(t, status), id: operationId };
    node.warn(t("common.warning.executed-after-all", words));
    if (!isPast()) showStatus(node, "done", shownStatus(t, status, change.verification));
    const crec = { status, verification: verificationOf(change.verification), operationId };
    send(null, { ...answer(msg, { status, reason }, crec), topic: `operation.status/${status}` });
  }

  /** Until it has reached what the form waits for; later statuses go to the second output only. */
  async follow(
    { msg, send, signal, afterwards }: Task,
    { course, sent, target, timeoutMs }: FollowingOptions,
  ): Promise<void> {
    const { node, t } = this.#context;
    const { connection, client, isPast } = course;
    const { channelId, operation, walletOperationId, wallet, chainSelector, key: operationKey } = sent;
    let { found } = sent;
    const { operation_id: operationId, created_at: createdAt } = operation;
    const known = { ...knownOf({ state: "sent", sent }), operationId };
    const followed =
      course.report ?? this.#reports.begin({ ...known, status: operation.status, ...startedAt(createdAt) });
    course.report = followed;
    const show = ({ status, reason, verification }: OperationChange): void => {
      const said = reason
        ? { code: status, text: `${statusWord(t, status)}: ${failureOf(reason).reason}` }
        : asFound(t, shownStatus(t, status, verification), found);
      showStatus(node, statusStyle(target, status), said);
    };
    const report = (change: OperationChange): void => {
      const { status, reason, verification } = change;
      followed.seen(change);
      const crec = { status, verification: verificationOf(verification) };
      send(null, { ...answer(msg, { status, reason }, crec), topic: `operation.status/${status}` });
    };
    const onChange = (change: OperationChange): void => {
      show(change);
      report(change);
    };
    const onFound = (executed: Submitted): void => {
      const { operation_id: operationId } = executed.operation;
      found = true;
      // Another one of its key: its deadline says how long a failure is looked into.
      sent.operation = executed.operation;
      followed.sent(executed.operation);
      msg.crec = { ...msg.crec, operationId, digest: executed.digest, found: true };
    };
    const proofCheck = await proofCheckOf(connection);
    const verify = proofCheck?.({ walletOperationId, wallet, chainSelector }, channelId);
    const reached = await reach(
      this.#context,
      { client, service: connection.baseUrl, channelId, operation },
      { target, timeoutMs, signal, verify, operationKey, onChange, onFound },
    );
    followed.end("reached");
    const { status } = reached.operation;
    send(answer(msg, reached.operation, { status, verification: reached.verification }), null);
    if (!this.#context.fields.flag("follow")) return;
    // The later statuses go to the second output only.
    afterwards(async () => {
      for await (const change of reached.later) {
        // The node shows the status of its newest message.
        if (!isPast()) show(change);
        report(change);
      }
    });
  }
}

/** The status of an operation that may have existed before. */
export function asFound(t: Translate, { code, text }: StatusText, found: boolean): StatusText {
  return { code, text: found ? t("submit-operation.status.found", { status: text }) : text };
}

/** Not every service says it. Unix seconds. */
function startedAt(createdAt: number | undefined): { startedAt?: number } {
  return createdAt === undefined ? {} : { startedAt: createdAt * SECOND_MS };
}
