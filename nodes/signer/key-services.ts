import type { CustodyOptions, CustodySigner } from "../../src/index.ts";
import type { Library } from "../common/library.ts";
import type { SignerKind } from "../common/shared/signers.ts";
import { derivationPathIn } from "./checks.ts";
import { type CustodyKind, NODE } from "./fields.ts";
import type { PlainName, SignerValues } from "./values.ts";

/** A kind of signer whose key is in a key service. */
export type KeyService = {
  /** As people call it. */
  custodian: string;
  /** A signature may wait for a person, so nothing is to wait for it. */
  mayAskPerson?: true;
  /** The field with the address that secrets are sent to. */
  addressField: PlainName;
  /** The address while that field is empty; empty if the kind has no such address. */
  defaultAddress(values: SignerValues): string;
  /** Other addresses of the provider. What the environment holds may be sent to these, too. */
  otherAddresses?: readonly string[];
  /** What the environment or the machine supplies in place of a secret in the form, as people call it. */
  ambientSecret?(values: SignerValues): string | undefined;
  /** What else decides who receives a secret, such as a namespace. */
  inside?(values: SignerValues): string[];
  open(library: Library, values: SignerValues, options: CustodyOptions): Promise<CustodySigner>;
};

const REMOTE: KeyService = {
  custodian: "The remote signer",
  mayAskPerson: true,
  addressField: "remoteUrl",
  defaultAddress: () => "",
  open: (library, values, options) =>
    library.remoteSigner({
      url: values.text("remoteUrl"),
      ...protocolOf(values),
      ...authorizationOf(values),
      ...options,
    }),
};

function protocolOf(values: SignerValues) {
  if (values.text("remoteProtocol") === "eth1-sign") {
    return { protocol: "eth1-sign", identifier: values.text("remoteIdentifier") } as const;
  }
  const chosen = METHODS.find((one) => one === values.text("remoteMethod"));
  const method = chosen === "automatic" ? undefined : chosen;
  const address = values.text("remoteAccount");
  return { protocol: "json-rpc", address, ...(method ? { method } : {}) } as const;
}

const METHODS = NODE.fields.remoteMethod.options;

function authorizationOf(values: SignerValues) {
  switch (values.text("remoteLogin")) {
    case "bearer":
      return { authorization: { bearer: values.secret("remoteToken") } };
    case "password":
      return {
        authorization: { user: values.text("remoteUser"), password: values.secret("remotePassword") },
      };
    default:
      return {};
  }
}

const VAULT: KeyService = {
  custodian: "Vault",
  addressField: "vaultUrl",
  defaultAddress: () => "",
  ambientSecret: (values) =>
    values.text("vaultLogin") === "kubernetes" ? "The token of this pod" : undefined,
  inside: (values) => {
    const namespace = values.text("vaultNamespace").replace(/^\/|\/$/g, "");
    return namespace === "" ? [] : [`the namespace ${namespace}`];
  },
  open: (library, values, options) =>
    library.vaultSigner({
      url: values.text("vaultUrl"),
      ...given("namespace", values.text("vaultNamespace")),
      ...given("mount", values.text("vaultMount")),
      key: values.text("vaultKey"),
      keyVersion: Number(values.text("vaultKeyVersion")),
      login: loginOf(values),
      ...options,
    }),
};

function loginOf(values: SignerValues) {
  const mount = given("mount", values.text("vaultLoginMount"));
  switch (values.text("vaultLogin")) {
    case "approle": {
      const [roleId, secretId] = [values.text("vaultRoleId"), values.secret("vaultSecretId")];
      return { method: "approle", roleId, secretId, ...mount } as const;
    }
    case "kubernetes":
      return { method: "kubernetes", role: values.text("vaultRole"), ...mount } as const;
    default:
      return { method: "token", token: values.secret("vaultToken") } as const;
  }
}

