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
