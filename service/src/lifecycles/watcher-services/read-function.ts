import { type Abi, type AbiParameter, decodeFunctionResult, encodeFunctionData, getAbiItem } from "viem";
import type { Hex } from "../../../../src/protocol/index.ts";
import type { Chain } from "../../chain/chain.ts";
import { artifact, type ContractName } from "../../chain/demo/contracts.ts";
import { answerOf } from "./contract-answers.ts";

/** A function, as this demo contract has it. */
type FunctionCall = { contract: ContractName; functionName: string; args: readonly unknown[] };

/** What it returned: one value, or a list of several. */
type Returned = { value: unknown; outputs: readonly AbiParameter[]; callData: Hex };

/** What a function answers; undefined for a contract that does not have it, or fails. */
export async function readFunction(
  chain: Chain,
  to: string,
  { contract, functionName, args }: FunctionCall,
): Promise<Returned | undefined> {
  const abi: Abi = artifact(contract).abi;
  const callData = encodeFunctionData({ abi, functionName, args });
  const data = await answerOf(chain, { to, data: callData });
  if (data === undefined) return undefined;
  try {
    const value = decodeFunctionResult({ abi, functionName, data });
    const item = getAbiItem({ abi, name: functionName });
    return { value, callData, outputs: item !== undefined && "outputs" in item ? item.outputs : [] };
  } catch {
    return undefined;
  }
}
