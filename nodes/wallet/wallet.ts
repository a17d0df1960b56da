import type { NodeAPI, NodeDef } from "node-red";
import {
  connectionOf,
  problemIn,
  signerOf,
  type WalletNode,
  type WalletRef,
} from "../lib/runtime/config-nodes.ts";
import { ADDRESS } from "../lib/shared/address.ts";
import { type CodedError, nodeError } from "../lib/shared/errors.ts";
import { unsetVariable } from "../lib/shared/variables.ts";
import { type JsonProblem, jsonObject, jsonProblem } from "./json-object.ts";

export type WalletDef = NodeDef & {
  connection?: string;
  chainSelector?: string;
  /** The wallet's name, or the address of its smart account. */
  wallet?: string;
  /** None where operations are only drafted: another flow, or another Node-RED, signs them. */
  signer?: string;
  /** Of a wallet that is created: a JSON object; of an environment variable it may be one already. */
  configuration?: string | Record<string, unknown>;
};

const WRONG_CONFIGURATION: Readonly<Record<JsonProblem, string>> = {
  "not-object":
    "The configuration of the wallet is not a JSON object. Correct it in the wallet, or leave it empty.",
  "rounded-number":
    "The configuration of the wallet has a number that is too large and would be rounded. Write the number as text, in quotes.",
};

export default function register(RED: NodeAPI): void {
  function ConstructWallet(this: WalletNode, def: WalletDef): void {
    RED.nodes.createNode(this, def);
    this.wallet = openWallet(RED, def);
  }
  RED.nodes.registerType("crec-wallet", ConstructWallet);
}

function openWallet(RED: NodeAPI, def: WalletDef): WalletRef {
  const label = (def.wallet ?? "").trim();
  const chainSelector = (def.chainSelector ?? "").trim();
  const configuration = jsonObject(def.configuration);
  const connection = () => connectionOf(RED, def.connection);
  const signer = () => signerOf(RED, def.signer);
  let known: string | undefined;
  return {
    label,
    chainSelector,
    configuration,
    connection,
    signer,
    problem:
      unsetVariable(def) ??
      problemOf(label, chainSelector) ??
      configurationProblem(def) ??
      problemIn(connection) ??
      (def.signer ? problemIn(signer) : undefined),
    address: async (signal) => {
      if (ADDRESS.test(label)) return label;
      known ??= await deployedAddress(connection, label, signal);
      return known;
    },
  };
}

async function deployedAddress(
  connection: WalletRef["connection"],
  name: string,
  signal: AbortSignal,
): Promise<string> {
  const client = await connection().client();
  const wallet = await client.wallets.findByName(name, { signal });
  if (!wallet) {
    throw nodeError(
      "WALLET_NOT_FOUND",
      `There is no wallet named "${name}". Create it first: the node "manage" can.`,
    );
  }
  if (wallet.status !== "deployed" || !ADDRESS.test(wallet.address)) {
    throw nodeError(
      "WALLET_NOT_DEPLOYED",
      `The wallet "${name}" is ${wallet.status}, so it cannot act yet. Wait until it is deployed: "manage" waits for it.`,
    );
  }
  return wallet.address;
}

function configurationProblem({ configuration }: WalletDef): CodedError | undefined {
  const isEmpty =
    typeof configuration === "string" ? configuration.trim() === "" : configuration === undefined;
  const problem = isEmpty ? undefined : jsonProblem(configuration);
  return problem && nodeError("INVALID_FIELD", WRONG_CONFIGURATION[problem]);
}

function problemOf(label: string, chainSelector: string): CodedError | undefined {
  if (label === "") {
    return nodeError(
      "WALLET_INCOMPLETE",
      "The wallet has neither name nor address. Open the wallet and fill it in.",
    );
  }
  if (!/^\d+$/.test(chainSelector)) {
    return nodeError("WALLET_INCOMPLETE", "The wallet has no network. Open the wallet and choose one.");
  }
  return undefined;
}
