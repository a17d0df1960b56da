import { KNOWN_CHAINS } from "../../../../src/protocol/index.ts";
import { word } from "../words.ts";

const LONG = 20;

/** The start and the end of an id or an address. */
export function shortId(id: string): string {
  return id.length <= LONG ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}

/** The name of a network; its chain selector where it is not known here. */
export function networkName(chainSelector: string | undefined): string | undefined {
  if (chainSelector === undefined) return undefined;
  const known = KNOWN_CHAINS.find((chain) => chain.chainSelector === chainSelector);
  return known?.name ?? word("line.chain", { selector: chainSelector });
}
