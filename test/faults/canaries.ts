import { generateKeyPairSync } from "node:crypto";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** Secrets that must never leave the credentials, each easy to find. */
export const CANARIES = {
  apiKey: "canary+key/ZqX-0123456789abcdef==",
  signerKey: `0x${"c0ffee5eed".repeat(6)}0123`,
  awsSecretAccessKey: "CanaryAws/Secret+0123456789abcdefghijklmn",
  vaultToken: "hvs.CanaryVaultToken0123456789",
  fireblocksKey: privateKey,
  fireblocksApiKey: "canary-fireblocks-api-0123456789",
  privyAppSecret: "canary_privy_secret_0123456789",
  postgresPassword: "canary-postgres!pass&0123456789",
  redisPassword: "canary-redis!pass&0123456789",
  monitoringToken: "canary-monitoring-token-0123456789",
} as const;

/** A secret as it is, and as other writers would write it. */
export function inDisguise(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = secret.startsWith("0x")
    ? [secret.slice(2), Buffer.from(secret.slice(2), "hex").toString("base64")]
    : [];
  // The body of a PEM, without its frame, whose lines others share.
  const lines = secret.includes("-----") ? secret.split("\n").slice(2, 6) : [];
  return [
    ...(lines.length > 0 ? lines : [secret]),
    ...[bytes.toString("base64"), bytes.toString("base64url"), bytes.toString("hex")],
    ...[encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...hex],
  ];
}

/** The names of the secrets that a text contains, in any of these forms. */
export function hitsIn(text: string): string[] {
  const lower = text.toLowerCase();
  return Object.entries(CANARIES)
    .filter(([, secret]) => inDisguise(secret).some((form) => lower.includes(form.toLowerCase())))
    .map(([name]) => name);
}
