import type { Abi, ListedFunction } from "../../../src/index.ts";
import { deployFirst, isDeployedWith } from "../../common/admin/deployed.ts";
import type { NodeRedContext } from "../../common/context.ts";
import type { ContractNode } from "../../common/fields/config-nodes.ts";
import { type Library, loadLibrary } from "../../common/library.ts";
import { splitNames } from "../../common/shared/text.ts";
import { isReference } from "../../common/shared/variables.ts";
import type { ContractText } from "../preview-types.ts";

/** A contract with its variables replaced: values of the form, or of the deployed node. */
export type Contract = {
  name: string;
  chainSelector: string;
  address: string;
  abi: Abi;
  functions: ReadonlyMap<string, ListedFunction>;
  decimals: number | undefined;
  amounts: readonly string[];
};

/** Resolves a contract by its id, and only once: parsing an ABI may take long. */
export type Contracts = (id: string, text: ContractText) => Promise<Contract>;

export async function resolvedOnce(context: NodeRedContext): Promise<Contracts> {
  const library = await loadLibrary();
  const known = new Map<string, Promise<Contract>>();
  return (id, text) => {
    const contract = known.get(id) ?? resolved(context, library, id, text);
    known.set(id, contract);
    return contract;
  };
}

/** @throws DEPLOY_FIRST, VARIABLE_MISSING, ABI_INVALID, INVALID_ADDRESS */
async function resolved(
  context: NodeRedContext,
  library: Library,
  id: string,
  text: ContractText,
): Promise<Contract> {
  const deployed = (context.RED.nodes.getNode(id) as Partial<ContractNode> | null)?.contract;
  const field = (name: "chainSelector" | "address" | "decimals" | "amounts"): string => {
    const typed = String(text[name] ?? "").trim();
    if (!isReference(typed)) return typed;
    if (!deployed || !isDeployedWith(context.RED.nodes, id, name, typed)) return deployFirst(typed);
    if (deployed.problem) throw deployed.problem;
    return String(deployed[name] ?? "");
  };
  const typed = String(text.abi ?? "").trim();
  const fromEnvironment = isReference(typed);
  if (fromEnvironment && !(deployed && isDeployedWith(context.RED.nodes, id, "abi", typed)))
    deployFirst(typed);
  const decimals = field("decimals");
  const abi = fromEnvironment && deployed ? await deployed.abi() : library.readAbi(typed).abi;
  return {
    name: String(text.name ?? ""),
    chainSelector: field("chainSelector"),
    address: library.checksumAddress(field("address"), "The contract's address"),
    decimals: decimals === "" ? undefined : Number(decimals),
    amounts: splitNames(field("amounts")),
    abi,
    functions: new Map(library.listFunctions(abi).map((listed) => [listed.signature, listed])),
  };
}
