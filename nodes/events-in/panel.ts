import type { NodeAPI } from "node-red";
import { nodeError, toCodedError } from "../lib/errors.ts";
import type { PanelReport } from "../lib/form-types.ts";
import type { Reader } from "./reader.ts";

export type EventsInNode = { reader?: Reader };

/**
 * What the form's panel asks of a deployed node: `GET` how it stands; `POST …/seek` to start over elsewhere;
 * `GET` and `POST …/cursor` to take the place along to another machine and put it down there.
 */
export function registerPanel(RED: NodeAPI): void {
  const path = "/crec/events-in/:id";
  const readerOf = (id: unknown) => (RED.nodes.getNode(String(id)) as EventsInNode | null)?.reader;
  const running = (id: unknown) => readerOf(id) ?? notRunning();

  RED.httpAdmin.get(path, RED.auth.needsPermission("crec.read"), (request, response) => {
    const report = async (): Promise<PanelReport> =>
      (await readerOf(request.params.id)?.report()) ?? { deployed: false };
    answer(response, report);
  });
  RED.httpAdmin.get(`${path}/cursor`, RED.auth.needsPermission("crec.read"), (request, response) => {
    answer(response, async () => (await running(request.params.id).exportCursor()) ?? null);
  });
  RED.httpAdmin.post(`${path}/cursor`, RED.auth.needsPermission("crec.write"), (request, response) => {
    answer(response, async () => {
      await running(request.params.id).importCursor(request.body);
      return {};
    });
  });
  RED.httpAdmin.post(`${path}/seek`, RED.auth.needsPermission("crec.write"), (request, response) => {
    answer(response, async () => {
      running(request.params.id).seek((request.body as { to?: unknown } | undefined)?.to);
      return {};
    });
  });
}

function answer(
  response: { json(body: unknown): unknown; status(code: number): { json(body: unknown): unknown } },
  work: () => Promise<unknown>,
): void {
  work().then(
    (body) => response.json(body),
    (thrown: unknown) => {
      const { code, message } = toCodedError(thrown);
      response.status(400).json({ code, message });
    },
  );
}

function notRunning(): never {
  throw nodeError(
    "NOT_CONNECTED",
    "The node is not deployed, or waits for its channel: there is no place to look at or to change yet.",
  );
}
