import { KNOWN_CHAINS, type KnownChain } from "../../../../src/protocol/index.ts";
import { ServiceProblem } from "../../errors.ts";
import type { NodeCalls } from "./node-calls.ts";
import { httpStatus, isRefusal } from "./refusals.ts";

/** What a node can do. */
export type Abilities = {
  /** Whether it makes blocks on request, or by itself. */
  minesOnRequest: boolean;
  /** Whether its coins have no value: the node makes blocks on request, or signs for its own rich accounts. */
  isDevelopment: boolean;
};

/** The chain ids of development nodes. */
const LOCAL_CHAIN_IDS = ["1337", "31337"];
const PUBLIC_CHAINS = KNOWN_CHAINS.filter((chain) => !LOCAL_CHAIN_IDS.includes(chain.chainId));

/**
 * An unknown chain, with a selector that the user chose.
 *
 * @throws ServiceProblem when it is not a selector, or belongs to another chain.
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

/** Detected by calls, since there are many names of nodes. */
export async function abilitiesOf(calls: NodeCalls, chainId: string): Promise<Abilities> {
  const minesOnRequest = await calls.call("evm_mine", []).then(() => true, refused);
  if (minesOnRequest) return { minesOnRequest, isDevelopment: true };
  // A node of a public network may have an account with real coins.
  const isPublic = PUBLIC_CHAINS.some((chain) => chain.chainId === chainId);
  const accounts = isPublic ? false : await calls.call("eth_accounts", []).catch(refused);
  return { minesOnRequest, isDevelopment: Array.isArray(accounts) && accounts.length > 0 };
}

/** @throws errors that are not an answer of the node. */
export function refused(error: unknown): false {
  if (isRefusal(error) || httpStatus(error) !== undefined) return false;
  throw error;
}

/** The first word of a version, such as "anvil/v1.5.0" or "HardhatNetwork/2.22.0/…". */
export function nodeName(version: string): string {
  const [word = "node"] = /^[a-z]+/.exec(version.toLowerCase()) ?? [];
  return word.replace(/network$/, "");
}
