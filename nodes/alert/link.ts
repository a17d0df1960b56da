import { KNOWN_CHAINS } from "../../src/protocol/index.ts";
import { ADDRESS } from "../common/shared/address.ts";
import { isObject } from "../common/shared/is-object.ts";

const HASH = /^0x[0-9a-f]{64}$/i;

/** The page of a public explorer about an event: its transaction, else its contract. Undefined for a local network. */
export function linkOf(payload: unknown): string | undefined {
  if (!isObject(payload) || payload.chainSelectorUnsigned === true) return undefined;
  const { chainSelector, transactionHash, contract } = payload;
  const explorer = KNOWN_CHAINS.find((chain) => chain.chainSelector === chainSelector)?.explorer;
  if (explorer === undefined) return undefined;
  // Only what has the right form gets into an address that a person opens.
  if (typeof transactionHash === "string" && HASH.test(transactionHash))
    return `${explorer}/tx/${transactionHash}`;
  return typeof contract === "string" && ADDRESS.test(contract)
    ? `${explorer}/address/${contract}`
    : undefined;
}
