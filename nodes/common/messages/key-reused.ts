import type { OperationKeyReusedError } from "../../../src/index.ts";
import type { NodeRedContext } from "../context.ts";
import { type CallPreview, previewOf } from "../contracts/call-preview.ts";
import { type ContractRegistry, contractRegistry } from "../contracts/contract-registry.ts";
import { loadLibrary } from "../library.ts";
import { statusWord } from "./service-words.ts";

/** Longer than an address. */
const LONGEST_VALUE = 48;

/**
 * The error about a key that was used for other calls, with the arguments that differ by their names, where a contract
 * node of this Node-RED or the draft itself knows them. Any other error as it is.
 *
 * @param service its base URL: what its tokens have told of their decimals is used
 */
export async function explainReuse(
  context: NodeRedContext,
  error: unknown,
  service: string,
): Promise<unknown> {
  const library = await loadLibrary();
  if (!(error instanceof library.OperationKeyReusedError)) return error;
  const differences = await wordsOf(contractRegistry(context.RED), error, service);
  const status = statusWord(context.t, error.first.status);
  return new library.OperationKeyReusedError(error, { differences, status });
}

async function wordsOf(
  registry: ContractRegistry,
  { first, asked, differences }: OperationKeyReusedError,
  service: string,
): Promise<string[]> {
  const { chain_selector: chain, transactions } = first;
  // In the same words: a value that only one of them shows in tokens would look like another one.
  const askedAlike = asked.map((call, index) => ({
    ...call,
    preview: transactions[index]?.preview_snapshot,
  }));
  const [now, before] = await Promise.all([
    previewOf(registry, chain, askedAlike, service),
    previewOf(registry, chain, transactions, service),
  ]);
  return differences.flatMap(({ call, what, text }) => {
    const [its, of] = [now[call - 1], before[call - 1]];
    const pairs =
      its && of ? (what === "value" ? [paid(its, of)] : what === "data" ? args(its, of) : []) : [];
    return pairs.length === 0 ? [text] : pairs.map((pair) => `call ${call}: ${pair}`);
  });
}

function paid(asked: CallPreview, first: CallPreview): string {
  return `it sends ${coins(asked)}, was ${coins(first)}`;
}

/** In the unit that makes it shorter. */
function coins({ value: wei, ether = "0" }: CallPreview): string {
  return ether.length < wei.length ? `${ether} ether` : `${wei} wei`;
}

/** Nothing where the bytes of one of them cannot be decoded. */
function args(asked: CallPreview, first: CallPreview): string[] {
  if (asked.function === undefined || first.function === undefined) return [];
  if (asked.function !== first.function) return [differing("function", asked.function, first.function)];
  const [its, of] = [shownArgs(asked), shownArgs(first)];
  const names = [...new Set([...its.keys(), ...of.keys()])].filter((name) => its.get(name) !== of.get(name));
  return names.map((name) => differing(name, its.get(name) ?? "missing", of.get(name) ?? "missing"));
}

function differing(name: string, asked: string, first: string): string {
  const [its, of] = [cut(asked), cut(first)];
  return its === of ? `${name} differs` : `${name} is ${its}, was ${of}`;
}

/** By their paths; amounts in tokens where their unit is known. */
function shownArgs({ args = {}, tokens = {} }: CallPreview): Map<string, string> {
  const shown = leavesOf(args);
  for (const [path, amount] of leavesOf(tokens)) {
    shown.set(path, `${amount} ${amount === "1" ? "token" : "tokens"}`);
  }
  return shown;
}

function leavesOf(value: unknown, path = ""): Map<string, string> {
  if (typeof value !== "object" || value === null) return new Map([[path, String(value)]]);
  const at = (name: string) =>
    path === "" ? name : Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`;
  return new Map(Object.entries(value).flatMap(([name, item]) => [...leavesOf(item, at(name))]));
}

function cut(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`;
}
