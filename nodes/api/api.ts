import type { Node, NodeAPI, NodeDef } from "node-red";
import { connectionOf } from "../lib/config-nodes.ts";
import { nodeError } from "../lib/errors.ts";
import { readField, requireText } from "../lib/fields.ts";
import { answer, onInput } from "../lib/input.ts";
import { showStatus } from "../lib/status.ts";

export type ApiDef = NodeDef & {
  connection?: string;
  method?: string;
  path?: string;
  pathType?: string;
  body?: string;
  bodyType?: string;
};

const METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE"] as const;
type Method = (typeof METHODS)[number];

/** Any REST call with the connection's key, deadline and errors. */
export default function register(RED: NodeAPI): void {
  function ConstructApi(this: Node, def: ApiDef): void {
    RED.nodes.createNode(this, def);
    const method = methodOf(def.method);

    onInput(RED, this, async ({ msg, send, signal }) => {
      showStatus(this, "working", "api.status.calling");
      const client = await connectionOf(RED, def.connection).client();
      const path = await requireText(RED, this, msg, { label: "Path", value: def.path, type: def.pathType });
      if (!path.startsWith("/") || path.split(/[?#]/, 1)[0]?.split("/").includes("..")) {
        throw nodeError(
          "INVALID_FIELD",
          `The path "${path}" must start with "/" and stay behind the base URL, without "..".`,
        );
      }
      const body =
        method === "GET" || !def.body
          ? undefined
          : await readField(RED, this, msg, { label: "Body", value: def.body, type: def.bodyType });
      const { status, data } = await client.request({
        method,
        path,
        signal,
        ...(body === undefined || body === "" ? {} : { body }),
      });
      send(answer(msg, data, { status }));
      showStatus(this, "done", String(status));
    });
  }
  RED.nodes.registerType("crec-api", ConstructApi);
}

function methodOf(method: string | undefined): Method {
  return METHODS.find((known) => known === method) ?? "GET";
}
