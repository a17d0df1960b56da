import { generateKeyPairSync, type KeyObject } from "node:crypto";
import should from "should";
import { readPemPrivateKey } from "../../src/signing/rsa.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });

function pemOf(key: KeyObject, type: "pkcs8" | "pkcs1" | "sec1" | "spki"): string {
  return key.export({ type: type as "pkcs8", format: "pem" }).toString();
}

const keys = {
  "PKCS#8": [pemOf(rsa.privateKey, "pkcs8"), rsa.privateKey],
  "PKCS#1": [pemOf(rsa.privateKey, "pkcs1"), rsa.privateKey],
  SEC1: [pemOf(ec.privateKey, "sec1"), ec.privateKey],
} as const;

/** What happens to a PEM text on its way into a text field or an environment variable. */
const pasted: Record<string, (pem: string) => string> = {
  "as it is": (pem) => pem,
  "with line breaks of Windows": (pem) => pem.replaceAll("\n", "\r\n"),
  "with \\n for line breaks": (pem) => pem.replaceAll("\n", "\\n"),
  "with \\r\\n for line breaks": (pem) => pem.replaceAll("\n", "\\r\\n"),
  "with spaces for line breaks": (pem) => pem.replaceAll("\n", " "),
  "without line breaks": (pem) => pem.replaceAll("\n", ""),
  "in quotes": (pem) => `"${pem.replaceAll("\n", "\\n")}"`,
  "behind the certificate of the same file": (pem) =>
    `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${pem}`,
};

describe("a private key as PEM", () => {
  for (const [format, [pem, key]] of Object.entries(keys)) {
    for (const [how, paste] of Object.entries(pasted)) {
      it(`is read: ${format}, ${how}`, () => {
        should(readPemPrivateKey(paste(pem), "privateKey").equals(key)).be.true();
      });
    }
  }

  const [pem] = keys["PKCS#8"];
  const withPassphrase = (type: "pkcs1" | "pkcs8") =>
    rsa.privateKey
      .export({ type, format: "pem", cipher: "aes-256-cbc", passphrase: "secret" } as never)
      .toString();
  for (const [what, text, message] of [
    ["a text that would take minutes to search", "-----BEGIN A-----".repeat(60_000), /must be a private key/],
    ["nothing", "", /^apiSecret must be a private key as PEM, with its/],
    ["something else", "0123456789", /^apiSecret must be a private key as PEM, with its/],
    ["a public key", pemOf(rsa.publicKey, "spki"), /and this is a public key/],
    ["a key without its end", pem.slice(0, 900), /is cut off/],
    ["a key with a line missing", pem.split("\n").toSpliced(5, 1).join("\n"), /must be a private key as PEM/],
    ["a key with a character too many", pem.replace("MII", "MI!I"), /must be a private key as PEM/],
    ["an encrypted key in PKCS#8", withPassphrase("pkcs8"), /has a passphrase/],
    ["an encrypted key in PKCS#1", withPassphrase("pkcs1"), /has a passphrase/],
  ] as const) {
    it(`is refused with what to do: ${what}`, () => {
      const expected = { code: "INVALID_PRIVATE_KEY", path: "apiSecret", message };
      should(() => readPemPrivateKey(text, "apiSecret")).throw(expected);
    });
  }
});
