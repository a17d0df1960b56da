import type { NodeAPI } from "node-red";
import type { CrecClient, Verifier } from "../../../src/index.ts";
import type { Connection, ConnectionNode, ContractNode, WalletNode } from "../runtime/config-nodes.ts";
import { loadLibrary } from "../runtime/library.ts";
import { isChosen } from "../shared/config-choice.ts";
import { nodeError } from "../shared/errors.ts";
import type { OnChain } from "../shared/form-types.ts";
import { isReference } from "../shared/variables.ts";
import { isVerificationUntouched } from "../shared/verification-set-up.ts";
import { answerForms, fieldsOf, textIn } from "./answer.ts";
import { deployFirst, isDeployedWith } from "./deployed.ts";
import { queryChannel } from "./query-channel.ts";

/** Where to read: all is known, and nothing was sent. */
type Place = {
  client: CrecClient;
  verifier: Verifier | undefined;
  channelId: string;
  channel: string;
  network: string;
  chainSelector: string;
  address: string;
};

/** A query takes some blocks, and the answer of the oracles. */
const READ_MS = 60_000;
const LOOKUP_MS = 10_000;
const FUNCTIONS = {
  decimals: "function decimals() view returns (uint8)",
  symbol: "function symbol() view returns (string)",
} as const;
const LONGEST = 40;

/** A contract stays at its address; an address without one may get one, so that is remembered only for a while. */
const ABSENT_FOR_MS = 30_000;
const MOST_REMEMBERED = 500;

/**
 * `POST /crec/contract/read`: whether there is a contract at an address, its decimals and its symbol. They are read by
 * queries, which the service works for, in a channel that exists already.
 * `POST /crec/contract/exists`: only the first, by one query; the answer is remembered.
 */
export function registerContractReader(RED: NodeAPI): void {
  const remembered = new Map<string, { at: number; isContract: boolean }>();
  answerForms(RED, "post", "/crec/contract/read", "crec.write", async ({ body }): Promise<OnChain> => {
    const place = await placeOf(RED, fieldsOf(body));
    const { network, channel } = place;
    return { ...(await read(place)), network, channel };
  });
  answerForms(RED, "post", "/crec/contract/exists", "crec.write", async ({ body }): Promise<OnChain> => {
    const place = await placeOf(RED, fieldsOf(body));
    const { network, channel, chainSelector, address } = place;
    const key = [textIn(fieldsOf(body).connection), chainSelector, address].join(" ");
    const before = remembered.get(key);
    if (before && (before.isContract || Date.now() - before.at < ABSENT_FOR_MS)) {
      return { isContract: before.isContract, network, channel };
    }
    const found = existence(await ask(place, "decimals"));
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    if (found.isContract !== undefined) remembered.set(key, { at: Date.now(), isContract: found.isContract });
    return { ...found, network, channel };
  });
}

/**
 * Whether there is a contract at an address, by one query in a channel that exists; undefined where the answer does not
 * show it.
 * @param at.connection the id of a deployed connection
 * @throws what `POST /crec/contract/exists` answers: CHANNEL_NOT_FOUND, NETWORK_NOT_FOUND, QUERY_FAILED and the like
 */
export async function contractExists(
  RED: NodeAPI,
  at: Readonly<{ connection: string; chainSelector: string; address: string }>,
): Promise<boolean | undefined> {
  return existence(await ask(await placeOf(RED, at), "decimals")).isContract;
}

async function read(place: Place): Promise<Pick<OnChain, "isContract" | "decimals" | "symbol">> {
  const [decimals, symbol] = await Promise.all([ask(place, "decimals"), ask(place, "symbol")]);
  return {
    ...existence(decimals),
    ...(decimals.text ? { decimals: Number(decimals.text) } : {}),
    ...(symbol.text ? { symbol: symbol.text } : {}),
  };
}

/** `text` is what the function returned; it is missing where the contract has no such function. */
type Answer = { kind: "answered" | "silent" | "refused" | "no contract"; text?: string };

/** Not known where a call returned nothing: a contract may do that. */
function existence({ kind }: Answer): Pick<OnChain, "isContract"> {
  return kind === "silent" ? {} : { isContract: kind !== "no contract" };
}

