import type { NodeAPI } from "node-red";
import { answerForms, fieldsOf } from "../lib/admin/answer.ts";
import { nodeError } from "../lib/shared/errors.ts";
import type { PanelReport, SentLast } from "../lib/shared/form-types.ts";
import type { Reader } from "./reader.ts";

export type EventsInNode = { reader?: Reader };

/**
 * What the form's panel asks of a deployed node: `GET` its state; `POST …/seek` moves its cursor;
 * `GET` and `POST …/cursor` export and import it, to move it to another machine; `POST …/last` sends the newest event
 * that matches as a test.
 */
export function registerPanel(RED: NodeAPI): void {
  const path = "/crec/events-in/:id";
  const readerOf = (id: unknown) => (RED.nodes.getNode(String(id)) as EventsInNode | null)?.reader;
  const running = (id: unknown) => readerOf(id) ?? notRunning();

  answerForms(
    RED,
    "get",
    path,
    "crec.read",
    async ({ params }): Promise<PanelReport> => (await readerOf(params.id)?.report()) ?? { deployed: false },
  );
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
  answerForms(RED, "post", `${path}/seek`, "crec.write", ({ params, body }) => {
    running(params.id).seek(fieldsOf(body).to);
    return {};
  });
  answerForms(RED, "post", `${path}/last`, "crec.write", ({ params }): Promise<SentLast> => {
    const reader = readerOf(params.id);
    return reader ? reader.sendLast() : notSending();
  });
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