export const PRIVY: KeyService = {
  custodian: "Privy",
  addressField: "privyUrl",
  defaultAddress: () => "https://api.privy.io",
  open: (library, values, options) =>
    library.privySigner({
      ...given("url", values.text("privyUrl")),
      appId: values.text("privyAppId"),
      appSecret: values.secret("privyAppSecret"),
      walletId: values.text("privyWalletId"),
      ...given("authorizationKey", values.secret("privyAuthorizationKey")),
      sends: values.text("privySends") === "typed-data" ? "typed-data" : "digest",
      ...options,
    }),
};

export const FIREBLOCKS: KeyService = {
  custodian: "Fireblocks",
  mayAskPerson: true,
  addressField: "fireblocksUrl",
  defaultAddress: () => "https://api.fireblocks.io",
  otherAddresses: [
    "https://sandbox-api.fireblocks.io",
    "https://eu-api.fireblocks.io",
    "https://eu2-api.fireblocks.io",
  ],
  open: (library, values, options) =>
    library.fireblocksSigner({
      ...given("url", values.text("fireblocksUrl")),
      apiKey: values.secret("fireblocksApiKey"),
      privateKey: values.secret("fireblocksKey"),
      source: sourceOf(values),
      sends: values.text("fireblocksSends") === "typed-data" ? "typed-data" : "digest",
      ...given("note", values.text("fireblocksNote")),
      ...options,
    }),
};

function sourceOf(values: SignerValues) {
  return values.text("fireblocksSource") === "derivation-path"
    ? { derivationPath: derivationPathIn(values.text("derivationPath")) }
    : { vaultAccountId: values.text("vaultAccountId"), assetId: values.text("assetId") };
}

export const AWS_KMS: KeyService = {
  custodian: "AWS KMS",
  addressField: "endpoint",
  defaultAddress: (values) => `https://kms.${values.text("region")}.${domainOf(values.text("region"))}`,
  ambientSecret: (values) => AMBIENT[values.text("awsLogin")],
  open: (library, values, options) =>
    library.awsKmsSigner({
      keyId: values.text("keyId"),
      region: values.text("region"),
      ...given("endpoint", values.text("endpoint")),
      credentials: credentialsOf(values),
      ...options,
    }),
};

/** Of AWS's partitions, by the beginning of a region's name. */
const DOMAINS: ReadonlyArray<[beginning: string, domain: string]> = [
  ["cn-", "amazonaws.com.cn"],
  ["eusc-", "amazonaws.eu"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
  ["us-isof-", "csp.hci.ic.gov"],
];

function domainOf(region: string): string {
  return DOMAINS.find(([beginning]) => region.startsWith(beginning))?.[1] ?? "amazonaws.com";
}

const AMBIENT: Readonly<Record<string, string>> = {
  environment: "The access key of the environment",
  host: "The role of this machine",
};

function credentialsOf(values: SignerValues) {
  const login = values.text("awsLogin");
  if (login === "environment" || login === "host") return login;
  return {
    accessKeyId: values.secret("awsAccessKeyId"),
    secretAccessKey: values.secret("awsSecretAccessKey"),
    ...given("sessionToken", values.secret("awsSessionToken")),
  };
}

const KEY_SERVICES: Readonly<Record<CustodyKind, KeyService>> = {
  "aws-kms": AWS_KMS,
  vault: VAULT,
  fireblocks: FIREBLOCKS,
  privy: PRIVY,
  remote: REMOTE,
};

/** The key service of a kind; undefined where Node-RED has the key. */
export function keyServiceOf(kind: SignerKind): KeyService | undefined {
  return Object.hasOwn(KEY_SERVICES, kind) ? KEY_SERVICES[kind as CustodyKind] : undefined;
}

/** An option that is left out while its field is empty. */
function given<Name extends string>(name: Name, value: string): Partial<Record<Name, string>> {
  return value === "" ? {} : ({ [name]: value } as Record<Name, string>);
}
