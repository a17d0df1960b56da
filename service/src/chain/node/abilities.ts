import { KNOWN_CHAINS, type KnownChain } from "../../../../src/protocol/index.ts";
import { ServiceProblem } from "../../problem.ts";
import type { NodeCalls } from "./node-calls.ts";
import { httpStatus, isRefusal } from "./refusals.ts";

/** What a node can do, by which one knows what it is for. */
export type Abilities = {
  /** Whether blocks come when we ask for them, or by themselves. */
  minesOnRequest: boolean;
  /** Whether its coins are play money: the node makes blocks on request, or signs for rich accounts of its own. */
  isDevelopment: boolean;
};

/** Those of development nodes. */
const LOCAL_CHAIN_IDS = ["1337", "31337"];
const PUBLIC_CHAINS = KNOWN_CHAINS.filter((chain) => !LOCAL_CHAIN_IDS.includes(chain.chainId));

/**
 * A chain that only its owner knows, under a selector of his choice.
 *
 * @throws ServiceProblem when it is no selector, or that of another chain.
 */
export function ownChain(chainId: string, chainSelector: string | undefined): KnownChain | undefined {
  if (chainSelector === undefined) return undefined;
  const isFree = KNOWN_CHAINS.every((chain) => chain.chainSelector !== chainSelector);
  if (!/^[1-9]\d{0,19}$/.test(chainSelector) || BigInt(chainSelector) >= 2n ** 64n || !isFree) {
    throw new ServiceProblem(
      "--chain-selector or CREC_CHAIN_SELECTOR must be a whole number of 64 bits that is not the selector of another chain.",
    );
  }
  return { name: `Chain ${chainId}`, chainSelector, chainId, type: "testnet" };
}

/** A node shows by what it does what it is for: names of nodes are many. */
export async function abilitiesOf(calls: NodeCalls, chainId: string): Promise<Abilities> {
  const minesOnRequest = await calls.call("evm_mine", []).then(() => true, refused);
  if (minesOnRequest) return { minesOnRequest, isDevelopment: true };
  // A node of a public network may hold an account that somebody has paid for.
  const isPublic = PUBLIC_CHAINS.some((chain) => chain.chainId === chainId);
  const accounts = isPublic ? false : await calls.call("eth_accounts", []).catch(refused);
  return { minesOnRequest, isDevelopment: Array.isArray(accounts) && accounts.length > 0 };
}

/** @throws what is no answer of the node. */
export function refused(error: unknown): false {
  if (isRefusal(error) || httpStatus(error) !== undefined) return false;
  throw error;
}

/** From the first word of a version: "anvil/v1.5.0", "HardhatNetwork/2.22.0/…". */
export function nodeName(version: string): string {
  const [word = "node"] = /^[a-z]+/.exec(version.toLowerCase()) ?? [];
  return word.replace(/network$/, "");
}
