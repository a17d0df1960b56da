import type { NodeAPI } from "node-red";
import type { Abi } from "../../../src/index.ts";
import type { ContractNode } from "../config-nodes.ts";
import { toCodedError } from "../errors.ts";
import type { AbiAnswer, EventChoice, FunctionChoice } from "../form-types.ts";
import { type Library, loadLibrary } from "../library.ts";
import { isReference } from "../variables.ts";
import { checkValue } from "./check-value.ts";
import { deployFirst, isDeployedWith } from "./deployed.ts";

/**
 * `POST /crec/abi/functions` and `/crec/abi/events`: what an ABI offers. They work on the text in the form, so before
 * the first deploy too; an ABI from the environment is that of the deployed contract. One that is being typed is
 * seldom whole, so what is wrong with it is an answer like any other.
 * `POST /crec/abi/check`: whether a value that is being typed fits its type.
 */
export function registerAbiReader(RED: NodeAPI): void {
  const offer = <T>(path: string, list: (library: Library, abi: Abi) => T[]) => {
    RED.httpAdmin.post(path, RED.auth.needsPermission("crec.read"), (request, response) => {
      const { id, abi } = (request.body ?? {}) as { id?: unknown; abi?: unknown };
      abiOf(RED, String(id ?? ""), String(abi ?? "").trim()).then(
        ([library, parsed]) => response.json({ found: list(library, parsed) } satisfies AbiAnswer<T>),
        (thrown: unknown) => response.json({ problem: toCodedError(thrown).message } satisfies AbiAnswer<T>),
      );
    });
  };
  offer("/crec/abi/functions", ({ listFunctions }, abi): FunctionChoice[] =>
    listFunctions(abi).map(({ name, signature, inputs, stateMutability }) => {
      return { name, signature, inputs, stateMutability };
    }),
  );
  offer("/crec/abi/events", ({ listEvents }, abi): EventChoice[] =>
    listEvents(abi).map(({ name, signature, inputs }) => ({ name, signature, inputs })),
  );
  RED.httpAdmin.post("/crec/abi/check", RED.auth.needsPermission("crec.read"), (request, response) => {
    loadLibrary()
      .then((library) => response.json(checkValue(library, request.body)))
      .catch((thrown: unknown) => response.status(500).json({ message: toCodedError(thrown).message }));
  });
}

async function abiOf(RED: NodeAPI, id: string, text: string): Promise<[Library, Abi]> {
  const library = await loadLibrary();
  return [library, isReference(text) ? await deployedAbi(RED, id, text) : library.parseAbi(text)];
}

function deployedAbi(RED: NodeAPI, id: string, reference: string): Promise<Abi> {
  const contract = (RED.nodes.getNode(id) as Partial<ContractNode> | null)?.contract;
  return contract && isDeployedWith(RED, id, "abi", reference) ? contract.abi() : deployFirst(reference);
}
