import type { NodeAPI } from "node-red";
import type { Abi } from "../../src/index.ts";
import { registerAbiReader } from "../common/admin/abi.ts";
import { registerContractReader } from "../common/admin/read-contract.ts";
import { contractRegistry, registerContract } from "../common/contracts/contract-registry.ts";
import type { ContractNode, ContractRef } from "../common/fields/config-nodes.ts";
import { type FieldReader, formContext } from "../common/fields/field-reader.ts";
import { type Library, loadLibrary } from "../common/library.ts";
import { type CodedError, nodeError } from "../common/shared/errors.ts";
import { ADDRESS } from "../common/shared/field-checks.ts";
import { splitNames } from "../common/shared/text.ts";
import { requireSet, unsetVariable } from "../common/shared/variables.ts";
import { type ContractDef, isDecimals, NODE } from "./fields.ts";

export default function register(RED: NodeAPI): void {
  function ConstructContract(this: ContractNode, def: ContractDef): void {
    RED.nodes.createNode(this, def);
    this.contract = openContract(formContext(RED, this, NODE, def).fields);
    this.on("close", registerContract(contractRegistry(RED), this));
  }
  RED.nodes.registerType("crec-contract", ConstructContract);
  registerAbiReader(RED);
  registerContractReader(RED);
}

function openContract({ settings }: FieldReader<typeof NODE>): ContractRef {
  const chainSelector = (settings.chainSelector ?? "").trim();
  const address = (settings.address ?? "").trim();
  // A flow written by hand may have a number.
  const decimals = String(settings.decimals ?? "").trim();
  let parsed: { abi?: Abi; failure?: unknown } | undefined;
  const parse = ({ readAbi }: Pick<Library, "readAbi">) => {
    parsed ??= attempt(() => readAbi(requireSet(settings.abi ?? "")).abi);
    return parsed;
  };
  return {
    chainSelector,
    address,
    decimals: decimals === "" ? undefined : Number(decimals),
    amounts: splitNames(String(settings.amounts ?? "")),
    problem: unsetVariable(settings) ?? problemOf(chainSelector, address, decimals),
    abi: async () => {
      const { abi, failure } = parse(await loadLibrary());
      if (abi) return abi;
      throw failure;
    },
    abiNow: (library) => parse(library).abi,
  };
}

/** Also an ABI that cannot be read is read only once: that may take long. */
function attempt(parse: () => Abi): { abi?: Abi; failure?: unknown } {
  try {
    return { abi: parse() };
  } catch (failure) {
    return { failure };
  }
}

function problemOf(chainSelector: string, address: string, decimals: string): CodedError | undefined {
  if (!/^\d+$/.test(chainSelector)) {
    return nodeError(
      "CONTRACT_INCOMPLETE",
      "The contract's network is missing, or is not a chain selector (digits only). Open the contract and choose a network.",
    );
  }
  if (!ADDRESS.test(address)) {
    return nodeError(
      "INVALID_ADDRESS",
      `The contract's address "${address}" is not an address: 0x and 40 hex digits. Open the contract and correct it.`,
    );
  }
  if (decimals !== "" && !isDecimals(decimals)) {
    return nodeError(
      "INVALID_DECIMALS",
      `The contract's decimals "${decimals}" are not a whole number from 0 to 77. Open the contract and correct them. Leave them empty if the contract is not a token.`,
    );
  }
  return undefined;
}
