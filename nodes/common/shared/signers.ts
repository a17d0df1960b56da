import { SIGNING_TIMEOUTS_MS as MS, PUBLIC_VERIFICATION } from "../../../src/protocol/signers.ts";

/** The kinds of keys that sign for wallets. */
export type KeyKind = "ecdsa" | "rsa";

const KEYS: Readonly<Record<string, KeyKind>> = {
  ecdsa: "ecdsa",
  protected_ecdsa: "ecdsa",
  rsa: "rsa",
  protected_rsa: "rsa",
};

/** The kind of keys that sign for wallets of a type; undefined for a type that this version does not know. */
export function keyOfWallet(walletType: unknown): KeyKind | undefined {
  return typeof walletType === "string" && Object.hasOwn(KEYS, walletType) ? KEYS[walletType] : undefined;
}

/** How long a signature of a signer may take, and whether a person may have to approve it. */
type SignerTime = {
  /** Seconds until it is given up, where the form says nothing else; 0 for a key in Node-RED, which signs at once. */
  timeout: number;
  /** Whether a person may have to approve each signature. */
  mayAskPeople: boolean;
  /** The kind of its key; undefined where the key service has both. */
  keyKind: KeyKind | undefined;
};

/** By the `kind` that is stored with a signer. The times of key services are those of the library. */
export const SIGNER_KINDS = {
  local: { timeout: 0, mayAskPeople: false, keyKind: "ecdsa" },
  "local-rsa": { timeout: 0, mayAskPeople: false, keyKind: "rsa" },
  "aws-kms": { timeout: MS["aws-kms"] / 1000, mayAskPeople: false, keyKind: undefined },
  vault: { timeout: MS.vault / 1000, mayAskPeople: false, keyKind: "rsa" },
  fireblocks: { timeout: MS.fireblocks / 1000, mayAskPeople: true, keyKind: "ecdsa" },
  privy: { timeout: MS.privy / 1000, mayAskPeople: false, keyKind: "ecdsa" },
  remote: { timeout: MS.remote / 1000, mayAskPeople: true, keyKind: "ecdsa" },
} as const satisfies Readonly<Record<string, SignerTime>>;

export type SignerKind = keyof typeof SIGNER_KINDS;

/** The longest time in seconds that a signer may take, by its stored settings. Earlier versions stored no kind. */
export function longestSigning({ kind, timeout }: { kind?: unknown; timeout?: unknown }): number {
  const name = String(kind || "local");
  const { timeout: byDefault } = Object.hasOwn(SIGNER_KINDS, name)
    ? SIGNER_KINDS[name as SignerKind]
    : SIGNER_KINDS.local;
  if (byDefault === 0) return 0;
  const seconds = Number(String(timeout ?? "").trim() || byDefault);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : byDefault;
}

/** The kind of a signer's key, by its stored settings: what a key service answered before, or else what its kind says. */
export function keyOfSigner(signer: Readonly<Record<string, unknown>>): KeyKind | undefined {
  const { kind, address, publicKey } = signer;
  const name = String(kind || "local");
  const known = Object.hasOwn(SIGNER_KINDS, name) ? SIGNER_KINDS[name as SignerKind].keyKind : undefined;
  if (known !== undefined) return known;
  if (address) return "ecdsa";
  return publicKey ? "rsa" : undefined;
}

type Filled = {
  validSigners: readonly string[];
  orgId?: unknown;
  workflowOwner?: unknown;
  /** As a list or by name. */
  families?: unknown;
};

/**
 * Whether nobody has set up verification: there is no organization, and no signers but those that a new connection
 * comes with. What is filled in by half is a mistake, and no choice.
 */
export function isVerificationUntouched({ validSigners, orgId, workflowOwner, families }: Filled): boolean {
  if (isFilled(orgId) || isFilled(workflowOwner) || Object.keys(families ?? {}).length > 0) return false;
  const preset: readonly string[] = PUBLIC_VERIFICATION.validSigners;
  return (
    validSigners.length === 0 ||
    (validSigners.length === preset.length &&
      validSigners.every((signer) => preset.includes(signer.toLowerCase())))
  );
}

/** The addresses of a field, with whatever between them. */
export function signersIn(text: unknown): string[] {
  return String(text ?? "")
    .split(/[\s,;]+/)
    .filter((signer) => signer !== "");
}

function isFilled(value: unknown): boolean {
  return String(value ?? "").trim() !== "";
}
