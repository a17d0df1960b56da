import type { Node, NodeAPI } from "node-red";
import type { OperationChange, OperationStatus, Submitted } from "../../src/index.ts";
import { registerDecisions } from "../common/approvals/open-drafts.ts";
import { nodeRedContext } from "../common/context.ts";
import { type Connection, channelOf, walletOf } from "../common/fields/config-nodes.ts";
import { type FieldReader, formContext } from "../common/fields/field-reader.ts";
import { answer, onInput, type Task } from "../common/fields/input.ts";
import { executionOf, timeAt } from "../common/messages/after-failure.ts";
import { clientFor } from "../common/messages/created.ts";
import { failureOf } from "../common/messages/failure.ts";
import { refuseTest } from "../common/messages/message.ts";
import { isReport, reach, statusStyle } from "../common/messages/operation.ts";
import { proofCheckOf, shownStatus, verificationOf } from "../common/messages/operation-proof.ts";
import { statusWord } from "../common/messages/service-words.ts";
import { showStatus, statusText } from "../common/status/status.ts";
import { requireSameService, type StoredTask } from "../common/tasks/durable-task.ts";
import type { Reserve, Reserved } from "../common/tasks/reserved-places.ts";
import { OperationReports } from "../common/telemetry/operation-reports.ts";
import { registerCallDecimals } from "./admin/call-decimals.ts";
import { registerOperationPreview } from "./admin/preview.ts";
import type { KeptDraft } from "./approving.ts";
import { NODE, type SubmitOperationDef } from "./fields.ts";
import { placeFor, walletKey } from "./in-line.ts";
import { asFound, type Context, type Sent, Submitting, type Unsigned } from "./submitting.ts";

const SECOND_MS = 1_000;

type Following = { context: Context; sent: Sent; target: OperationStatus; timeoutMs: number };

