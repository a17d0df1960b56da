import { type CodedError, nodeError } from "../common/shared/errors.ts";
import { errorKey, fitsNumber, isShown, labelKey } from "../common/shared/field-rules.ts";
import type { Field } from "../common/shared/fields.ts";
import type { SignerKind } from "../common/shared/signers.ts";
import { unsetVariable, withoutMark } from "../common/shared/variables.ts";
import { NODE, type SecretName, type TextName } from "./fields.ts";

/** The settings of a signer, deployed or in its form, with variables resolved. What its form does not show is empty. */
export type SignerValues = {
  kind: SignerKind;
  /** Of a field that is no secret, as text; its default where it is empty. */
  text(name: PlainName): string;
  secret(name: SecretName): string;
};

/** The fields of text, numbers and choices. */
export type PlainName = Exclude<
  {
    [K in keyof typeof NODE.fields]: (typeof NODE.fields)[K]["kind"] extends PlainKind ? K : never;
  }[keyof typeof NODE.fields],
  "name" | "address"
>;

type PlainKind = "text" | "number" | "select";

type Translate = (key: string) => string;

const OPTIONAL: ReadonlySet<string> = new Set<SecretName>(["awsSessionToken", "privyAuthorizationKey"]);

/** @param read what is stored or typed, trimmed */
export function valuesOf(read: (name: string) => string): SignerValues {
  const text = (name: string): string => {
    if (!isShown(NODE, name, read)) return "";
    const field: Field | undefined = NODE.fields[name as TextName];
    return read(name) || (field && "default" in field ? String(field.default ?? "") : "");
  };
  return { kind: text("kind") as SignerKind, text, secret: (name) => withoutMark(text(name)) };
}

/** The names of the secrets that the form shows, in its order. */
export function shownSecrets(values: SignerValues): SecretName[] {
  return Object.entries(NODE.fields)
    .filter(
      ([name, { kind }]) =>
        kind === "credential" && isShown(NODE, name, (other) => values.text(other as PlainName)),
    )
    .map(([name]) => name as SecretName);
}

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
