import type { RsaPublicKey } from "../../src/protocol/index.ts";
import { COMMON } from "../common/shared/common-fields.ts";
import { isAddress, isWebAddress } from "../common/shared/field-checks.ts";
import { describeNode, type NamesOf, type SettingsOf, stored } from "../common/shared/fields.ts";
import type { SignerKind } from "../common/shared/signers.ts";
import { isDerivationPath, isIdentifier, isNamespace, isPathName, isRegion } from "./checks.ts";

const KINDS = [
  "local",
  "local-rsa",
  "aws-kms",
  "vault",
  "fireblocks",
  "privy",
  "remote",
] as const satisfies readonly SignerKind[];
const CUSTODY = { kind: ["aws-kms", "vault", "fireblocks", "privy", "remote"] } as const;
const AWS = { kind: "aws-kms" } as const;
const AWS_KEYS = { ...AWS, awsLogin: "keys" } as const;
const VAULT = { kind: "vault" } as const;
const FIREBLOCKS = { kind: "fireblocks" } as const;
const PRIVY = { kind: "privy" } as const;
const REMOTE = { kind: "remote" } as const;
const REST = { ...REMOTE, remoteProtocol: "eth1-sign" } as const;
const RPC = { ...REMOTE, remoteProtocol: "json-rpc" } as const;

