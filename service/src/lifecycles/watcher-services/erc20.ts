import { type Abi, decodeFunctionResult, encodeFunctionData, formatUnits, parseAbi } from "viem";
import type { Hex } from "../../../../src/protocol/index.ts";
import type { Chain } from "../../chain/chain.ts";
import { eventsOf } from "../../chain/demo/contracts.ts";
import { answerOf, inTime } from "./contract-answers.ts";
import { missingContract, type ServiceConfig, unknownSetting, type WatcherService } from "./service.ts";

const FACTS = parseAbi([
  "function decimals() view returns (uint8)",
  "function symbol() view returns (string)",
]);

type Facts = { decimals?: number; symbol?: string };

/** A symbol is in each event of its token: a longer one is left out. */
const LONGEST_SYMBOL = 256;
/** Tokens never change these. */
const known = new Map<string, Facts>();

/**
 * `erc20`: transfers and approvals of a token, with amounts in units of the token. The setting `decimals` is for a token
 * without a `decimals` function.
 *
 * `data`: `{token, symbol?, decimals, from, to, value, amount}`, for an approval `owner` and `spender` in place of
 * `from` and `to`; `value` in the smallest unit, `amount` in tokens, both decimal text. Without `decimals` and `amount` where the token stopped
 * to tell its decimals.
 */
export const erc20: WatcherService = {
  events: eventsOf("DemoToken"),

  async refusal(chain, address, config) {
    const unknown = unknownSetting(config, ["decimals"]);
    if (unknown !== undefined) return unknown;
    if (config.decimals !== undefined && !isDecimals(config.decimals)) {
      return "service_config.decimals must be a whole number from 0 to 255.";
    }
    const missing = await missingContract(chain, address);
    if (missing !== undefined) return missing;
    if ((await decimalsOf(chain, address, config, askOnce)) === undefined) {
      return `The contract at ${address} has no decimals function that answers. If it is a token, set service_config.decimals.`;
    }
    return undefined;
  },

  async dataOf(chain, { address, params }, config) {
    const { value, ...parties } = params;
    const decimals = await decimalsOf(chain, address, config, answerOf);
    const { symbol } = await factsOf(chain, address, answerOf);
    return {
      token: address,
      ...(symbol === undefined ? {} : { symbol }),
      ...(decimals === undefined ? {} : { decimals }),
      ...parties,
      value,
      ...(decimals === undefined ? {} : { amount: formatUnits(BigInt(String(value)), decimals) }),
    };
  },
};

function isDecimals(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}

/** How a contract is called. */
type Ask = (chain: Chain, call: { to: string; data: Hex }) => Promise<Hex | undefined>;

/** Calls that no log waits for. */
const askOnce: Ask = async (chain, call) => {
  const answer = await inTime(chain, call);
  return answer !== undefined && "data" in answer ? answer.data : undefined;
};

async function decimalsOf(
  chain: Chain,
  address: string,
  config: ServiceConfig,
  ask: Ask,
): Promise<number | undefined> {
  return isDecimals(config.decimals) ? config.decimals : (await factsOf(chain, address, ask)).decimals;
}

async function factsOf(chain: Chain, address: string, ask: Ask): Promise<Facts> {
  const key = `${chain.network.chain_selector} ${address.toLowerCase()}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const read = async (functionName: "decimals" | "symbol") =>
    decoded(
      functionName,
      await ask(chain, { to: address, data: encodeFunctionData({ abi: FACTS, functionName }) }),
    );
  const [decimals, symbol] = await Promise.all([read("decimals"), read("symbol")]);
  const facts: Facts = {
    ...(isDecimals(decimals) ? { decimals } : {}),
    ...(typeof symbol === "string" && symbol.length <= LONGEST_SYMBOL ? { symbol } : {}),
  };
  // Without an answer it may not be deployed yet.
  if (facts.decimals !== undefined) known.set(key, facts);
  return facts;
}

/** What a function without parameters returned; undefined when the contract does not have it. */
function decoded(functionName: "decimals" | "symbol", data: Hex | undefined): unknown {
  if (data === undefined) return undefined;
  try {
    const abi: Abi = FACTS;
    return decodeFunctionResult({ abi, functionName, data });
  } catch {
    return undefined;
  }
}
