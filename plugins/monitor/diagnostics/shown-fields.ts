import type { Field } from "../../../nodes/common/shared/fields.ts";
import { canonicalUrl } from "../../../nodes/common/shared/text.ts";
import { isReference } from "../../../nodes/common/shared/variables.ts";
import { PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL } from "../../../src/protocol/limits.ts";
import { isPublic } from "../public-address.ts";

/**
 * How the value of a field is shown. `none`: not at all. `choice`, `choices`: only options of the form. `length`: of
 * free text, how long it is. `count`: how many entries a list has. `credential`: whether it is set. `reference`:
 * which config node. `address`: the kind of a URL.
 */
export type Treatment =
  | "none"
  | "choice"
  | "choices"
  | "switch"
  | "number"
  | "duration"
  | "length"
  | "count"
  | "credential"
  | "reference"
  | "address";

/** What is shown of a value that is not what its form would store. */
const UNEXPECTED = "(unexpected value)";
const NUMBER = /^-?\d{1,20}(?:\.\d{1,6})?$/;
const DURATION = /^\d{1,6}(?:\.\d{1,3})?\s*[smhdw]$/;
const INPUT_TYPES = ["str", "msg", "flow", "global", "env", "jsonata", "json"];

/** The name of a deployed config node in the report, such as `connection #1`; undefined where it is not deployed. */
export type LabelOf = (id: string) => string | undefined;

/**
 * A value of a setting as diagnostics show it. Undefined for what is not shown.
 * @param type of a typed input, as stored beside the value
 */
export function showValue(
  treatment: Treatment,
  { field, value, type, labelOf }: { field: Field; value: unknown; type?: unknown; labelOf: LabelOf },
): string | number | boolean | undefined {
  if (treatment === "none") return undefined;
  if (value === undefined || value === null || value === "") return "(empty)";
  if (typeof value === "string" && isReference(value.trim())) return "(a variable)";
  switch (treatment) {
    case "credential":
      return "(set)";
    case "choice":
      return isOption(field, value) ? value : UNEXPECTED;
    case "choices":
      return Array.isArray(value) && value.every((one) => isOption(field, one))
        ? value.join(", ")
        : UNEXPECTED;
    case "switch":
      return typeof value === "boolean" ? value : value === 0 || value === 1 ? value === 1 : UNEXPECTED;
    case "number":
      return NUMBER.test(String(value).trim()) ? String(value).trim() : UNEXPECTED;
    case "duration":
      return DURATION.test(String(value).trim()) ? String(value).trim() : UNEXPECTED;
    case "count":
      return countOf(value);
    case "reference":
      return labelOf(String(value)) ?? "(not deployed)";
    case "address":
      return kindOfAddress(value);
    case "length":
      return lengthOf(value, type);
  }
}

function isOption(field: Field, value: unknown): value is string {
  return "options" in field && field.options.some((option) => option === value);
}

/** Entries of text are separated by commas, spaces or new lines. */
function countOf(value: unknown): string {
  const entries = Array.isArray(value)
    ? value
    : String(value)
        .split(/[\s,]+/)
        .filter(Boolean);
  return entries.length === 1 ? "(1 entry)" : `(${entries.length} entries)`;
}

function lengthOf(value: unknown, type: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const length = text.length === 1 ? "1 character" : `${text.length} characters`;
  return INPUT_TYPES.includes(String(type)) ? `(${type}, ${length})` : `(${length})`;
}

/** Of a URL: the public service, or whether it is local. */
export function kindOfAddress(value: unknown): string {
  const text = canonicalUrl(String(value).trim());
  if (text === PUBLIC_BASE_URL || text === PUBLIC_GRAPHQL_URL) return "(the public service)";
  if (!URL.canParse(text)) return UNEXPECTED;
  const { protocol } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return UNEXPECTED;
  return `(${protocol.slice(0, -1)}, ${isPublic(text) ? "another" : "a local"} address)`;
}

/** Free text is never shown: it can name persons and customers. */
const BY_KIND: Readonly<Record<Field["kind"], Treatment>> = {
  text: "length",
  number: "number",
  boolean: "switch",
  select: "choice",
  typed: "length",
  config: "reference",
  credential: "credential",
  list: "choices",
  custom: "none",
  hidden: "reference",
  button: "none",
  section: "none",
  note: "none",
};

/** Fields that are shown in another way than others of their kind. */
export const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, Treatment>>>> = {
  "crec-connection": {
    baseUrl: "address",
    graphqlUrl: "address",
    validSigners: "count",
    minRequiredSignatures: "number",
    families: "count",
  },
  "crec-signer": {
    vaultUrl: "address",
    fireblocksUrl: "address",
    remoteUrl: "address",
    endpoint: "address",
    privyUrl: "address",
  },
  "crec-wallet": { chainSelector: "number" },
  "crec-contract": { chainSelector: "number", decimals: "number" },
  "crec-fleet": { sentinels: "count" },
  "crec-events-in": { store: "length" },
  "crec-alert": {
    conditions: "count",
    endConditions: "count",
    within: "duration",
    compared: "duration",
    absentFor: "duration",
    quiet: "duration",
    confirmWithin: "duration",
    slack: "duration",
  },
  "crec-create-watcher": { chainSelector: "number" },
  "crec-submit-operation": { calls: "count" },
  "crec-run-query": { chainSelector: "number" },
  "crec-search-events": { conditions: "count" },
};

/** How diagnostics show a field of a node. */
export function treatmentOf(type: string, name: string, { kind }: Field): Treatment {
  if (name === "name") return "none";
  return EXCEPTIONS[type]?.[name] ?? BY_KIND[kind];
}
