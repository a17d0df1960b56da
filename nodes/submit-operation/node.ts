import type { Node, NodeAPI } from "node-red";
import { registerDecisions } from "../common/approvals/open-drafts.ts";
import { nodeRedContext } from "../common/context.ts";
import { channelOf } from "../common/fields/config-nodes.ts";
import { formContext } from "../common/fields/field-reader.ts";
import { onInput, type Task } from "../common/fields/input.ts";
import { clientFor } from "../common/messages/created.ts";
import { refuseTest } from "../common/messages/message.ts";
import { isReport } from "../common/messages/operation.ts";
import { showStatus, statusText } from "../common/status/status.ts";
import { requireSameService } from "../common/tasks/durable-task.ts";
import { OperationReports } from "../common/telemetry/operation-reports.ts";
import { registerCallDecimals } from "./admin/call-decimals.ts";
import { registerOperationPreview } from "./admin/preview.ts";
import { NODE, type SubmitOperationDef } from "./fields.ts";
import { Following } from "./following.ts";
import type { Course } from "./given.ts";
import { placeBefore, placeFor } from "./in-line.ts";
import { keptValue, type Sent } from "./operation-value.ts";
import { Submitting } from "./submitting.ts";

/** Outputs: reached (once), and status (each status of the operation, and what people decide). A draft that another node approves goes to the first immediately. */
export default function register(RED: NodeAPI): void {
  function ConstructSubmitOperation(this: Node, def: SubmitOperationDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields, t } = context;
    // Nobody wants a draft back without those who have approved it.
    const resumes = () => submitting.drafting.isApproving || fields.flag("resume");
    const reports = new OperationReports(this, () => resumes());
    const submitting: Submitting = new Submitting(context, reports);
    const following = new Following(context, reports);
    let newest = 0;

    /** Undefined where nothing is followed: for a draft. */
    const sentBy = async (task: Task, course: Course): Promise<Sent | undefined> => {
      if (!task.kept) return submitting.submit(task, course);
      requireSameService(task.kept, course.connection);
      showStatus(this, "working", statusText(t, "common.status.resuming"));
      const value = keptValue(task.kept.about);
      if (value.state === "unsigned") return submitting.resume(task, value, course);
      return value.state === "draft" ? submitting.drafting.approve(task, value.kept, course) : value.sent;
    };

    const work = async (task: Task): Promise<void> => {
      if (!task.kept) refuseTest(task.msg, fields);
      const number = ++newest;
      const target = fields.choice("waitFor");
      const timeoutMs = fields.milliseconds("timeout");
      const connection = channelOf(RED.nodes, fields.settings.channel).connection();
      const place = placeFor(context, task, task.kept);
      const client = await clientFor(connection, task.msg).catch((error: unknown) => {
        place?.leave();
        throw error;
      });
      const course: Course = { connection, client, place, isPast: () => number !== newest };
      let sent: Sent | undefined;
      let reported: unknown;
      try {
        sent = await sentBy(task, course);
        if (!sent) return;
        if (!sent.isReported) {
          const isLater = course.asking !== undefined || course.isKept === true;
          await task.keep({ id: sent.walletOperationId, connection, about: sent, isLater });
          await following.follow(task, { course, sent, target, timeoutMs });
          return;
        }
      } catch (error) {
        course.report?.fail(error, task.signal);
        if (!sent || task.signal.aborted || !isReport(error, sent.operation)) throw error;
        reported = error;
      } finally {
        await submitting.end(task, course, sent);
      }
      await following.lookOn(task, { course, sent, timeoutMs, reported });
    };
    onInput(context, def, work, { resumes, reserve: (...kept) => placeBefore(context, ...kept) });
  }
  RED.nodes.registerType("crec-submit-operation", ConstructSubmitOperation);
  const context = nodeRedContext(RED);
  registerOperationPreview(context);
  registerCallDecimals(context);
  registerDecisions(RED);
}
