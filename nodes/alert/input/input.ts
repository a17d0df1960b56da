import { createHash } from "node:crypto";
import { type ContractRegistry, unitsAt } from "../../common/contracts/contract-registry.ts";
import type { ContractRef } from "../../common/fields/config-nodes.ts";
import type { CrecMessage } from "../../common/messages/message.ts";
import { isObject } from "../../common/shared/collections.ts";
import { ADDRESS } from "../../common/shared/field-checks.ts";
import { type AlertFields, required, sumOf } from "../settings.ts";
import type { ReadField } from "../texts/values.ts";

const LONGEST_KEY = 200;

/**
 * What a message is counted for; undefined where it does not have it.
 * @throws INVALID_FIELD, VARIABLE_MISSING
 */
export async function keyOf(
  fields: AlertFields,
  msg: CrecMessage,
  read: ReadField,
): Promise<string | undefined> {
  switch (fields.choice("forEach")) {
    case "":
      return "";
    case "contract":
      return contractKey(msg.payload);
    case "field":
      return keyText(read(msg.payload, required(fields, "forEachField")));
    case "expression":
      return keyText(await fields.of(msg).value("forEachValue"));
  }
}

/** The contract of an event. The same address may be another contract on another network. */
export function contractKey(payload: unknown): string | undefined {
  const { contract, chainSelector } = isObject(payload) ? payload : {};
  if (typeof contract !== "string" || !ADDRESS.test(contract)) return undefined;
  return `${typeof chainSelector === "string" ? chainSelector : "0"}:${contract.toLowerCase()}`;
}

function keyText(value: unknown): string | undefined {
  const text = typeof value === "object" && value !== null ? jsonOf(value) : String(value ?? "");
  if (text === undefined || text === "") return undefined;
  // Checksummed or not, it is the same address.
  if (ADDRESS.test(text)) return text.toLowerCase();
  if (text.length <= LONGEST_KEY) return text;
  return `${text.slice(0, LONGEST_KEY / 2)}…${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}

function jsonOf(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/**
 * What a sum adds: undefined where it is not a whole number.
 * @throws what the expression throws
 */
export async function amountOf(
  fields: AlertFields,
  msg: CrecMessage,
  read: ReadField,
): Promise<string | undefined> {
  const isField = fields.choice("sumFrom") === "field";
  const value = isField ? read(msg.payload, sumOf(fields)) : await fields.of(msg).value("sumValue");
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && /^-?\d{1,100}$/.test(text) ? text : undefined;
}

/** Of the chosen contract, for what is about it; else of the contract that emitted the event, where a contract node knows them. */
export function decimalsAt(
  registry: ContractRegistry,
  { payload }: Pick<CrecMessage, "payload">,
  chosen: ContractRef | undefined,
): number | undefined {
  if (!isObject(payload) || payload.contract === undefined) return chosen?.decimals;
  const { contract, chainSelector, chainSelectorUnsigned } = payload;
  if (typeof contract !== "string" || chainSelectorUnsigned === true) return undefined;
  return unitsAt(registry, String(chainSelector), contract, chosen)?.decimals;
}
