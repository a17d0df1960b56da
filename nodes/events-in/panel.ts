import type { NodeAPI } from "node-red";
import type { CursorState } from "../../src/index.ts";
import { toCodedError } from "../lib/errors.ts";
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

  RED.httpAdmin.get(path, RED.auth.needsPermission("crec.read"), (request, response) => {
    const reader = readerOf(request.params.id);
    const report: Promise<PanelReport> = reader?.report() ?? Promise.resolve({ deployed: false });
    report.then((body) => response.json(body));
  });
  RED.httpAdmin.get(`${path}/cursor`, RED.auth.needsPermission("crec.read"), (request, response) => {
    Promise.resolve(readerOf(request.params.id)?.exportCursor()).then(
      (state) => response.json(state ?? null),
      (thrown: unknown) => response.status(409).json({ message: toCodedError(thrown).message }),
    );
  });
  RED.httpAdmin.post(`${path}/cursor`, RED.auth.needsPermission("crec.write"), (request, response) => {
    answer(response, async () => readerOf(request.params.id)?.importCursor(request.body as CursorState));
  });
  RED.httpAdmin.post(`${path}/seek`, RED.auth.needsPermission("crec.write"), (request, response) => {
    const { to } = request.body as { to?: unknown };
    answer(response, async () => readerOf(request.params.id)?.seek(to));
  });
}

function answer(
  response: { json(body: unknown): unknown; status(code: number): { json(body: unknown): unknown } },
  work: () => Promise<void>,
): void {
  work().then(
    () => response.json({}),
    (thrown: unknown) => response.status(400).json({ message: toCodedError(thrown).message }),
  );
}
