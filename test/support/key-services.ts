import { SigningKey } from "ethers";
import { generatePrivateKey, localEcdsaSigner, type RsaPublicKey } from "../../src/index.ts";
import { FireblocksServer } from "./fireblocks.ts";
import { ACCESS_KEY, ecdsaKey, KmsStandIn, REGION } from "./kms.ts";
import type { FlowNode } from "./node-red.ts";
import { PrivyServer } from "./privy.ts";
import { VaultServer } from "./vault.ts";
import { startWeb3Signer } from "./web3signer.ts";

/** A key service, and the settings of a signer for it. */
export type KeyServiceUnderTest = {
  kind: string;
  /** What people call it. */
  custodian: string;
  /** The field with its address. */
  addressField: string;
  /** The settings that are no secrets, with the address. */
  settings: Record<string, string>;
  secrets: Record<string, string>;
  /** The public part of its key, where the test knows it beforehand. */
  key: { address: string; publicKey?: RsaPublicKey };
  /** How often it was asked. */
  asked(): number;
};

export type KeyServices = {
  all: readonly KeyServiceUnderTest[];
  kms: KmsStandIn;
  fireblocks: FireblocksServer;
  close(): Promise<void>;
};

/** One of each, with the real protocols. */
export async function startKeyServices(): Promise<KeyServices> {
  const remoteKey = generatePrivateKey();
  const [kms, vault, fireblocks, privy, web3signer] = await Promise.all([
    KmsStandIn.start(),
    VaultServer.start(),
    FireblocksServer.start(),
    PrivyServer.start(),
    startWeb3Signer([remoteKey]),
  ]);
  // Each state takes a second, until it is asked for again.
  fireblocks.states = ["SUBMITTED", "COMPLETED"];
  const kmsSecret = generatePrivateKey();
  kms.keys.set("payments", ecdsaKey(Buffer.from(kmsSecret.slice(2), "hex")));
  const all: KeyServiceUnderTest[] = [
    {
      kind: "aws-kms",
      custodian: "AWS KMS",
      addressField: "endpoint",
      settings: { region: REGION, keyId: "payments", awsLogin: "keys", endpoint: kms.endpoint },
      secrets: { awsAccessKeyId: ACCESS_KEY.accessKeyId, awsSecretAccessKey: ACCESS_KEY.secretAccessKey },
      key: { address: localEcdsaSigner(kmsSecret).address },
      asked: () => kms.calls.length,
    },
    {
      kind: "vault",
      custodian: "Vault",
      addressField: "vaultUrl",
      settings: {
        ...{ vaultUrl: vault.url, vaultKey: vault.key, vaultKeyVersion: "1", vaultLogin: "approle" },
        vaultRoleId: vault.roleId,
      },
      secrets: { vaultSecretId: vault.secretId },
      key: { address: "" },
      asked: () => vault.asked.length,
    },
    {
      kind: "fireblocks",
      custodian: "Fireblocks",
      addressField: "fireblocksUrl",
      settings: { fireblocksUrl: fireblocks.url, ...fireblocks.source, fireblocksNote: "by a test" },
      secrets: {
        fireblocksApiKey: fireblocks.apiKey,
        // As a box of one line leaves it.
        fireblocksKey: fireblocks.privateKey.replaceAll("\n", ""),
      },
      key: { address: fireblocks.address },
      asked: () => fireblocks.asked.length,
    },
    {
      kind: "privy",
      custodian: "Privy",
      addressField: "privyUrl",
      settings: { privyUrl: privy.url, privyAppId: privy.appId, privyWalletId: privy.walletId },
      secrets: { privyAppSecret: privy.appSecret },
      key: { address: privy.address },
      asked: () => privy.asked.length,
    },
    {
      kind: "remote",
      custodian: "The remote signer",
      addressField: "remoteUrl",
      settings: {
        ...{ remoteUrl: web3signer.url, remoteProtocol: "eth1-sign", remoteLogin: "bearer" },
        remoteIdentifier: `0x${new SigningKey(remoteKey).publicKey.slice(4)}`,
      },
      secrets: { remoteToken: `token-${remoteKey.slice(-8)}` },
      key: { address: localEcdsaSigner(remoteKey).address },
      asked: () => web3signer.asked.length,
    },
  ];
  const close = async () => {
    await Promise.all([kms.close(), vault.close(), fireblocks.close(), privy.close(), web3signer.close()]);
  };
  return { all, kms, fireblocks, close };
}

/** A signer of a flow that uses a key service. */
export function custodySigner(
  service: KeyServiceUnderTest,
  { credentials = service.secrets, ...properties }: Partial<FlowNode> = {},
): FlowNode {
  return {
    // Not the kind itself: Node-RED takes a value that is a node's id for a reference.
    id: `with-${service.kind}`,
    type: "crec-signer",
    kind: service.kind,
    address: "",
    ...service.settings,
    credentials,
    ...properties,
  };
}
