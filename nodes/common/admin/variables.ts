import type { NodeAPI } from "node-red";
import { type FlowNodes, storedValue } from "../fields/flow-settings.ts";
import type { ShownVariable, ShownVariables } from "../shared/form-types.ts";
import { isReference, STORED_PASSWORD } from "../shared/variables.ts";
import { answerForms, fieldsOf, textIn } from "./answer.ts";
import { deployedCredential, deployedVariable, storedCredential, type Variable } from "./deployed.ts";

/** More fields than any form has. */
const MOST_FIELDS = 50;
const LONGEST = 200;
/** A variable with such a name is masked in every field, in case it was deployed in the wrong one. */
const SECRET_NAME =
  /KEY|PRIVATE|SECRET|PASS|PWD|CREDENTIAL|MNEMONIC|SEED|JWT|AUTH|(ACCESS|API|BEARER|ID|MONITORING|REFRESH|SESSION)_?TOKEN/i;
/** So is a value that looks like one: a private key, or an address with a password in it. */
const SECRET_VALUE = /^(0x)?[0-9a-f]{64}$|^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i;

/**
 * `POST /crec/variables`: what the variables in the fields of a form stand for, as `{id, fields: {baseUrl: "${NAME}"}}`.
 * Only for a variable that the deployed node itself has in the same field: a form must not read out the environment.
 */
export function registerVariables(RED: NodeAPI): void {
  answerForms(RED, "post", "/crec/variables", "crec.write", ({ body }): ShownVariables => {
    const { id, fields } = fieldsOf(body);
    // In the flow a disabled node has a type, too.
    const isOurs = textIn(storedValue(RED.nodes, textIn(id), "type") ?? "crec-").startsWith("crec-");
    const requested = isOurs ? Object.entries(fieldsOf(fields)).slice(0, MOST_FIELDS) : [];
    const shown = requested.flatMap(([field, text]) => {
      const variable = shownVariable(RED, textIn(id), field, textIn(text));
      return variable ? [[field, variable] as const] : [];
    });
    return { variables: Object.fromEntries(shown) };
  });
}

/** Undefined where there is no variable in the field. */
function shownVariable(RED: NodeAPI, id: string, field: string, text: string): ShownVariable | undefined {
  const credential = storedCredential(RED.nodes, id, field);
  const isStored = text === STORED_PASSWORD && credential !== undefined;
  const reference = isStored ? credential : text;
  if (!isReference(reference)) return undefined;
  const name = reference.slice(2, -1);
  const isSecret = credential !== undefined || SECRET_NAME.test(name) || isCredentialOfFlow(RED.nodes, name);
  const variable =
    credential === undefined
      ? deployedVariable(RED, id, field, reference)
      : deployedCredential(RED, id, field, reference);
  return { name, ...shownAs(variable, isSecret) };
}

function shownAs(variable: Variable, isSecret: boolean): Omit<ShownVariable, "name"> {
  if (variable.state !== "set") return { state: variable.state };
  const { value } = variable;
  if (isSecret || SECRET_VALUE.test(value)) return { state: "secret", length: value.length };
  return { state: "set", value: value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value };
}

/** Whether a flow, a group or a subflow has a variable of this name as a credential. */
function isCredentialOfFlow(nodes: FlowNodes, name: string): boolean {
  let found = false;
  nodes.eachNode((node) => {
    const { env } = node as { env?: unknown };
    if (Array.isArray(env) && env.some((one) => isCredential(one, name))) found = true;
  });
  return found;
}

function isCredential(variable: unknown, name: string): boolean {
  const fields = fieldsOf(variable);
  return fields.name === name && fields.type === "cred";
}
