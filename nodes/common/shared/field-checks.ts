import { ADDRESS_PATTERN, canonicalWorkflowId } from "../../../src/protocol/ids.ts";
import { splitNames } from "./text.ts";
import { isReference } from "./variables.ts";

/** An address of the chain. Only the library can check its checksum. */
export const ADDRESS = ADDRESS_PATTERN;

/**
 * Whether a text is right; or the catalog's key of a sentence, where a field has more than one. `other` gives the
 * values of other fields. Empty text and whole variables (`${NAME}`) are not checked.
 */
export type FieldCheck = (text: string, other: (name: string) => unknown) => boolean | string;

const DIGITS = /^\d+$/;
const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;
const WEB_ADDRESS = /^https?:\/\/[^\s?#]+$/;

export const isAddress: FieldCheck = (text) => ADDRESS.test(text);
export const isDigits: FieldCheck = (text) => DIGITS.test(text);
export const isBytes: FieldCheck = (text) => BYTES.test(text);
export const isWebAddress: FieldCheck = (text) => WEB_ADDRESS.test(text);
/** As a watcher states it as its `workflow_id`. */
export const isWorkflowId: FieldCheck = (text) => canonicalWorkflowId(text) !== undefined;
/** A text that begins like an address must be one. */
export const isNameOrAddress: FieldCheck = (text) => !text.startsWith("0x") || ADDRESS.test(text);

/** Each of several values with commas between. */
export function each(check: FieldCheck): FieldCheck {
  return (text, other) => {
    const wrong = splitNames(text)
      .filter((one) => !isReference(one))
      .map((one) => check(one, other))
      .find((judged) => judged !== true);
    return wrong ?? true;
  };
}
