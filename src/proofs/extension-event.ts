import type { Abi, AbiParameter } from "../abi/abi-type.ts";
import { type EventValues, eventValues, parseAbi, readTuple } from "../abi/index.ts";
import { snakeCase } from "../abi/wire-values.ts";
import { type Extension, extensionNamed } from "../protocol/index.ts";
import { type Fields, isObject, objectOrEmpty } from "./fields.ts";

/** What tells which parameters a contract event has. */
type Known = { abi: readonly unknown[] | undefined; service: unknown; log: Fields };

const parsed = new Map<Extension, Abi>();

/**
 * The events and functions of all contracts of an extension; undefined for another service. `EXTENSIONS` has the same with
 * what each event means.
 * @example
 * listEvents(extensionAbi("dvp") ?? []).some(({ name }) => name === "SettlementSettled"); // → true
 */
export function extensionAbi(service: unknown): Abi | undefined {
  const extension = extensionNamed(service);
  if (extension === undefined) return undefined;
  const abi = parsed.get(extension) ?? Object.values(extension.contracts).flatMap((text) => parseAbi(text));
  parsed.set(extension, abi);
  return abi;
}

/**
 * The parameters with the names and types of the given ABI, else of the extension that the event names. An event that
 * neither has keeps its parameters, and so does one of an extension whose values do not fit: nobody chose that ABI.
 *
 * @throws {CrecError} `MALFORMED_EVENT` when a value does not fit the given ABI; `ABI_AMBIGUOUS`.
 */
export function namedParams({ abi, service, log }: Known, params: Record<string, unknown>): EventValues {
  const named = abi && eventValues(abi, log, params);
  return named ?? ofExtension(service, log, params) ?? { params, lost: [] };
}

function ofExtension(
  service: unknown,
  log: Fields,
  params: Record<string, unknown>,
): EventValues | undefined {
  const abi = extensionAbi(service);
  try {
    return abi && eventValues(abi, log, params);
  } catch {
    return undefined;
  }
}

/** The words for the enums of an extension's event; undefined where it has none. */
export function wordsOf(service: unknown, params: Fields): Record<string, string> | undefined {
  const found = Object.entries(extensionNamed(service)?.words ?? {}).flatMap(([name, words]) => {
    const value = params[name] ?? params[snakeCase(name)];
    const word = /^\d{1,3}$/.test(String(value)) ? words[Number(value)] : undefined;
    return word === undefined ? [] : [[name, word]];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

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
