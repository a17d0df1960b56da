import { KNOWN_CHAINS } from "../protocol/index.ts";
import { type Fields, objectOrEmpty } from "./fields.ts";
import { wholeDigits } from "./integer.ts";

/**
 * The chain that a signed text names: by selector, by chain id, or by both. For a well-known chain one follows from the
 * other. What is missing is not signed.
 */
type SignedChain = { selector?: string; id?: string };

export function signedChain(content: Fields): SignedChain {
  const log = objectOrEmpty(content.chain_event);
  const selector = wholeDigits(content.chain_selector);
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
