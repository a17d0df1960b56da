import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { ArgumentError } from "../../errors.ts";
import { readPemPrivateKey } from "../pem.ts";

/** What an authorization key signs of a request. */
type AuthorizedRequest = {
  method: "POST";
  /** Complete. */
  url: string;
  body: unknown;
  /** Those whose names begin with `privy-`, without the signature. */
  headers: Record<string, string>;
};

const PREFIX = /^wallet-(?:auth|api):/;

/**
 * An authorization key, as the dashboard shows it (`wallet-auth:` and PKCS#8 as base64), or as PEM.
 * @internal
 * @throws {ArgumentError} `INVALID_PRIVATE_KEY`
 */
export function authorizationKeyOf(text: string): KeyObject {
  const trimmed = text.trim();
  const key = trimmed.includes("-----BEGIN")
    ? readPemPrivateKey(trimmed, "authorizationKey")
    : readKey(trimmed);
  if (key?.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  throw new ArgumentError(
    "authorizationKey",
    "authorizationKey must be a P-256 key as Privy's dashboard shows it: wallet-auth: and base64.",
    { code: "INVALID_PRIVATE_KEY" },
  );
}

/**
 * The header `privy-authorization-signature`: ECDSA P-256 with SHA-256, DER, as base64.
 * @internal
 */
export function authorizationSignature(key: KeyObject, request: AuthorizedRequest): string {
  const signed = canonicalJson({ version: 1, ...request });
  return sign("sha256", Buffer.from(signed), key).toString("base64");
}

function readKey(text: string): KeyObject | undefined {
  const der = Buffer.from(text.replace(PREFIX, ""), "base64");
  try {
    return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  } catch {
    return undefined;
  }
}

/** JSON in the canonical form of RFC 8785: no spaces, and the names of each object sorted. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}
