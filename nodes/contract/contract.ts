import type { NodeAPI, NodeDef } from "node-red";
import type { Abi } from "../../src/index.ts";
import { registerAbiReader } from "../lib/admin/abi.ts";
import type { ContractNode, ContractRef } from "../lib/runtime/config-nodes.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { ADDRESS } from "../lib/shared/address.ts";
import { type CodedError, nodeError } from "../lib/shared/errors.ts";
import { requireSet, unsetVariable } from "../lib/shared/variables.ts";

export type ContractDef = NodeDef & {
  /** Only for the form: where the list of networks is fetched. */
  connection?: string;
  chainSelector?: string;
  address?: string;
  /** JSON, or human-readable text with one item a line. */
  abi?: string;
  /** Of a token: how many decimal places it has. Text, since it may be from the environment. */
  decimals?: string | number;
};

export default function register(RED: NodeAPI): void {
  function ConstructContract(this: ContractNode, def: ContractDef): void {
    RED.nodes.createNode(this, def);
    this.contract = openContract(def);
  }
  RED.nodes.registerType("crec-contract", ConstructContract);
  registerAbiReader(RED);
}

function openContract(def: ContractDef): ContractRef {
  const chainSelector = (def.chainSelector ?? "").trim();
  const address = (def.address ?? "").trim();
  const decimals = String(def.decimals ?? "").trim();
  let abi: Promise<Abi> | undefined;
  return {
    chainSelector,
    address,
    decimals: decimals === "" ? undefined : Number(decimals),
    problem: unsetVariable(def) ?? problemOf(chainSelector, address, decimals),
    abi: () => {
      abi ??= loadLibrary().then(({ parseAbi }) => parseAbi(requireSet(def.abi ?? "")));
      return abi;
    },
  };
}

const MOST_DECIMALS = 77;

function problemOf(chainSelector: string, address: string, decimals: string): CodedError | undefined {
  if (!/^\d+$/.test(chainSelector)) {
    return nodeError(
      "CONTRACT_INCOMPLETE",
      "The contract has no network. Open the contract and choose one: it is a chain selector, digits only.",
    );
  }
  if (!ADDRESS.test(address)) {
    return nodeError(
      "INVALID_ADDRESS",
      `The contract's address "${address}" is not an address: 0x and 40 hex digits. Open the contract and correct it.`,
    );
  }
  if (decimals !== "" && !(/^\d{1,2}$/.test(decimals) && Number(decimals) <= MOST_DECIMALS)) {
    return nodeError(
      "INVALID_DECIMALS",
      `The contract's decimals "${decimals}" are no whole number from 0 to ${MOST_DECIMALS}. Open the contract and correct them, or leave them empty where it is not a token.`,
    );
  }
  return undefined;
}
