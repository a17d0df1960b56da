import type { Value } from "../shared/stored-values.ts";
import { ADDRESS } from "./validate.ts";

/** Decimals that are known only when the call is made: a message names the address, or the chain is asked. */
const LATER = "?";

export function isKnownNumber(decimals: string): boolean {
  return /^\d+$/.test(decimals);
}

/**
 * The decimals of the address that a call goes to, as far as the editor knows them: digits, `${NAME}`, `?` where they are
 * known later, or empty where the chosen contract is no token.
 */
export function decimalsAt(contract: string, { value = "", type = "str" }: Value): string {
  const chosen = RED.nodes.node(contract);
  const own = String(chosen?.decimals ?? "").trim();
  const address = value.trim();
  if (own === "" || address === "" || isSame(address, chosen?.address)) return own;
  if (type !== "str" || !ADDRESS.test(address)) return LATER;
  const found = new Set<string>();
  RED.nodes.eachConfig((node) => {
    const isThere = node.type === "crec-contract" && isSame(address, node.address);
    const decimals = String(node.decimals ?? "").trim();
    if (isThere && node.chainSelector === chosen?.chainSelector && decimals !== "") found.add(decimals);
  });
  const [only = LATER] = found;
  return found.size === 1 ? only : LATER;
}

function isSame(address: string, other: unknown): boolean {
  return address.toLowerCase() === String(other).trim().toLowerCase();
}
