import { KNOWN_CHAINS } from "../protocol/index.ts";
import { wholeDigits } from "./integer.ts";
import { type Fields, isObject } from "./signed-text.ts";

/**
 * The chain that a signed text names: by selector, by chain id, or by both. Of a well-known chain one gives the
 * other. What is missing is not signed.
 */
export type SignedChain = { selector?: string; id?: string };

export function signedChain(signed: Fields): SignedChain {
  const log = isObject(signed.chain_event) ? signed.chain_event : {};
  const selector = wholeDigits(signed.chain_selector);
  const id = wholeDigits(log.chain_id);
  const known = KNOWN_CHAINS.find((chain) =>
    selector === undefined ? chain.chainId === id : chain.chainSelector === selector,
  );
  return {
    ...optional("selector", selector ?? known?.chainSelector),
    ...optional("id", id ?? known?.chainId),
  };
}

function optional<Name extends string>(name: Name, value: string | undefined): { [K in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { [K in Name]?: string });
}
