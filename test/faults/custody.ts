import { localEcdsaSigner } from "../../src/index.ts";
import type { FlowNode } from "../support/node-red.ts";
import { connectionNode, verifyEventNode } from "../support/nodes.ts";
import { call, submitNode } from "../support/operation-nodes.ts";
import { StandIn } from "../support/stand-in.ts";
import { CANARIES } from "./canaries.ts";
import type { World } from "./world.ts";

/** Nodes whose keys are in key services, or whose state is in databases, which all refuse and repeat what they got. */
export type Custody = { config: FlowNode[]; nodes: Array<[FlowNode, number]>; close: () => Promise<void> };

export async function custodyOf(world: World): Promise<Custody> {
  const echo = await StandIn.start();
  echo.answer = ({ headers, body }) => ({
    status: 403,
    body: { errors: [JSON.stringify(headers), body.toString()], message: JSON.stringify(headers) },
  });
  const { url } = echo;
  const { address } = localEcdsaSigner(CANARIES.signerKey);
  const signer = (kind: string, properties: object, credentials: object): FlowNode => ({
    ...{ id: `signer-${kind}`, type: "crec-signer", kind, address, ...properties },
    credentials,
  });
  const signers = [
    signer(
      "vault",
      { vaultUrl: url, vaultKey: "key", vaultKeyVersion: "1", vaultLogin: "token" },
      { vaultToken: CANARIES.vaultToken },
    ),
    signer(
      "fireblocks",
      { fireblocksUrl: url, fireblocksSource: "vault-account", vaultAccountId: "0", assetId: "ETH" },
      { fireblocksApiKey: CANARIES.fireblocksApiKey, fireblocksKey: CANARIES.fireblocksKey },
    ),
    signer(
      "privy",
      { privyAppId: "app", privyWalletId: "wallet" },
      { privyAppSecret: CANARIES.privyAppSecret },
    ),
    signer(
      "aws-kms",
      { region: "eu-central-1", keyId: "alias/key", awsLogin: "keys" },
      { awsAccessKeyId: "AKIACANARY0123456789", awsSecretAccessKey: CANARIES.awsSecretAccessKey },
    ),
  ];
  // Nothing listens at port 1.
  const fleets = [
    ["postgres", `postgres://user:${encodeURIComponent(CANARIES.postgresPassword)}@127.0.0.1:1/state`],
    ["redis", `redis://user:${encodeURIComponent(CANARIES.redisPassword)}@127.0.0.1:1/0`],
  ].map(
    ([engine, address = ""]): FlowNode => ({
      ...{ id: `fleet-${engine}`, type: "crec-fleet", lease: "15", credentials: { url: address } },
    }),
  );
  const wallets = signers.map(({ id }) => ({
    ...{
      id: `wallet-${id}`,
      type: "crec-wallet",
      connection: "direct",
      chainSelector: world.ready.chain_selector,
    },
    ...{ wallet: world.wallet.name, signer: id },
  }));
  const channel = {
    id: "direct-channel",
    type: "crec-channel",
    connection: "direct",
    channel: world.channelId,
  };
  const submits = wallets.map(({ id }): [FlowNode, number] => [
    submitNode({
      ...{ id: `submit-${id}`, channel: channel.id, wallet: id, calls: [call("counter", "increment()")] },
      ...{ waitFor: "accepted", follow: false, timeout: "20" },
    }),
    2,
  ]);
  const verifies = fleets.map(({ id }): [FlowNode, number] => [
    verifyEventNode({ id: `verify-${id}`, connection: "direct", firstTimeOnly: true, fleet: id }),
    3,
  ]);
  return {
    config: [connectionNode(world.ready, { id: "direct" }), channel, ...signers, ...wallets, ...fleets],
    nodes: [...submits, ...verifies],
    close: () => echo.close(),
  };
}
