import { type Abi, type AbiParameter, decodeFunctionResult, encodeFunctionData, getAbiItem } from "viem";
import type { Hex } from "../../../../src/protocol/index.ts";
import type { Chain } from "../../chain/chain.ts";
import type { CallResult } from "../../chain/chain-data.ts";
import { artifact, type ContractName } from "../../chain/demo/contracts.ts";
import { within } from "../../time.ts";

type Call = { to: string; data: Hex };

/** A function, as this demo contract has it. */
type FunctionCall = { contract: ContractName; functionName: string; args: readonly unknown[] };

/** What it returned: one value, or a list of several. */
type Returned = { value: unknown; outputs: readonly AbiParameter[]; callData: Hex };

type Spent = { ms: number; at: number };

/** How long one call may take. */
const MOST_MS = 2_000;
/** The largest answer: what contracts have of a settlement or a request is below 2 kB. */
const MOST_BYTES = 64 * 1024;
/** How long calls of one contract may take beyond what others take, and how much of that comes back each millisecond. */
const SPARE_MS = 1_500;
const BACK_EACH_MS = 0.05;
/** What a call may take beyond two others that do nothing. */
const USUAL_MS = 20;

/** What the calls of each contract took. */
const spent = new WeakMap<Chain, Map<string, Spent>>();

/**
 * What a contract answers to a call that is made for one of its logs; undefined where it fails, answers with much, or
 * takes too long. So logs of a contract whose calls use up all gas delay others by a few seconds at most: for some time it
 * is not called then.
 *
 * @throws what the call throws when the node does not answer others either.
 */
export async function answerOf(chain: Chain, call: Call): Promise<Hex | undefined> {
  const known = spent.get(chain) ?? new Map<string, Spent>();
  spent.set(chain, known);
  const before = spentNow(known.get(call.to));
  if (before >= SPARE_MS) return undefined;
  const startedAt = performance.now();
  const answer = await inTime(chain, call);
  const took = performance.now() - startedAt;
  // Most calls take so little that nothing has to be compared.
  const extra = took > USUAL_MS ? took - 2 * (await usualMs(chain)) - USUAL_MS : 0;
  if (extra > 0) known.set(call.to, { ms: spentNow(known.get(call.to)) + extra, at: performance.now() });
  if (answer === undefined || !("data" in answer)) return undefined;
  return answer.data.length <= 2 + 2 * MOST_BYTES ? answer.data : undefined;
}

/**
 * What a contract answers; undefined when that takes too long, and the node answers others meanwhile.
 *
 * @throws as `answerOf`.
 */
export async function inTime(chain: Chain, call: Call): Promise<CallResult | undefined> {
  const answer = chain.call(call);
  if (await isFirst(answer)) return answer;
  const other = usualMs(chain);
  // Not the contract but the node takes long.
  if (!(await isFirst(other))) return answer;
  await other;
  // Nobody waits for it any more.
  answer.catch(() => undefined);
  return undefined;
}

/** Whether it settles in time. */
async function isFirst(work: Promise<unknown>): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  );
  return (await within(MOST_MS, settled)) ?? false;
}

/** How long the node takes for a call that does nothing. */
async function usualMs(chain: Chain): Promise<number> {
  const startedAt = performance.now();
  await chain.rpc("eth_chainId");
  return performance.now() - startedAt;
}

function spentNow(known: Spent | undefined): number {
  return known === undefined ? 0 : Math.max(0, known.ms - BACK_EACH_MS * (performance.now() - known.at));
}

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