/** @throws where the service or the chain does not answer: WAIT_TIMEOUT, QUERY_FAILED and the like */
async function ask(place: Place, name: keyof typeof FUNCTIONS): Promise<Answer> {
  const { client, verifier, channelId, chainSelector, address } = place;
  const { decodeFunctionResult, encodeFunctionCall, parseAbi } = await loadLibrary();
  const abi = parseAbi(FUNCTIONS[name]);
  const params = {
    contract_address: address,
    call_data: encodeFunctionCall({ abi, function: name }).data,
    block_selection: { type: "latest" as const },
  };
  const running = { timeoutMs: READ_MS, signal: AbortSignal.timeout(READ_MS), verifier };
  let data: string;
  try {
    ({ data } = await client.queries.run(channelId, { chain_selector: chainSelector, params }, running));
  } catch (thrown) {
    const { code, reason = "" } = thrown as { code?: string; reason?: string };
    if (code === "QUERY_FAILED" && reason.startsWith("CONTRACT_NOT_FOUND")) return { kind: "no contract" };
    if (code === "QUERY_FAILED" && reason.startsWith("CALL_REVERTED")) return { kind: "refused" };
    throw thrown;
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

/** A contract may return any text, and its symbol becomes a name. */
function onOneLine(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ").trim();
}

/** @throws CONNECTION_MISSING, DEPLOY_FIRST, CHANNEL_NOT_FOUND, INVALID_ADDRESS, and what is wrong with the connection */
async function placeOf(RED: NodeAPI, question: Readonly<Record<string, unknown>>): Promise<Place> {
  const { checksumAddress } = await loadLibrary();
  const id = textIn(question.id);
  const chainSelector = resolved(RED, id, "chainSelector", textIn(question.chainSelector));
  if (!/^\d+$/.test(chainSelector)) {
    throw nodeError("CONTRACT_INCOMPLETE", "The network is missing. Choose a network first.");
  }
  const address = checksumAddress(resolved(RED, id, "address", textIn(question.address)), "The address");
  const connectionId = textIn(question.connection);
  const connection = connectionWith(RED, connectionId);
  const client = await connection.client();
  const networks = await client.networks.list({ signal: AbortSignal.timeout(LOOKUP_MS) });
  const network = networks.find(({ chain_selector }) => chain_selector === chainSelector);
  if (!network) {
    throw nodeError(
      "NETWORK_NOT_FOUND",
      "The service of this connection does not support this network. Choose another network, or another connection.",
    );
  }
  const signal = AbortSignal.timeout(LOOKUP_MS);
  const channel = await queryChannel(RED, connectionId, client, signal);
  const { verification } = connection;
  const isUntouched = isVerificationUntouched({
    ...verification,
    validSigners: verification.validSigners ?? [],
  });
  const verifier = isUntouched ? undefined : await connection.verifier();
  return { client, verifier, ...channel, network: network.name, chainSelector, address };
}

/** What is typed; a variable only where the deployed node has the same. @throws DEPLOY_FIRST */
function resolved(RED: NodeAPI, id: string, field: "chainSelector" | "address", text: string): string {
  if (!isReference(text)) return text;
  const node = RED.nodes.getNode(id) as Partial<ContractNode & WalletNode> | null;
  const value =
    field === "address" ? node?.contract?.address : (node?.contract ?? node?.wallet)?.chainSelector;
  return value !== undefined && isDeployedWith(RED, id, field, text) ? value : deployFirst(text);
}

/** @throws CONNECTION_MISSING, DEPLOY_FIRST, and what is wrong with its settings */
function connectionWith(RED: NodeAPI, id: string): Connection {
  if (!isChosen(id)) {
    throw nodeError(
      "CONNECTION_MISSING",
      "The chain is read by the service of a connection. Choose a connection first.",
    );
  }
  const connection = (RED.nodes.getNode(id) as Partial<ConnectionNode> | null)?.connection;
  if (!connection) {
    throw nodeError(
      "DEPLOY_FIRST",
      "The chain is read by the service of the connection, and the connection is not deployed yet. Deploy, then try again.",
    );
  }
  if (connection.problem) throw connection.problem;
  return connection;
}
