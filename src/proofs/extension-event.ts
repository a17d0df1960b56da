import { type EventValues, eventValues, parseAbi } from "../abi/index.ts";
import type { Abi } from "../abi/types.ts";
import { snakeCase } from "../abi/wire-names.ts";
import { type Extension, extensionNamed } from "../protocol/index.ts";
import type { Fields } from "./fields.ts";

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
