import { credentialsOf } from "../../../nodes/common/shared/field-rules.ts";
import { NODE as SIGNER } from "../../../nodes/signer/fields.ts";
import type { FlowNode } from "../../shared/job.ts";

/** The fields that each type keeps apart from the flow. A flow that was written by hand may hold them all the same. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  "crec-connection": ["apiKey"],
  "crec-fleet": ["url", "sentinelPassword"],
  "crec-signer": Object.keys(credentialsOf(SIGNER)),
  "mqtt-broker": ["user", "password"],
  "http request": ["user", "password"],
  "http proxy": ["username", "password"],
  "tls-config": ["certdata", "keydata", "cadata", "passphrase"],
  "e-mail": ["userid", "password"],
};

/** What a secret is usually called. */
const SECRET_NAME = /(?:KEY|PASSWORD|PASSPHRASE|SECRET|TOKEN)$|^CREC_API_KEY/i;

/** Whether a variable holds a secret, judged by its name. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** A node in two parts: what may be handed over, and its credentials. */
export function splitCredentials(node: FlowNode): { open: FlowNode; secret: Record<string, unknown> } {
  const { credentials, ...others } = node;
  const fields = new Set(FIELDS[node.type]);
  const [secret, open]: [Record<string, unknown>, Record<string, unknown>] = [{ credentials }, {}];
  for (const [name, value] of Object.entries(others)) (fields.has(name) ? secret : open)[name] = value;
  if (Array.isArray(node.env)) {
    secret.env = node.env.filter(isCredential);
    open.env = node.env.filter((entry) => !isCredential(entry));
  }
  return { open: open as FlowNode, secret };
}

function isCredential(entry: unknown): boolean {
  return typeof entry === "object" && entry !== null && "type" in entry && entry.type === "cred";
}
