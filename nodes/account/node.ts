import type { Node, NodeAPI } from "node-red";
import { connectionOf } from "../common/fields/config-nodes.ts";
import { type FormContext, formContext } from "../common/fields/field-reader.ts";
import { answer, onInput } from "../common/fields/input.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { toCodedError, translatedError } from "../common/shared/errors.ts";
import { requireSet } from "../common/shared/variables.ts";
import { showStatus, statusText } from "../common/status/status.ts";
import { type AccountDef, NODE } from "./fields.ts";

/** Sends a request to the account's GraphQL service. A partial response has its errors in `crec.errors`. */
export default function register(RED: NodeAPI): void {
  function ConstructAccount(this: Node, def: AccountDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields, t } = context;

    onInput(context, def, async ({ msg, send, signal }) => {
      showStatus(this, "working", statusText(t, "account.status.requesting"));
      // Errors of an earlier request are not about this one.
      const { errors: _earlier, ...crec } = msg.crec ?? {};
      msg.crec = crec;
      const { account } = await connectionOf(RED.nodes, fields.settings.connection).client();
      if (fields.choice("action") === "details") {
        send(answer(msg, await account.details({ signal }), {}));
        return showStatus(this, "done", statusText(t, "account.status.done"));
      }
      const { data, errors } = await account
        .queryPartial(await fields.of(msg).required("query"), {
          variables: await variablesOf(context, msg),
          operationName: fields.text("operationName") || undefined,
          signal,
        })
        .catch((thrown: unknown) => {
          const refused = toCodedError(thrown) as { errors?: unknown };
          // The sentence names only the first error: Catch gets all of them.
          if (Array.isArray(refused.errors)) msg.crec = { ...msg.crec, errors: refused.errors };
          throw thrown;
        });
      send(answer(msg, data, errors.length > 0 ? { errors } : {}));
      showStatus(
        this,
        "done",
        statusText(t, errors.length > 0 ? "account.status.partial" : "account.status.done"),
      );
    });
  }
  RED.nodes.registerType("crec-account", ConstructAccount);
}

/**
 * The environment and messages may give JSON text. No error repeats it: variables can be secret.
 * @throws MISSING_VALUE, INVALID_FIELD, VARIABLE_MISSING
 */
async function variablesOf(
  { fields, t }: FormContext<typeof NODE>,
  msg: CrecMessage,
): Promise<Record<string, unknown>> {
  const { variables, variablesType = "json" } = fields.settings;
  const isJson = variablesType === "json" || variablesType === "";
  const value = isJson ? requireSet(variables?.trim() ?? "") : await fields.of(msg).whole("variables");
  const object = typeof value === "string" ? parsed(value.trim() || "{}") : (value ?? {});
  if (typeof object === "object" && object !== null && !Array.isArray(object)) {
    return object as Record<string, unknown>;
  }
  throw translatedError("INVALID_FIELD", t("account.error.variables"));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's sentence quotes the text.
    return undefined;
  }
}
