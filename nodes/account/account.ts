import type { Node, NodeAPI, NodeDef } from "node-red";
import { connectionOf } from "../lib/runtime/config-nodes.ts";
import { oneOf, readField, requireText } from "../lib/runtime/fields.ts";
import { answer, onInput } from "../lib/runtime/input.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { nodeError, toCodedError } from "../lib/shared/errors.ts";
import { requireSet } from "../lib/shared/variables.ts";

export type AccountDef = NodeDef & {
  connection?: string;
  /** Who the key belongs to, or a GraphQL query of one's own. */
  action?: "details" | "query";
  query?: string;
  queryType?: string;
  /** An object, or its JSON. */
  variables?: string;
  variablesType?: string;
  /** Which operation of the query to run, where it has several. */
  operationName?: string;
};

/** Asks the account's GraphQL service. A part of an answer leaves, too, with what is missing in `crec.errors`. */
export default function register(RED: NodeAPI): void {
  function ConstructAccount(this: Node, def: AccountDef): void {
    RED.nodes.createNode(this, def);

    onInput(RED, this, def, async ({ msg, send, signal }) => {
      showStatus(this, "working", "account.status.asking");
      // Those of an earlier question are not about this one.
      const { errors: _earlier, ...crec } = msg.crec ?? {};
      msg.crec = crec;
      const { account } = await connectionOf(RED, def.connection).client();
      if (oneOf("Action", def.action, ["details", "query"]) !== "query") {
        send(answer(msg, await account.details({ signal }), {}));
        return showStatus(this, "done", "account.status.done");
      }
      const field = { label: "Query", value: def.query, type: def.queryType };
      const query = await requireText(RED, this, msg, field);
      const { data, errors } = await account
        .queryPartial(query, {
          variables: await variablesOf(RED, this, def, msg),
          operationName: def.operationName?.trim() || undefined,
          signal,
        })
        .catch((thrown: unknown) => {
          const refused = toCodedError(thrown) as { errors?: unknown };
          // Catch learns all that was wrong; the sentence names only the first.
          if (Array.isArray(refused.errors)) msg.crec = { ...msg.crec, errors: refused.errors };
          throw thrown;
        });
      send(answer(msg, data, errors.length > 0 ? { errors } : {}));
      showStatus(this, "done", errors.length > 0 ? "account.status.partly" : "account.status.done");
    });
  }
  RED.nodes.registerType("crec-account", ConstructAccount);
}

/** From the environment and from messages it may come as JSON text. Its content is shown nowhere. */
async function variablesOf(
  RED: NodeAPI,
  node: Node,
  def: AccountDef,
  msg: CrecMessage,
): Promise<Record<string, unknown>> {
  if (def.variablesType === "json" || !def.variablesType) {
    return objectOf(requireSet(def.variables?.trim() || "{}"));
  }
  return objectOf(
    await readField(RED, node, msg, { label: "Variables", value: def.variables, type: def.variablesType }),
  );
}

function objectOf(value: unknown): Record<string, unknown> {
  const read = typeof value === "string" && value.trim() !== "" ? parsed(value) : (value ?? {});
  if (read === "") return {};
  if (typeof read === "object" && read !== null && !Array.isArray(read)) {
    return read as Record<string, unknown>;
  }
  throw nodeError(
    "INVALID_FIELD",
    '"Variables" must be an object with the values of the query, as {"id": "1"}. Correct it in the node\'s form, or in the message.',
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is wrong with it would quote it.
    return undefined;
  }
}
