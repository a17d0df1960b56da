import type { Field } from "../../../nodes/common/shared/fields.ts";
import type { Treatment } from "./show-value.ts";

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
