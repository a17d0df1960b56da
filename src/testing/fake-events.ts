import { randomBytes, randomUUID } from "node:crypto";
import type { Abi } from "../abi/abi-type.ts";
import { checksumAddress, eventFragments, eventLog, logParams, readAbi, signatureOf } from "../abi/index.ts";
import { ArgumentError } from "../errors.ts";
import { anything, kindOf, oneOf, optional, options, whole } from "../options/index.ts";
import { isVerifiable } from "../proofs/proof.ts";
import {
  type Address,
  type ChannelEvent,
  CONFIDENCES,
  type EventFragment,
  type EventPage,
  eventTypeOf,
  type Hex,
  KNOWN_CHAINS,
  type Network,
  OPERATION_STATUSES,
  type OperationStatus,
  type OperationStatusEvent,
  PAGE_LIMITS,
  type Query,
  type QueryParams,
  type QueryStatus,
  type WatcherEvent,
  ZERO_ADDRESS,
} from "../protocol/index.ts";
import type { WorkflowRun } from "./oracle-round.ts";
import { FakeOracles } from "./oracle-round.ts";
import { type CallAnswer, logStatement, operationStatement, queryStatement } from "./statements.ts";
import type {
  FakeChannel,
  FakeChannelOptions,
  FakeEventDetails,
  FakeOperation,
  FakeQueryDetails,
} from "./types.ts";

const LOCAL_NETWORK = "7759470850252068959";

/**
 * A channel without a service, for tests. Its events are signed by oracles of its own, with fresh keys each time: only a
 * verifier that is given its `verification` accepts them.
 * @throws {ArgumentError} `ABI_INVALID`; `INVALID_ADDRESS`; `INVALID_ARGUMENT` for a network whose chain id is not known.
 * @example
 * const fake = fakeChannel({ abi: "event Moved(address by, uint256 steps)" });
 * const moved = fake.event("Moved", { by: fake.contract, steps: "3" });
 * (await createVerifier(fake.verification).verify(moved)).verified; // → true
 * fake.page("?offset=0").events.length; // → 1
 */
export function fakeChannel(options: FakeChannelOptions): FakeChannel {
  const oracles = new FakeOracles();
  const fake: Fake = {
    abi: readAbi(options.abi).abi,
    contract: checksumAddress(options.contract ?? randomHex(20), "contract"),
    network: networkOf(options),
    channelId: options.channelId ?? randomUUID(),
    ...{
      oracles,
      watcherId: randomUUID(),
      workflowId: newWorkflow(),
      events: [] as ChannelEvent[],
      block: 0,
    },
  };
  const { channelId, contract, network, events } = fake;
  return {
    ...{ channelId, contract, chainSelector: network.chain_selector },
    ...{ verification: oracles.verification, events },
    event: (name, params, details) => contractEvent(fake, { name, params, details }),
    operation: (status, operation) => operationStatus(fake, status, operation),
    query: (params, answer, details) => queryAnswer(fake, { params, answer, details }),
    page: (path) => pageOf(events, path),
  };
}

function networkOf({ chainSelector = LOCAL_NETWORK, chainId }: FakeChannelOptions): Fake["network"] {
  const known = KNOWN_CHAINS.find((chain) => chain.chainSelector === chainSelector)?.chainId;
  const chain_id = chainId ?? known;
  if (chain_id === undefined || !/^\d+$/.test(chain_id))
    throw new ArgumentError(
      "chainId",
      "chainId must be the EVM chain id of the network, as decimal digits: this library does not know the network.",
    );
  return { chain_family: "evm", chain_selector: chainSelector, chain_id };
}

/** A page of events as `GET /channels/{id}/events` answers with it. Of the path, only the query counts. */
function pageOf(events: readonly ChannelEvent[], path = ""): EventPage {
  const query = new URLSearchParams(path.split("?").slice(1).join("?"));
  const [offset, type] = [query.get("offset"), query.get("type")];
  const { max, default: usual } = PAGE_LIMITS.events;
  const limit = Math.min(Number(query.get("limit") ?? usual), max);
  const sorted = events.toSorted((one, other) => one.headers.offset - other.headers.offset);
  const found = sorted.filter(
    (event) =>
      (offset === null || event.headers.offset >= Number(offset)) &&
      (type === null || eventTypeOf(event) === type),
  );
  const ordered = offset === null ? found.reverse() : found;
  return { events: ordered.slice(0, limit), has_more: ordered.length > limit };
}

/** What the events of a fake channel have in common. */
type Fake = {
  abi: Abi;
  contract: Address;
  network: Pick<Network, "chain_family" | "chain_selector" | "chain_id">;
  channelId: string;
  oracles: FakeOracles;
  watcherId: string;
  workflowId: string;
  events: ChannelEvent[];
  /** The number of the newest block. */
  block: number;
};

/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799;

/** A number or a place of something in a chain. */
const place = whole(0);
/** Of `Date.now()`, it would be in the year 58000. */
const seconds = kindOf<number>(
  "in Unix seconds, an integer: Date.now() has milliseconds",
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LAST_SECOND,
);
const hash = kindOf<string>(
  "32 bytes as hex digits, after 0x",
  (value) => typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value),
);
const bytes = kindOf<string>(
  "bytes as hex digits, after 0x",
  (value) => typeof value === "string" && /^0x(?:[0-9a-f]{2})*$/i.test(value),
);
const statusKind = oneOf(...OPERATION_STATUSES);
const eventDetails = options<FakeEventDetails>({
  contract: anything(),
  confidence: optional(oneOf(...CONFIDENCES)),
  blockNumber: optional(place),
  blockTime: optional(seconds),
  transactionHash: optional(hash),
  logIndex: optional(place),
});

