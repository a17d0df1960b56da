import type { Node, NodeAPI, NodeDef } from "node-red";
import { connectionOf } from "../lib/runtime/config-nodes.ts";
import { clientFor } from "../lib/runtime/created.ts";
import { oneOf, readField, requireText } from "../lib/runtime/fields.ts";
import { answer, onInput } from "../lib/runtime/input.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { nodeError } from "../lib/shared/errors.ts";

export type ApiDef = NodeDef & {
  connection?: string;
  method?: string;
  path?: string;
  pathType?: string;
  /** An object: a list in it repeats its name. */
  query?: string;
  queryType?: string;
  body?: string;
  bodyType?: string;
};

type QueryParameters = Record<string, string | string[]>;

const METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE"] as const;

/** Any REST call with the connection's key, deadline and errors. */
export default function register(RED: NodeAPI): void {
  function ConstructApi(this: Node, def: ApiDef): void {
    RED.nodes.createNode(this, def);
    onInput(RED, this, def, async ({ msg, send, signal }) => {
      const method = oneOf("Method", def.method, METHODS) ?? "GET";
      showStatus(this, "working", "api.status.calling");
      const client = await clientFor(connectionOf(RED, def.connection), msg);
      const path = await requireText(RED, this, msg, { label: "Path", value: def.path, type: def.pathType });
      if (!path.startsWith("/") || path.split(/[?#]/, 1)[0]?.split("/").includes("..")) {
        throw nodeError(
          "INVALID_FIELD",
          `The path "${path}" must start with "/" and stay behind the base URL, without "..".`,
        );
      }
      const query = queryOf(
        def.query
          ? await readField(RED, this, msg, { label: "Query", value: def.query, type: def.queryType })
          : {},
      );
      const body =
        method === "GET" || !def.body
          ? undefined
          : await readField(RED, this, msg, { label: "Body", value: def.body, type: def.bodyType });
      const { status, data } = await client.request({
        method,
        path,
        query,
        signal,
        ...(body === undefined || body === "" ? {} : { body }),
      });
      send(answer(msg, data, { status }));
      showStatus(this, "done", String(status));
    });
  }
  RED.nodes.registerType("crec-api", ConstructApi);
}

/** What is left out or empty is not asked for, as in a filter that a message may fill in. */
function queryOf(value: unknown): QueryParameters {
  const given = value === undefined || value === null || value === "" ? {} : value;
  const entries = typeof given === "object" && !Array.isArray(given) ? Object.entries(given) : undefined;
  const filled = entries?.filter(([, one]) => one !== undefined && one !== null && one !== "");
  if (filled?.every(([, one]) => (Array.isArray(one) ? one : [one]).every(isPlain))) {
    return Object.fromEntries(
      filled.map(([name, one]) => [name, Array.isArray(one) ? one.map(String) : String(one)]),
    );
  }
  throw nodeError(
    "INVALID_FIELD",
    '"Query" must be an object of texts, numbers and lists of them, as {"limit": 5, "status": ["active"]}.',
  );
}

function isPlain(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
