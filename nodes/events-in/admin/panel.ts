import type { NodeAPI } from "node-red";
import { answerForms, fieldsOf } from "../../common/admin/answer.ts";
import { nodeError } from "../../common/shared/errors.ts";
import type { PanelReport, SentLast } from "../../common/shared/form-types.ts";
import type { EventsInNode } from "../context.ts";
import { refuseOnStandby } from "../fleet/read-by-lease.ts";
import type { Reader } from "../reader/reader.ts";

/**
 * What the form's panel asks of a deployed node: `GET` its state; `POST …/seek` moves its cursor;
 * `GET` and `POST …/cursor` export and import it, to move it to another machine; `POST …/last` sends the newest event
 * that matches as a test.
 */
export function registerPanel(RED: NodeAPI): void {
  const path = "/crec/events-in/:id";
  const deployed = (id: unknown) => (RED.nodes.getNode(String(id)) as EventsInNode | null) ?? {};
  const running = (id: unknown, otherwise = notRunning): Reader => {
    const node = deployed(id);
    refuseOnStandby(node);
    return node.reader ?? otherwise();
  };

  answerForms(RED, "get", path, "crec.read", async ({ params }): Promise<PanelReport> => {
    const { reader, leaseReading } = deployed(params.id);
    const report = (await reader?.report()) ?? { deployed: false };
    return { ...report, ...(leaseReading ? { fleet: leaseReading.report() } : {}) };
  });
  answerForms(
    RED,
    "get",
    `${path}/cursor`,
    "crec.read",
    async ({ params }) => (await running(params.id).exportCursor()) ?? null,
  );
  answerForms(RED, "post", `${path}/cursor`, "crec.write", async ({ params, body }) => {
    await running(params.id).importCursor(body);
    return {};
  });
  answerForms(RED, "post", `${path}/seek`, "crec.write", async ({ params, body }) => {
    const { to } = fieldsOf(body);
    if (!(await deployed(params.id).leaseReading?.moveLost(to))) running(params.id).seek(to);
    return {};
  });
  answerForms(
    RED,
    "post",
    `${path}/last`,
    "crec.write",
    ({ params }): Promise<SentLast> => running(params.id, notSending).sendLast(),
  );
}

function notRunning(): never {
  throw nodeError(
    "NOT_CONNECTED",
    "The node is not deployed, or waits for its channel or its folder: it has no cursor to show or to change yet.",
  );
}

function notSending(): never {
  throw nodeError(
    "NOT_CONNECTED",
    "The node is not deployed, or waits for its channel or its folder. Deploy it, wait until it is connected, and try again.",
  );
}