type NewEvent = {
  name: string;
  params?: readonly unknown[] | Record<string, unknown> | undefined;
  details?: FakeEventDetails | undefined;
};

/** Adds a contract event. */
function contractEvent(fake: Fake, { name, params = [], details = {} }: NewEvent): WatcherEvent {
  const given = eventDetails(details, "details");
  const { confidence = "finalized", blockNumber = fake.block + 1, blockTime = now() } = given;
  const { logIndex = 0, transactionHash = randomHex(32) } = given;
  const fragment = eventNamed(fake.abi, name);
  const reported = {
    fragment,
    params: logParams(fragment, eventLog(fragment, params, "params")),
    log: {
      address: checksumAddress(given.contract ?? fake.contract, "contract"),
      ...{ blockNumber, logIndex, transactionHash },
    },
  };
  fake.block = blockNumber;
  const statement = logStatement(fake.network, reported, { timestamp: blockTime, confidence });
  const run = newRun(fake.workflowId);
  const { text, hash, proof } = fake.oracles.attest(statement, run, now());
  const payload = {
    ...{ watcher_id: fake.watcherId, chain_selector: fake.network.chain_selector },
    ...{ event_hash: hash, verifiable_event: text, timestamp: now(), ...run },
  };
  return append(fake, { type: "watcher.event", payload, proofs: [proof] });
}

/** Adds a status of an operation. */
function operationStatus(
  fake: Fake,
  status: OperationStatus,
  operation: FakeOperation,
): OperationStatusEvent {
  statusKind(status, "status");
  const { walletOperationId, operationId = randomUUID(), reason = "" } = operation;
  if (!/^\d+$/.test(walletOperationId))
    throw new ArgumentError("walletOperationId", "walletOperationId must be decimal digits.");
  const address = checksumAddress(operation.wallet, "wallet");
  const about = { address, wallet_operation_id: walletOperationId };
  const { transactionHash: transaction_hash = randomHex(32) } = operation;
  hash(transaction_hash, "transactionHash");
  const isSigned = isVerifiable("operation.status", status);
  const statement = operationStatement(fake.network, { ...about, status, transaction_hash }, now());
  const signed = isSigned ? fake.oracles.attest(statement, newRun(), now()) : undefined;
  const payload = {
    ...{ status, status_reason: reason, operation_id: operationId, ...about },
    ...{ chain_selector: fake.network.chain_selector, timestamp: now() },
    ...(signed && { event_hash: signed.hash, verifiable_event: signed.text }),
  };
  return append(fake, { type: "operation.status", payload, proofs: signed ? [signed.proof] : [] });
}

type NewAnswer = { params: QueryParams; answer: CallAnswer; details?: FakeQueryDetails | undefined };

/** Adds the answer to a query. */
function queryAnswer(fake: Fake, { params, answer, details = {} }: NewAnswer): Query {
  const { queryId: query_id = randomUUID(), blockNumber = Math.max(fake.block, 1) } = details;
  place(blockNumber, "blockNumber");
  if ("returned" in answer) bytes(answer.returned, "returned");
  const { chain_selector } = fake.network;
  const asked = {
    ...({ query_id, channel_id: fake.channelId, query_kind: "evm_call", chain_selector } as const),
    params: { from_address: ZERO_ADDRESS, ...params },
  };
  const resolved = { number: blockNumber, hash: randomHex(32), timestamp: now() };
  const run = newRun();
  const { text, hash, proof } = fake.oracles.attest(
    queryStatement(asked, { resolved, ...answer }, now()),
    run,
    now(),
  );
  const status: QueryStatus = "returned" in answer ? "completed" : "failed";
  const answered = {
    ...{ query_id, status, target: params.contract_address, chain_selector },
    ...{ event_hash: hash, verifiable_result: text, ...run },
  };
  append(fake, { type: "query.status", payload: { ...answered, timestamp: now() }, proofs: [proof] });
  const { channel_id, query_kind } = asked;
  return { ...answered, channel_id, query_kind, proof, created_at: now(), updated_at: now() };
}

type Added<Type, Payload> = { type: Type; payload: Payload; proofs: unknown[] };

/** At the end, also where a test has changed the list. */
function append<Type extends string, Payload>(
  { events, channelId }: Fake,
  { type, payload, proofs }: Added<Type, Payload>,
) {
  const offset = 1 + Math.max(0, ...events.map(({ headers }) => headers.offset));
  const headers = { type, offset, proofs };
  const event = {
    ...{ event_id: randomUUID(), headers, payload },
    ...{ channel_id: channelId, created_at: now() },
  };
  events.push(event as ChannelEvent & typeof event);
  return event;
}

function eventNamed(abi: Abi, name: string): EventFragment {
  const fragments = fragmentsNamed(abi, name);
  const [only, ...others] = fragments;
  if (only !== undefined && others.length === 0) return only;
  const signatures = fragments.map(signatureOf).join(", ");
  throw new ArgumentError(
    "name",
    `Several events have the name ${only?.name}; give the signature of one: ${signatures}.`,
  );
}

function fragmentsNamed(abi: Abi, name: string): EventFragment[] {
  try {
    return eventFragments(abi, [name]);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    throw new ArgumentError("name", error.message, { code: error.code });
  }
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** So many random bytes. */
function randomHex(bytes: number): Hex {
  return `0x${randomBytes(bytes).toString("hex")}`;
}

/** The id of a workflow that does not exist. */
function newWorkflow(): string {
  return randomBytes(32).toString("hex");
}

/** Another run of a workflow. */
function newRun(workflow_id = newWorkflow()): WorkflowRun {
  return { workflow_id, workflow_execution_id: newWorkflow() };
}
