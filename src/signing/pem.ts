import { createPrivateKey, type KeyObject } from "node:crypto";
import { ArgumentError } from "../errors.ts";

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g;
/** Above the longest key with the certificates before it. To search a text for its blocks takes time by its square. */
const LONGEST = 32 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const FORMATS: Readonly<Record<string, "pkcs8" | "pkcs1" | "sec1">> = {
  "PRIVATE KEY": "pkcs8",
  "RSA PRIVATE KEY": "pkcs1",
  "EC PRIVATE KEY": "sec1",
};

/**
 * The private key of a PEM text: PKCS#8, PKCS#1 or SEC1, without a passphrase. A text field of one line loses line
 * breaks, and environment variables often have `\n` in their place: both are accepted.
 *
 * @param path Names the value in errors.
 * @throws {ArgumentError} `INVALID_PRIVATE_KEY`. No error message contains the key.
 * @internal
 */
export function readPemPrivateKey(pem: string, path: string): KeyObject {
  if (typeof pem !== "string" || pem.length > LONGEST) throw unreadable(path);
  const text = pem.replaceAll("\\r", "\n").replaceAll("\\n", "\n");
  const blocks = [...text.matchAll(BLOCK)].map(([, label = "", body = ""]) => ({ label, body }));
  const block = blocks.find(({ label }) => label.endsWith("PRIVATE KEY"));
  if (block === undefined) throw withoutKey(path, text, blocks[0]?.label);
  const { label, body } = block;
  if (`${label} ${body}`.includes("ENCRYPTED")) throw encrypted(path);
  const type = FORMATS[label];
  const base64 = body.replace(/\s+/g, "");
  if (type === undefined || !BASE64.test(base64)) throw unreadable(path);
  try {
    return createPrivateKey({ key: Buffer.from(base64, "base64"), format: "der", type });
  } catch {
    // No cause: it might contain the key.
    throw unreadable(path);
  }
}

function withoutKey(path: string, text: string, label: string | undefined): ArgumentError {
  if (label !== undefined) {
    return invalid(
      path,
      `must be a private key, and this is a ${label.toLowerCase()}. Paste the file with the private key.`,
    );
  }
  if (text.includes("-----BEGIN")) {
    return invalid(path, "is cut off. Paste it whole, from -----BEGIN to the end of the -----END line.");
  }
  return unreadable(path);
}

function encrypted(path: string): ArgumentError {
  return invalid(path, "has a passphrase. Remove it, for example with openssl pkey, and paste the result.");
}

function unreadable(path: string): ArgumentError {
  return invalid(path, "must be a private key as PEM, with its -----BEGIN and -----END lines.");
}

function invalid(path: string, problem: string): ArgumentError {
  return new ArgumentError(path, `${path} ${problem}`, { code: "INVALID_PRIVATE_KEY" });
}
