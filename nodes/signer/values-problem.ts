import { type CodedError, nodeError } from "../common/shared/errors.ts";
import { errorKey, fitsNumber, isShown, labelKey } from "../common/shared/field-rules.ts";
import type { Field } from "../common/shared/fields.ts";
import { unsetVariable } from "../common/shared/variables.ts";
import { NODE, type SecretName } from "./fields.ts";
import type { PlainName, SignerValues } from "./values.ts";

type Translate = (key: string) => string;

const OPTIONAL: ReadonlySet<string> = new Set<SecretName>(["awsSessionToken", "privyAuthorizationKey"]);

/**
 * The first field of the chosen kind that is missing or wrong. The sentence names it by its label, never by its value.
 * `isOpen`: whether the person who reads it has the form open. `lost`: what to do where a credential could not be decrypted.
 */
export function valuesProblem(
  values: SignerValues,
  translate: Translate,
  { isOpen = false, lost }: { isOpen?: boolean; lost?: string | undefined } = {},
): CodedError | undefined {
  const other = (name: string) => values.text(name as PlainName);
  for (const [name, field] of Object.entries<Field>(NODE.fields)) {
    if (name === "name" || !isShown(NODE, name, other)) continue;
    const unset = unsetVariable(
      field.kind === "credential" ? values.secret(name as SecretName) : other(name),
    );
    if (unset) return unset;
    const what = problemOf(name, field, values);
    if (what === undefined) continue;
    const label = translate(labelKey(NODE, name));
    if (what === "missing") {
      if (isOpen) return incomplete(`Enter "${label}".`);
      const advice = (field.kind === "credential" && lost) || "Open the signer and fill it in.";
      return incomplete(`"${label}" of the signer is missing. ${advice}`);
    }
    const why = what === "wrong" ? translate(errorKey(NODE, name)) : what;
    if (isOpen) return incomplete(`Correct "${label}". ${why}`);
    return incomplete(`"${label}" of the signer is wrong. ${why} Open the signer and correct it.`);
  }
  return undefined;
}

/** `missing`, `wrong`, or a sentence. */
function problemOf(name: string, field: Field, values: SignerValues): string | undefined {
  if (field.kind === "credential") {
    return values.secret(name as SecretName) !== "" || OPTIONAL.has(name) ? undefined : "missing";
  }
  const text = values.text(name as PlainName);
  if (field.kind === "select") {
    return field.options.includes(text) ? undefined : `It must be one of ${field.options.join(", ")}.`;
  }
  if (field.kind === "number") return text === "" || fitsNumber(field, Number(text)) ? undefined : "wrong";
  if (field.kind !== "text") return undefined;
  if (text === "") return field.required ? "missing" : undefined;
  return !field.check || field.check(text, () => "") === true ? undefined : "wrong";
}

function incomplete(sentence: string): CodedError {
  return nodeError("SIGNER_INCOMPLETE", sentence);
}
