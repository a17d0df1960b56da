import { type Abi, decodeFunctionResult, encodeFunctionData, formatUnits, parseAbi } from "viem";
import type { EventFragment, Hex } from "../../../../src/protocol/index.ts";
import { artifact } from "../../chain/artifacts.ts";
import type { Chain } from "../../chain/chain.ts";
import { type ServiceConfig, unknownSetting, type WatcherService } from "./service.ts";

const FACTS = parseAbi([
  "function decimals() view returns (uint8)",
  "function symbol() view returns (string)",
]);

type Facts = { decimals?: number; symbol?: string };

/** Tokens never change these. */
const known = new Map<string, Facts>();

/**
 * `erc20`: transfers and approvals of a token, with amounts in units of the token. The setting `decimals` is for a token
 * without a `decimals` function.
 *
 * `data`: `{token, symbol?, decimals, from, to, value, amount}`, for an approval `owner` and `spender` in place of
 * `from` and `to`; `value` in the smallest unit, `amount` in tokens, both decimal text.
 */
export const erc20: WatcherService = {
  events: artifact("DemoToken").abi.filter((item) => item.type === "event") as unknown as EventFragment[],

  async refusal(chain, address, config) {
    const unknown = unknownSetting(config, ["decimals"]);
    if (unknown !== undefined) return unknown;
    if (config.decimals !== undefined && !isDecimals(config.decimals)) {
      return "service_config.decimals must be a whole number from 0 to 255.";
    }
    if ((await chain.code(address)) === "0x") return `There is no contract at ${address}.`;
    if ((await decimalsOf(chain, address, config)) === undefined) {
      return `The contract at ${address} has no decimals function that answers. If it is a token, set service_config.decimals.`;
    }
    return undefined;
  },

  async dataOf(chain, { address, params }, config) {
    const { value, ...parties } = params;
    const decimals = (await decimalsOf(chain, address, config)) ?? 0;
    const { symbol } = await factsOf(chain, address);
    return {
      token: address,
      ...(symbol === undefined ? {} : { symbol }),
      decimals,
      ...parties,
      value,
      amount: formatUnits(BigInt(String(value)), decimals),
    };
  },
};

function isDecimals(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}

async function decimalsOf(chain: Chain, address: string, config: ServiceConfig): Promise<number | undefined> {
  return isDecimals(config.decimals) ? config.decimals : (await factsOf(chain, address)).decimals;
}

async function factsOf(chain: Chain, address: string): Promise<Facts> {
  const key = `${chain.network.chain_selector} ${address.toLowerCase()}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const [decimals, symbol] = await Promise.all([
    read(chain, address, "decimals"),
    read(chain, address, "symbol"),
  ]);
  const facts: Facts = {
    ...(isDecimals(decimals) ? { decimals } : {}),
    ...(typeof symbol === "string" ? { symbol } : {}),
  };
  // Without an answer it may not be deployed yet.
  if (facts.decimals !== undefined) known.set(key, facts);
  return facts;
}

/** What a function without parameters returns; undefined when the contract does not have it. */
async function read(chain: Chain, address: string, functionName: "decimals" | "symbol"): Promise<unknown> {
  const abi: Abi = FACTS;
  const answer = await chain.call({ to: address, data: encodeFunctionData({ abi, functionName }) });
  if ("reverted" in answer) return undefined;
  try {
    return decodeFunctionResult({ abi, functionName, data: answer.data as Hex });
  } catch {
    return undefined;
  }
}