/** Outputs: reached (once), and status (each status of the operation, and what people decide). A draft that another node approves goes to the first immediately. */
export default function register(RED: NodeAPI): void {
  function ConstructSubmitOperation(this: Node, def: SubmitOperationDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields } = context;
    // Nobody wants a draft back without those who have approved it.
    const resumes = () => submitting.isApproving || fields.flag("resume");
    const reports = new OperationReports(this, () => resumes());
    const submitting: Submitting = new Submitting(RED, this, fields, reports);
    let newest = 0;

    onInput(
      context,
      def,
      async (task) => {
        if (!task.kept) refuseTest(task.msg, fields);
        const number = ++newest;
        const target = fields.choice("waitFor");
        const timeoutMs = fields.milliseconds("timeout");
        const connection = channelOf(RED.nodes, fields.settings.channel).connection();
        const place = isSent(task.kept?.about)
          ? undefined
          : placeFor(RED, fields, task, task.kept !== undefined);
        const client = await clientFor(connection, task.msg).catch((error: unknown) => {
          place?.leave();
          throw error;
        });
        const context: Context = { connection, client, place, isPast: () => number !== newest };
        let sent: Sent | undefined;
        let reported: unknown;
        try {
          const kept = task.kept && resumed(task.kept, connection);
          if (kept && "prepared" in kept) sent = await submitting.resume(task, kept, context);
          else if (kept && "draft" in kept) sent = await submitting.approve(task, kept, context);
          else sent = kept ?? (await submitting.submit(task, context));
          if (!sent) return;
          if (!sent.isReported) {
            const isLater = context.asking !== undefined || context.isKept === true;
            await task.keep({ id: sent.walletOperationId, connection, about: sent, isLater });
            await follow(task, { context, sent, target, timeoutMs });
            return;
          }
        } catch (error) {
          context.report?.fail(error, task.signal);
          if (!sent || task.signal.aborted || !isReport(error, sent.operation)) throw error;
          reported = error;
        } finally {
          await submitting.end(task, context, sent);
        }
        await lookOn(task, { context, sent, timeoutMs, reported });
      },
      { resumes, reserve: (...kept) => placeBefore(RED, fields, ...kept) },
    );

    const resumed = (kept: StoredTask, connection: Connection): Sent | Unsigned | KeptDraft => {
      requireSameService(kept, connection);
      showStatus(this, "working", statusText(RED._, "common.status.resuming"));
      return kept.about as Sent | Unsigned | KeptDraft;
    };

    /** The error leaves at once, and the look for an execution goes on behind it. */
    const lookOn = async (
      { msg, send, signal, keep, tell }: Task,
      { context, sent, timeoutMs, reported }: Omit<Following, "target"> & { reported: unknown },
    ): Promise<void> => {
      const { connection, client, isPast } = context;
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
      const known = { channelId, operationId, walletOperationId, wallet, chainSelector, status };
      (context.report ?? reports.begin(known)).executed(change);
      const words = { status: statusWord(RED._, status), id: operationId };
      this.warn(RED._("common.warning.executed-after-all", words));
      if (!isPast()) showStatus(this, "done", shownStatus(RED._, status, change.verification));
      const crec = { status, verification: verificationOf(change.verification), operationId };
      send(null, { ...answer(msg, { status, reason }, crec), topic: `operation.status/${status}` });
    };

    const follow = async (
      { msg, send, signal, afterwards }: Task,
      { context, sent, target, timeoutMs }: Following,
    ): Promise<void> => {
      const { connection, client, isPast } = context;
      const { channelId, operation, walletOperationId, wallet, chainSelector, key: operationKey } = sent;
      let { found } = sent;
      const { operation_id: operationId, created_at: createdAt } = operation;
      const known = { channelId, operationId, walletOperationId, wallet, chainSelector };
      const followed =
        context.report ?? reports.begin({ ...known, status: operation.status, ...startedAt(createdAt) });
      context.report = followed;
      const show = ({ status, reason, verification }: OperationChange): void => {
        const said = reason
          ? { code: status, text: `${statusWord(RED._, status)}: ${failureOf(reason).reason}` }
          : asFound(RED, shownStatus(RED._, status, verification), found);
        showStatus(this, statusStyle(target, status), said);
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
        nodeRedContext(RED),
        { client, service: connection.baseUrl, channelId, operation },
        { target, timeoutMs, signal, verify, operationKey, onChange, onFound },
      );
      followed.end("reached");
      const { status } = reached.operation;
      send(answer(msg, reached.operation, { status, verification: reached.verification }), null);
      if (!fields.flag("follow")) return;
      // The later statuses go to the second output only.
      afterwards(async () => {
        for await (const change of reached.later) {
          // The node shows the status of its newest message.
          if (!isPast()) show(change);
          report(change);
        }
      });
    };
  }
  RED.nodes.registerType("crec-submit-operation", ConstructSubmitOperation);
  const context = nodeRedContext(RED);
  registerOperationPreview(context);
  registerCallDecimals(context);
  registerDecisions(RED);
}

/** The place of a message that is kept and comes again later. What was sent before needs none. */
function placeBefore(
  RED: NodeAPI,
  fields: FieldReader<typeof NODE>,
  ...[arrivedAt, signal, about]: Parameters<Reserve>
): Reserved | undefined {
  if (isSent(about)) return undefined;
  const place = placeFor(RED, fields, { arrivedAt, signal }, true);
  if (about !== undefined) {
    const { chain_selector: chainSelector, address } = (about as Unsigned).prepared.request;
    place?.isOf(walletKey({ chainSelector }, address));
  }
  const find = async () => {
    const wallet = walletOf(RED.nodes, fields.settings.wallet);
    place?.isOf(walletKey(wallet, await wallet.address(signal)));
  };
  // What is wrong is reported with a message.
  return place && { leave: place.leave, expects: () => void find().catch(() => {}) };
}

/** Whether what is kept waits for an operation that was sent before. */
function isSent(about: unknown): boolean {
  return about !== undefined && !("prepared" in (about as Sent | Unsigned));
}

/** Not every service says it. Unix seconds. */
function startedAt(createdAt: number | undefined): { startedAt?: number } {
  return createdAt === undefined ? {} : { startedAt: createdAt * SECOND_MS };
}
