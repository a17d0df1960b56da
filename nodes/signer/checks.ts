import type { FieldCheck } from "../common/shared/field-checks.ts";

/** It becomes a part of a host name. */
const REGION = /^[a-z]{2,4}(?:-[a-z]+)+-\d{1,2}$/;
/** A name of a key or of a path in Vault: it becomes a part of a path. */
const PATH_NAME = /^[\w.-]+(?:\/[\w.-]+)*$/;
const NAMESPACE = /^\/?[\w.-]+(?:\/[\w.-]+)*\/?$/;
const DERIVATION = /^(?:m\/)?\d+(?:'?\/\d+){1,9}'?$/;
const HIGHEST_INDEX = 0x7fff_ffff;
const PUBLIC_KEY = /^[\w-]+$/;

export const isRegion: FieldCheck = (text) => REGION.test(text);
export const isPathName: FieldCheck = (text) => PATH_NAME.test(text) && !hasDots(text);
export const isNamespace: FieldCheck = (text) => NAMESPACE.test(text) && !hasDots(text);
export const isIdentifier: FieldCheck = (text) => PUBLIC_KEY.test(text);

export const isDerivationPath: FieldCheck = (text) =>
  DERIVATION.test(text) && derivationPathIn(text).every((index) => index <= HIGHEST_INDEX);

/** `44/60/0/0/0` as numbers. */
export function derivationPathIn(text: string): number[] {
  return text
    .replace(/^m\//, "")
    .split("/")
    .map((index) => Number(index.replace("'", "")));
}

function hasDots(text: string): boolean {
  return text.split("/").some((part) => part === "." || part === "..");
}
