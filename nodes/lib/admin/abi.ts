import type { NodeAPI } from "node-red";
import type { Abi } from "../../../src/index.ts";
import type { ContractNode } from "../config-nodes.ts";
import { toCodedError } from "../errors.ts";
import type { FunctionChoice } from "../form-types.ts";
import { loadLibrary } from "../library.ts";
import { deployFirst, isDeployedWith, isReference } from "./deployed.ts";

/**
 * `POST /crec/abi/functions`: what an ABI offers. Works on the text in the form, so before the first deploy too;
 * an ABI from the environment is that of the deployed contract.
 */
export function registerAbiReader(RED: NodeAPI): void {
  RED.httpAdmin.post("/crec/abi/functions", RED.auth.needsPermission("crec.read"), (request, response) => {
    const { id, abi } = request.body as { id?: unknown; abi?: unknown };
    functionsOf(RED, String(id ?? ""), String(abi ?? "").trim()).then(
      (choices) => response.json(choices),
      (thrown: unknown) => response.status(400).json({ message: toCodedError(thrown).message }),
    );
  });
}

async function functionsOf(RED: NodeAPI, id: string, text: string): Promise<FunctionChoice[]> {
  const { listFunctions, parseAbi } = await loadLibrary();
  const abi = isReference(text) ? await deployedAbi(RED, id, text) : parseAbi(text);
  return listFunctions(abi).map(({ name, signature, inputs, stateMutability }) => ({
    name,
    signature,
    inputs,
    stateMutability,
  }));
}

function deployedAbi(RED: NodeAPI, id: string, reference: string): Promise<Abi> {
  const contract = (RED.nodes.getNode(id) as Partial<ContractNode> | null)?.contract;
  return contract && isDeployedWith(RED, id, "abi", reference) ? contract.abi() : deployFirst(reference);
}
