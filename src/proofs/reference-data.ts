import { readTuple } from "../abi/index.ts";
import type { AbiParameter } from "../abi/types.ts";
import { extensionAbi, wordsOf } from "./extension-event.ts";
import { type Fields, isObject, objectOrEmpty } from "./fields.ts";

/**
 * What a watcher of `dta.v2` read besides the event. The numbers of the event itself are in its `params`, and exact.
 */
export type ReferenceData = {
  /** The request of a distributor when the watcher read it: fields as the contract names them, integers as decimal text. */
  distributorRequest?: Record<string, unknown>;
  /** The settings of the fund: fields as the contract names them, integers as decimal text. */
  fundToken?: Record<string, unknown>;
  /** The code of the currency for payments outside the chain, such as `USD`. */
  currency?: string;
  /** What the watcher asks a payment system for, as it wrote it. */
  paymentRequests?: unknown[];
  /**
   * The fields above whose numbers are beyond 2^53, such as `distributorRequest.amount`. The service writes them as
   * floating-point numbers, so they may be rounded: read the contract before you count with them.
   */
  rounded?: string[];
};

/** The parts of the data, with the function whose answer each one is. */
const PARTS = [
  ["distributorRequest", "distributor_request", "getDistributorRequest"],
  ["fundToken", "fund_token_data", "getFundToken"],
] as const;

const LAST_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * The documented parts of the `data` of a signed event; undefined for data of another kind. They share objects with the
 * data that is given.
 */
export function referenceData(service: unknown, data: unknown): ReferenceData | undefined {
  const { type, value } = objectOrEmpty(data);
  if (type !== "reference_data" || !isObject(value) || extensionAbi(service) === undefined) return undefined;
  const onChain = listOf(value.on_chain).map((one) => objectOrEmpty(one.data));
  const found: ReferenceData = {};
  const rounded: string[] = [];
  for (const [name, key, source] of PARTS) {
    const given = onChain.find((one) => isObject(one[key]));
    const read = given && readPart(service, source, given[key]);
    if (read === undefined) continue;
    rounded.push(...largeIn(read, name));
    const words = wordsOf(service, read);
    const enabled = typeof given?.enabled === "boolean" ? { enabled: given.enabled } : {};
    found[name] = { ...enabled, ...read, ...(words ? { words } : {}) };
  }
  const code = listOf(value.off_chain)
    .map((one) => objectOrEmpty(one.data).currency_code)
    .find((one) => typeof one === "string");
  const requests = listOf(value.requests).filter((one) => one.type === "payment_request");
  const parts: ReferenceData = {
    ...found,
    ...(typeof code === "string" ? { currency: code } : {}),
    ...(requests.length > 0 ? { paymentRequests: requests.map((one) => one.value) } : {}),
    ...(rounded.length > 0 ? { rounded } : {}),
  };
  return Object.keys(parts).length > 0 ? parts : undefined;
}

/** Undefined for data that does not fit the contract: it stays in `data`. */
function readPart(service: unknown, source: string, value: unknown): Record<string, unknown> | undefined {
  const outputs = extensionAbi(service)?.flatMap((item) =>
    item.type === "function" && item.name === source ? item.outputs : [],
  );
  const tuple = outputs?.find((output: AbiParameter) => output.type === "tuple");
  if (tuple === undefined) return undefined;
  try {
    return { ...readTuple(tuple, value, source) };
  } catch {
    return undefined;
  }
}

function largeIn(read: Fields, path: string): string[] {
  return Object.entries(read).flatMap(([name, value]) => {
    if (isObject(value)) return largeIn(value, `${path}.${name}`);
    const isInteger = typeof value === "string" && /^-?\d{1,100}$/.test(value);
    return isInteger && BigInt(value) > LAST_EXACT ? [`${path}.${name}`] : [];
  });
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
