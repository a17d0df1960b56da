import type { NodeAPI } from "node-red";
import { toCodedError } from "../errors.ts";
import type { FunctionChoice } from "../form-types.ts";
import { loadLibrary } from "../library.ts";
import { fromEnvironment } from "./environment.ts";

/** `POST /crec/abi/functions`: what an ABI offers. Works on the text in the form, so before the first deploy too. */
export function registerAbiReader(RED: NodeAPI): void {
  RED.httpAdmin.post("/crec/abi/functions", RED.auth.needsPermission("crec.read"), (request, response) => {
    const { abi } = request.body as { abi?: unknown };
    loadLibrary()
      .then(({ listFunctions, parseAbi }) => {
        const functions = listFunctions(parseAbi(fromEnvironment(String(abi ?? ""))));
        const choices = functions.map(({ name, signature, inputs, stateMutability }) => ({
          name,
          signature,
          inputs: inputs.map((input) => ({ name: input.name, type: input.type })),
          stateMutability,
        }));
        response.json(choices satisfies FunctionChoice[]);
      })
      .catch((thrown: unknown) => response.status(400).json({ message: toCodedError(thrown).message }));
  });
}
