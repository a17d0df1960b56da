import { ADDRESS } from "../../shared/field-checks.ts";
import type { Answer, Choice, Choices } from "../../shared/form-types.ts";

/** The name of the list of addresses, which also has what is not deployed yet. */
export const ADDRESSES = "addresses";

/** The addresses that Node-RED answered, with those of config nodes that only the editor knows. */
export function withConfigNodes(answer: Answer<Choices>): Choices {
  const { choices = [] } = answer.problem === undefined ? answer : {};
  const here = inEditor();
  const named = choices.map((choice) => {
    const own = here.find((one) => isSame(one, choice));
    return own && own.label !== own.value ? { ...choice, label: own.label } : choice;
  });
  return { choices: [...named, ...here.filter((one) => !choices.some((choice) => isSame(one, choice)))] };
}

/** Whether a contract or wallet is on this network, as far as both are known. */
export function isOnNetwork({ chainSelector }: Choice, network: string): boolean {
  return chainSelector === undefined || !/^\d+$/.test(network) || chainSelector === network;
}

/** An address with its middle left out, as `0x5FbD…0aa3`; any other text as it is. */
export function shortAddress(text: string): string {
  return text.startsWith("0x") && text.length > 14 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text;
}

const FIELDS: Readonly<Record<string, string>> = {
  "crec-contract": "address",
  "crec-wallet": "wallet",
  "crec-signer": "address",
};

function inEditor(): Choice[] {
  const found: Choice[] = [];
  RED.nodes.eachConfig((node) => {
    const value = String(node[FIELDS[node.type] ?? ""] ?? "").trim();
    if (!ADDRESS.test(value)) return;
    const chainSelector = String(node.chainSelector ?? "");
    const isKnown = /^\d+$/.test(chainSelector);
    found.push({ value, label: node.name || value, ...(isKnown ? { chainSelector } : {}) });
  });
  return found;
}

function isSame(one: Choice, other: Choice): boolean {
  const networks = [one.chainSelector, other.chainSelector].filter((network) => network !== undefined);
  return one.value.toLowerCase() === other.value.toLowerCase() && new Set(networks).size < 2;
}
