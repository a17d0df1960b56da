import { isShown } from "../common/shared/field-rules.ts";
import type { Field } from "../common/shared/fields.ts";
import type { SignerKind } from "../common/shared/signer-kinds.ts";
import { withoutMark } from "../common/shared/typed-key.ts";
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
