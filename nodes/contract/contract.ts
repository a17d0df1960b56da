import type { NodeAPI, NodeDef } from "node-red";
import type { Abi } from "../../src/index.ts";
import { registerAbiReader } from "../lib/admin/abi.ts";
import type { ContractNode, ContractRef } from "../lib/config-nodes.ts";
import { type CodedError, nodeError } from "../lib/errors.ts";
import { loadLibrary } from "../lib/library.ts";

export type ContractDef = NodeDef & {
  /** Only for the form: where the list of networks is fetched. */
  connection?: string;
  chainSelector?: string;
  address?: string;
  /** JSON, or human-readable text with one item a line. */
  abi?: string;
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
  let abi: Promise<Abi> | undefined;
  return {
    chainSelector,
    address,
    problem: problemOf(chainSelector, address),
    abi: () => {
      abi ??= loadLibrary().then(({ parseAbi }) => parseAbi(def.abi ?? ""));
      return abi;
    },
  };
}

function problemOf(chainSelector: string, address: string): CodedError | undefined {
  if (!/^\d+$/.test(chainSelector)) {
    return nodeError(
      "CONTRACT_INCOMPLETE",
      "The contract has no network. Open the contract and choose one: it is a chain selector, digits only.",
    );
  }
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
    return nodeError(
      "INVALID_ADDRESS",
      `The contract's address "${address}" is not an address: 0x and 40 hex digits. Open the contract and correct it.`,
    );
  }
  return undefined;
}
