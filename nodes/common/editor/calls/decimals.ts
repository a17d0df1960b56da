import { looksLikeToken } from "../../shared/chain.ts";
import { ADDRESS } from "../../shared/field-checks.ts";
import type { EventChoice, FunctionChoice } from "../../shared/form-types.ts";
import type { Value } from "../../shared/stored-values.ts";
import type { EditedNode } from "../api.ts";
import { hintUnder } from "../form-rows.ts";
import { offeredBy } from "../lookups/abi.ts";
import { liveCheck, onContractChange } from "../while-open.ts";

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

/** Says under the contract of a form that it looks like a token and has no decimals: its events carry no tokens then. */
export function warnOfMissingDecimals(node: EditedNode): void {
  const contract = $("#node-input-contract");
  const hint = hintUnder(contract);
  const chosen = () => RED.nodes.node(String(contract.val() ?? ""));
  const hasDecimals = () => String(chosen()?.decimals ?? "").trim() !== "";
  const look = liveCheck<boolean>(
    contract,
    () => (chosen() && !hasDecimals() ? isToken(node, String(contract.val())) : undefined),
    (isMissing) => {
      const name = String(chosen()?.name || chosen()?.address || "");
      hint.say(isMissing ? node._("common.hint.no-decimals", { name }) : "");
    },
  );
  contract.on("change", () => look.now());
  onContractChange(contract, () => look.now());
  look.now();
}

async function isToken(node: EditedNode, contract: string): Promise<boolean> {
  const [functions, events] = await Promise.all([
    offeredBy<FunctionChoice>(node, "functions", contract),
    offeredBy<EventChoice>(node, "events", contract),
  ]);
  return looksLikeToken(functions.found ?? [], events.found ?? []);
}