export const NODE = describeNode({
  type: "crec-signer",
  version: 1,
  fields: {
    name: COMMON.name,
    kind: { kind: "select", icon: "key", options: KINDS, default: "local", explained: true },

    privateKey: { kind: "credential", icon: "lock", shown: { kind: "local" } },
    generate: { kind: "button", icon: "magic", result: true, shown: { kind: "local" } },
    /** PEM. A box of one line loses its line breaks, which the library accepts. */
    rsaKey: { kind: "credential", icon: "lock", placeholder: true, shown: { kind: "local-rsa" } },
    generateRsa: { kind: "button", icon: "magic", result: true, shown: { kind: "local-rsa" } },

    // In the order in which each vendor's console shows them.
    region: {
      kind: "text",
      icon: "globe",
      required: true,
      check: isRegion,
      shown: AWS,
      placeholder: { text: "eu-central-1" },
    },
    keyId: { kind: "text", icon: "bookmark", required: true, placeholder: true, shown: AWS },
    awsLogin: {
      kind: "select",
      icon: "user",
      options: ["keys", "environment", "host"],
      default: "keys",
      explained: true,
      shown: AWS,
    },
    awsAccessKeyId: { kind: "credential", placeholder: { text: "AKIA…" }, shown: AWS_KEYS },
    awsSecretAccessKey: { kind: "credential", shown: AWS_KEYS },

    vaultUrl: {
      kind: "text",
      icon: "globe",
      required: true,
      check: isWebAddress,
      shown: VAULT,
      error: "signer.error.url",
      placeholder: { text: "https://vault.example.com:8200" },
    },
    vaultKey: {
      kind: "text",
      icon: "bookmark",
      required: true,
      check: isPathName,
      shown: VAULT,
      placeholder: true,
    },
    vaultKeyVersion: {
      kind: "number",
      icon: "history",
      default: "1",
      least: 1,
      whole: true,
      hint: true,
      shown: VAULT,
    },
    vaultLogin: {
      kind: "select",
      icon: "user",
      options: ["token", "approle", "kubernetes"],
      default: "token",
      explained: true,
      shown: VAULT,
    },
    vaultToken: { kind: "credential", shown: { ...VAULT, vaultLogin: "token" } },
    vaultRoleId: { kind: "text", required: true, shown: { ...VAULT, vaultLogin: "approle" } },
    vaultSecretId: { kind: "credential", shown: { ...VAULT, vaultLogin: "approle" } },
    vaultRole: { kind: "text", required: true, shown: { ...VAULT, vaultLogin: "kubernetes" } },

    fireblocksUrl: {
      kind: "text",
      icon: "globe",
      check: isWebAddress,
      error: "signer.error.url",
      shown: FIREBLOCKS,
      placeholder: { text: "https://api.fireblocks.io" },
      hint: true,
    },
    fireblocksApiKey: { kind: "credential", icon: "user", placeholder: true, shown: FIREBLOCKS },
    fireblocksKey: { kind: "credential", icon: "lock", placeholder: true, shown: FIREBLOCKS },
    fireblocksSource: {
      kind: "select",
      icon: "folder-open-o",
      options: ["vault-account", "derivation-path"],
      default: "vault-account",
      explained: true,
      shown: FIREBLOCKS,
    },
    vaultAccountId: {
      kind: "text",
      required: true,
      placeholder: { text: "0" },
      shown: { ...FIREBLOCKS, fireblocksSource: "vault-account" },
    },
    assetId: {
      kind: "text",
      required: true,
      placeholder: { text: "ETH" },
      hint: true,
      shown: { ...FIREBLOCKS, fireblocksSource: "vault-account" },
    },
    derivationPath: {
      kind: "text",
      required: true,
      check: isDerivationPath,
      placeholder: { text: "44/60/0/0/0" },
      shown: { ...FIREBLOCKS, fireblocksSource: "derivation-path" },
    },
    fireblocksSends: {
      kind: "select",
      icon: "file-text-o",
      options: ["digest", "typed-data"],
      default: "digest",
      shown: { ...FIREBLOCKS, fireblocksSource: "vault-account" },
    },

    privyAppId: { kind: "text", icon: "cube", required: true, shown: PRIVY },
    privyAppSecret: { kind: "credential", icon: "lock", shown: PRIVY },
    privyWalletId: { kind: "text", icon: "credit-card", required: true, shown: PRIVY },
    privyAuthorizationKey: { kind: "credential", icon: "lock", placeholder: true, shown: PRIVY },
    privySends: {
      kind: "select",
      icon: "file-text-o",
      options: ["digest", "typed-data"],
      default: "digest",
      shown: PRIVY,
    },

    remoteUrl: {
      kind: "text",
      icon: "globe",
      required: true,
      check: isWebAddress,
      shown: REMOTE,
      error: "signer.error.url",
      placeholder: { text: "https://signer.example.com:9000" },
    },
    remoteProtocol: {
      kind: "select",
      icon: "exchange",
      options: ["eth1-sign", "json-rpc"],
      default: "eth1-sign",
      explained: true,
      shown: REMOTE,
    },
    remoteIdentifier: {
      kind: "text",
      icon: "key",
      required: true,
      monospace: true,
      check: isIdentifier,
      shown: REST,
      placeholder: { text: "0x…" },
      hint: true,
    },
    remoteAccount: {
      kind: "text",
      icon: "key",
      required: true,
      monospace: true,
      check: isAddress,
      shown: RPC,
      error: "common.error.address",
      placeholder: { text: "0x…" },
    },
    remoteMethod: {
      kind: "select",
      options: ["automatic", "eth_signTypedData_v4", "eth_signTypedData", "account_signTypedData"],
      default: "automatic",
      explained: true,
      shown: RPC,
    },
    remoteLogin: {
      kind: "select",
      icon: "user",
      options: ["none", "bearer", "password"],
      default: "none",
      shown: REMOTE,
    },
    remoteToken: { kind: "credential", shown: { ...REMOTE, remoteLogin: "bearer" } },
    remoteUser: { kind: "text", required: true, shown: { ...REMOTE, remoteLogin: "password" } },
    remotePassword: { kind: "credential", shown: { ...REMOTE, remoteLogin: "password" } },

    more: { kind: "section", folded: true },
    awsSessionToken: { kind: "credential", placeholder: true, shown: AWS_KEYS },
    endpoint: {
      kind: "text",
      icon: "globe",
      check: isWebAddress,
      error: "signer.error.url",
      shown: AWS,
      placeholder: true,
    },
    vaultNamespace: {
      kind: "text",
      icon: "folder-o",
      check: isNamespace,
      placeholder: true,
      shown: VAULT,
    },
    vaultMount: {
      kind: "text",
      icon: "plug",
      check: isPathName,
      error: "signer.error.mount",
      shown: VAULT,
      placeholder: { text: "transit" },
    },
    vaultLoginMount: {
      kind: "text",
      icon: "plug",
      check: isPathName,
      error: "signer.error.mount",
      placeholder: true,
      shown: { ...VAULT, vaultLogin: ["approle", "kubernetes"] },
    },
    fireblocksNote: { kind: "text", icon: "comment-o", placeholder: true, shown: FIREBLOCKS },
    privyUrl: {
      kind: "text",
      icon: "globe",
      check: isWebAddress,
      error: "signer.error.url",
      shown: PRIVY,
      placeholder: { text: "https://api.privy.io" },
    },
    /** Seconds. Empty: what is usual for the kind. */
    timeout: {
      kind: "number",
      icon: "hourglass-half",
      label: "common.label.timeout",
      default: "",
      unit: "common.label.seconds",
      least: 1,
      optional: true,
      error: "common.error.seconds",
      hint: true,
      shown: CUSTODY,
    },
    tls: { kind: "config", type: "tls-config", required: false, icon: "shield", shown: CUSTODY },
    proxy: { kind: "config", type: "http proxy", required: false, icon: "random", shown: CUSTODY },

    key: { kind: "section" },
    /** Of an ECDSA key. That of a key service is remembered: another key there is refused. */
    address: {
      kind: "text",
      icon: "map-marker",
      label: "common.label.address",
      placeholder: true,
      monospace: true,
      readonly: true,
    },
    /** Of an RSA key, for the same reasons. */
    publicKey: stored<RsaPublicKey | "">({
      default: "",
      icon: "map-marker",
      label: "signer.label.publicKey",
    }),
    check: { kind: "custom", label: false, role: "group" },
    keyStorage: { kind: "note", shown: { kind: ["local", "local-rsa"] } },
    custodyNote: { kind: "note", shown: CUSTODY },
  },
});

export type SignerDef = SettingsOf<typeof NODE>;
/** The kinds whose key is in a key service. */
export type CustodyKind = (typeof CUSTODY)["kind"][number];
export type TextName = NamesOf<typeof NODE, "text">;
export type SecretName = NamesOf<typeof NODE, "credential">;
