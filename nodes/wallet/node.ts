import type { NodeAPI } from "node-red";
import type { Wallet } from "../../src/index.ts";
import type { Translate } from "../common/context.ts";
import {
  type Connection,
  connectionOf,
  problemIn,
  sharedLookUp,
  signerOf,
  type WalletNode,
  type WalletRef,
} from "../common/fields/config-nodes.ts";
import { type FormContext, formContext } from "../common/fields/field-reader.ts";
import { fittingSigners, walletTypeAt } from "../common/fields/fitting-signer.ts";
import { type CodedError, nodeError, translatedError } from "../common/shared/errors.ts";
import { ADDRESS } from "../common/shared/field-checks.ts";
import { unsetVariable } from "../common/shared/variables.ts";
import { originOf } from "../common/telemetry/origin.ts";
import { noteWallet } from "../common/telemetry/resources.ts";
import type { Origin } from "../common/telemetry/types.ts";
import { NODE, type WalletDef } from "./fields.ts";
import { configurationError, jsonObject } from "./json-object.ts";

export default function register(RED: NodeAPI): void {
  function ConstructWallet(this: WalletNode, def: WalletDef): void {
    RED.nodes.createNode(this, def);
    this.wallet = openWallet(formContext(RED, this, NODE, def));
  }
  RED.nodes.registerType("crec-wallet", ConstructWallet);
}

function openWallet(context: FormContext<typeof NODE>): WalletRef {
  const { RED, t } = context;
  const { settings } = context.fields;
  const origin = originOf(context.node);
  const label = (settings.wallet ?? "").trim();
  const chainSelector = (settings.chainSelector ?? "").trim();
  // From an environment variable it is an object already.
  const configuration: unknown = settings.configuration;
  const type = (settings.walletType ?? "").trim() || undefined;
  const owner = (settings.owner ?? "").trim() || undefined;
  const isAddress = ADDRESS.test(label);
  const connection = () => connectionOf(RED.nodes, settings.connection);
  let known: Wallet | undefined;
  const found = sharedLookUp((signal) => deployedWallet(connection(), label, signal, origin));
  const byName = async (signal: AbortSignal): Promise<Wallet> => {
    known = await found(signal);
    return known;
  };
  /** Asked once: the next operations do not wait for it where the service does not know the wallet, or refuses. */
  let typeAtAddress: Promise<string | undefined> | undefined;
  const fitting = fittingSigners(async (address, signal) => {
    if (!isAddress) return known?.wallet_type;
    if (type !== undefined) return type;
    typeAtAddress ??= connection()
      .client()
      .then((client) => walletTypeAt(client, address, signal));
    const found = await typeAtAddress;
    if (signal?.aborted) typeAtAddress = undefined;
    return found;
  });
  const signer = () => fitting(signerOf(RED.nodes, settings.signer));
  return {
    label,
    chainSelector,
    type,
    owner,
    configuration: jsonObject(configuration),
    connection,
    signer,
    problem:
      unsetVariable(settings) ??
      problemOf(label, chainSelector, owner) ??
      configurationProblem(t, configuration) ??
      problemIn(connection) ??
      (settings.signer ? problemIn(signer) : undefined),
    address: async (signal) => (isAddress ? label : (await byName(signal)).address),
  };
}

async function deployedWallet(
  connection: Connection,
  name: string,
  signal: AbortSignal,
  origin: Origin,
): Promise<Wallet> {
  const client = await connection.client();
  const wallet = await client.wallets.findByName(name, { signal });
  if (!wallet) {
    throw nodeError(
      "WALLET_NOT_FOUND",
      `There is no wallet named "${name}", or it is archived. Check the name, with its capital letters, and that the API key belongs to its organization. If both are right, create it, for example with the node "manage".`,
    );
  }
  noteWallet(wallet, { service: connection.baseUrl, origin });
  if (wallet.status === "failed") {
    throw nodeError(
      "WALLET_FAILED",
      `The wallet "${name}" could not be deployed, and never will be. Create one with another name, for example with the node "manage", and choose it.`,
    );
  }
  if (wallet.status !== "deployed" || !ADDRESS.test(wallet.address)) {
    throw nodeError(
      "WALLET_NOT_DEPLOYED",
      `The wallet "${name}" is ${wallet.status} and cannot be used yet. Wait until it is deployed, for example with the node "manage".`,
    );
  }
  return wallet;
}

function configurationProblem(t: Translate, configuration: unknown): CodedError | undefined {
  const isEmpty =
    typeof configuration === "string" ? configuration.trim() === "" : configuration === undefined;
  const key = isEmpty ? undefined : configurationError(configuration);
  return key === undefined ? undefined : translatedError("INVALID_FIELD", t(key));
}

function problemOf(label: string, chainSelector: string, owner: string | undefined): CodedError | undefined {
  if (label === "") {
    return nodeError(
      "WALLET_INCOMPLETE",
      "The wallet's name or address is missing. Open the wallet and fill it in.",
    );
  }
  if (!/^\d+$/.test(chainSelector)) {
    return nodeError("WALLET_INCOMPLETE", "The wallet's network is missing. Open the wallet and choose one.");
  }
  if (owner !== undefined && !ADDRESS.test(owner)) {
    return nodeError("INVALID_ADDRESS", "The wallet's owner must be an address: 0x and 40 hex digits.");
  }
  return undefined;
}
