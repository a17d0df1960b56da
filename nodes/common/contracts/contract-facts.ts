import type { CrecClient, Verifier } from "../../../src/index.ts";
import { loadLibrary } from "../library.ts";
import { processWide } from "../process-wide.ts";
import { setNewest } from "../shared/collections.ts";
import { nodeError } from "../shared/errors.ts";

// What the chain says of a contract, by queries. It is remembered for each service, network and address.

/** Where to ask: a channel that exists. */
export type ContractPlace = {
  client: CrecClient;
  /** Undefined where nothing is proven: decimals of such an answer are shown, and not remembered. */
  verifier: Verifier | undefined;
  channelId: string;
  /** The base URL of the service. */
  service: string;
  chainSelector: string;
  address: string;
};

/** `text` is what the function returned; it is missing where the contract has no such function. */
type ContractAnswer = { kind: "answered" | "silent" | "refused" | "no contract"; text?: string };

type Facts = { isContract?: boolean; decimals?: number };
type Kept = Facts & { seenAt?: number; decimalsAt?: number; openUntil?: number };

const FUNCTIONS = {
  decimals: "function decimals() view returns (uint256)",
  symbol: "function symbol() view returns (string)",
} as const;
const LONGEST = 40;
const MOST_DECIMALS = 77;

/** A contract stays at its address; an address without one may get one, so that is remembered only for a while. */
const ABSENT_FOR_MS = 30_000;
/** A proxy may get other code. */
const DECIMALS_FOR_MS = 3_600_000;
const MOST_REMEMBERED = 500;
/** A message waits for it. */
const NODE_MS = 30_000;
/** It can be sent without that answer. */
const EXISTENCE_MS = 5_000;

const shared = processWide("contract-facts", () => ({
  kept: new Map<string, Kept>(),
  asked: new Map<string, Promise<ContractAnswer>>(),
}));

/** What is remembered, without a query. */
export function factsOf(place: Omit<ContractPlace, "client" | "verifier" | "channelId">): Facts {
  const { isContract, seenAt = 0, decimals, decimalsAt = 0 } = shared.kept.get(keyOf(place)) ?? {};
  const now = performance.now();
  const isSeen = isContract === true || (isContract === false && now - seenAt < ABSENT_FOR_MS);
  return {
    ...(isSeen ? { isContract } : {}),
    ...(decimals !== undefined && now - decimalsAt < DECIMALS_FOR_MS ? { decimals } : {}),
  };
}

/**
 * The decimals that a contract tells, by one query for all messages that need them; undefined where it tells none.
 * @throws what keeps the service from an answer: WAIT_TIMEOUT, QUERY_NOT_VERIFIED and the like. It is not remembered.
 */
export async function decimalsOnChain(
  place: ContractPlace,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { isContract, decimals } = factsOf(place);
  if (decimals !== undefined || isContract === false) return decimals;
  return decimalsIn(await unlessStopped(askedOnce(place), signal));
}

/**
 * Whether there is a contract, for a message that can be sent without the answer: undefined where the service has not
 * shown it within a few seconds. Then it is not asked again for a while.
 */
export async function contractOnChain(
  place: ContractPlace,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const { isContract } = factsOf(place);
  const key = keyOf(place);
  if (isContract !== undefined || (shared.kept.get(key)?.openUntil ?? 0) > performance.now())
    return isContract;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(EXISTENCE_MS)]);
  const answer = await unlessStopped(askedOnce(place), limit).catch(() => undefined);
  if (signal.aborted) throw signal.reason;
  const known = factsOf(place).isContract;
  if (known !== undefined) return known;
  // Code that returns nothing stays as it is.
  const openUntil = performance.now() + (answer ? DECIMALS_FOR_MS : ABSENT_FOR_MS);
  setNewest(shared.kept, key, { ...shared.kept.get(key), openUntil }, MOST_REMEMBERED);
  return undefined;
}

/** One query for all messages that need it. */
function askedOnce(place: ContractPlace): Promise<ContractAnswer> {
  const key = keyOf(place);
  const known = shared.asked.get(key);
  if (known) return known;
  const asked = askContract(place, "decimals", NODE_MS).finally(() => shared.asked.delete(key));
  shared.asked.set(key, asked);
  return asked;
}

/** Not known where a call returned nothing: a contract may do that. */
export function existence({ kind }: ContractAnswer): Pick<Facts, "isContract"> {
  return kind === "silent" ? {} : { isContract: kind !== "no contract" };
}

/**
 * Asks a function of a contract by a query, and remembers what the answer shows.
 * @throws where the service or the chain does not answer: WAIT_TIMEOUT, QUERY_FAILED and the like
 */
export async function askContract(
  place: ContractPlace,
  name: keyof typeof FUNCTIONS,
  timeoutMs: number,
): Promise<ContractAnswer> {
  const answer = await ask(place, name, timeoutMs);
  const now = performance.now();
  const decimals = name === "decimals" && place.verifier ? decimalsIn(answer) : undefined;
  const key = keyOf(place);
  const before = shared.kept.get(key);
  const { isContract } = existence(answer);
  const facts = {
    ...before,
    ...(isContract === undefined ? {} : { isContract, seenAt: now }),
    ...(decimals === undefined ? {} : { decimals, decimalsAt: now }),
  };
  setNewest(shared.kept, key, facts, MOST_REMEMBERED);
  return answer;
}

async function ask(
  { client, verifier, channelId, chainSelector, address }: ContractPlace,
  name: keyof typeof FUNCTIONS,
  timeoutMs: number,
): Promise<ContractAnswer> {
  const { decodeFunctionResult, encodeFunctionCall, parseAbi } = await loadLibrary();
  const abi = parseAbi(FUNCTIONS[name]);
  const params = {
    contract_address: address,
    call_data: encodeFunctionCall({ abi, function: name }).data,
    block_selection: { type: "latest" as const },
  };
  const signal = AbortSignal.timeout(timeoutMs);
  let data: string;
  try {
    const query = { chain_selector: chainSelector, params };
    ({ data } = await client.queries.run(channelId, query, { timeoutMs, signal, verifier }));
  } catch (thrown) {
    const { code, reason = "" } = thrown as { code?: string; reason?: string };
    if (code === "QUERY_FAILED" && reason.startsWith("CONTRACT_NOT_FOUND")) return { kind: "no contract" };
    if (code === "QUERY_FAILED" && reason.startsWith("CALL_REVERTED")) return { kind: "refused" };
    if (!signal.aborted) throw thrown;
    const message = `The service has not answered ${name}() of ${address} within ${timeoutMs / 1000} s. Try again.`;
    throw nodeError("WAIT_TIMEOUT", message, thrown);
  }
  if (data === "0x") return { kind: "silent" };
  try {
    const value = String(decodeFunctionResult({ abi, function: name, data }));
    return { kind: "answered", text: onOneLine(value).slice(0, LONGEST) };
  } catch {
    // A function of that name that returns something else.
    return { kind: "answered" };
  }
}

/** The query itself goes on: other messages may wait for it. */
function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Undefined where it is no number of decimals: no amount has more than 77. */
export function decimalsIn({ text = "" }: ContractAnswer): number | undefined {
  return /^\d+$/.test(text) && Number(text) <= MOST_DECIMALS ? Number(text) : undefined;
}

/** A contract may return any text, and its symbol becomes a name. */
function onOneLine(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ").trim();
}

function keyOf({
  service,
  chainSelector,
  address,
}: Pick<ContractPlace, "service" | "chainSelector" | "address">): string {
  return [service, chainSelector, address.toLowerCase()].join(" ");
}
