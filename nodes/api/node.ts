import type { Node, NodeAPI } from "node-red";
import { connectionOf } from "../common/fields/config-nodes.ts";
import { type FieldReader, formContext } from "../common/fields/field-reader.ts";
import { answer, onInput } from "../common/fields/input.ts";
import { clientFor } from "../common/messages/created.ts";
import { refuseTest } from "../common/messages/message.ts";
import { showStatus, statusText } from "../common/status/status.ts";
import { type ApiDef, isPath, NODE } from "./fields.ts";

type Fields = FieldReader<typeof NODE>;
type QueryParameters = Record<string, string | string[]>;

/** Any REST call with the connection's key, timeout and errors. */
export default function register(RED: NodeAPI): void {
  function ConstructApi(this: Node, def: ApiDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields, t } = context;

    onInput(context, def, async ({ msg, send, signal }) => {
      const method = fields.choice("method");
      if (method !== "GET") refuseTest(msg, fields);
      showStatus(this, "working", statusText(t, "api.status.requesting"));
      const client = await clientFor(connectionOf(RED.nodes, fields.settings.connection), msg);
      const values = fields.of(msg);
      const path = await values.required("path");
      if (!isPath(path, () => undefined)) throw fields.wrong("path", path);
      // A list without its filters would be a list of everything.
      const query = queryOf(fields, fields.settings.query ? await values.whole("query") : {});
      const body = method === "GET" || !fields.settings.body ? undefined : await values.whole("body");
      const { status, data } = await client.request({
        method,
        path,
        query,
        signal,
        ...(body === undefined || body === "" ? {} : { body }),
      });
      send(answer(msg, data, { status }));
      showStatus(this, "done", { code: String(status), text: t("api.status.done") });
    });
  }
  RED.nodes.registerType("crec-api", ConstructApi);
}

/** Empty parameters are left out: a message may fill in only some of them, or none. @throws INVALID_FIELD */
function queryOf(fields: Fields, value: unknown): QueryParameters {
  const given = value === undefined || value === null || value === "" ? {} : value;
  const entries = typeof given === "object" && !Array.isArray(given) ? Object.entries(given) : undefined;
  const filled = entries?.filter(([, one]) => one !== undefined && one !== null && one !== "");
  if (filled?.every(([, one]) => (Array.isArray(one) ? one : [one]).every(isPlain))) {
    return Object.fromEntries(
      filled.map(([name, one]) => [name, Array.isArray(one) ? one.map(String) : String(one)]),
    );
  }
  throw fields.wrong("query", value);
}

function isPlain(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
