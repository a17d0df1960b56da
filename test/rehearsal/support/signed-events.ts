import * as Hash from "ox/Hash";
import { Timed } from "../../../rehearsal/parent/events/event-time.ts";
import type { FlowNode, PastEvent, ServiceSnapshot } from "../../../rehearsal/shared/job.ts";
import type { ChannelEvent } from "../../../src/index.ts";
import { ownConfig, signedEvent, toSignedText } from "../../proofs/fixtures.ts";

/** What a test chooses of an event. `at`: seconds after the start, when the service wrote it. */
export type MadeEvent = {
  at: number;
  /** Seconds between its block and when it was written. */
  blockAge: number;
  value: number;
  name: "Transfer" | "Approval";
  token: 0 | 1;
  confidence: "latest" | "finalized";
  /** Its proof is of another text. */
  isForged: boolean;
  isStatus: boolean;
  /** The log of the event before, at a higher level. */
  isAgain: boolean;
};

/** A channel whose first event has offset 1. */
export type MadeChannel = { id: string; name: string; events: readonly ChannelEvent[] };

const CHAIN = "7759470850252068959";
const WATCHER = "5111df5c-0f30-42b1-a8f6-f8a6cca47791";
export const TOKENS = [
  "0x5b571A50AC6cB524730C8419EBe452703139809A",
  "0xfdbF8320766bdD350c71d2BfF260670Db2a47466",
];
const PEOPLE = ["0x1437A9435dcAbc78178D567d69E6F6BDE86129f3", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"];

/** @param start Unix seconds */
export function channelOf(id: string, name: string, start: number, made: readonly MadeEvent[]): MadeChannel {
  const events = made.map((one, index) => {
    const before = made[index - 1];
    const isAgain = one.isAgain && before !== undefined && !before.isStatus;
    const log = isAgain
      ? {
          ...before,
          confidence: "finalized" as const,
          number: index,
          block: start + before.at - before.blockAge,
        }
      : { ...one, number: index + 1, block: start + one.at - one.blockAge };
    return eventOf(id, index + 1, start + one.at, log);
  });
  return { id, name, events };
}

/** `number` says which log it is; `block` is the time of its block. */
type MadeLog = MadeEvent & { number: number; block: number };

function eventOf(channelId: string, offset: number, created: number, made: MadeLog): ChannelEvent {
  const envelope = made.isStatus ? statusOf(created) : logOf(channelId, made);
  return {
    ...envelope,
    event_id: `${channelId.slice(0, 24)}${String(offset).padStart(12, "0")}`,
    channel_id: channelId,
    created_at: created,
    headers: { ...envelope.headers, offset },
  } as unknown as ChannelEvent;
}

function statusOf(timestamp: number) {
  const payload = {
    watcher_id: WATCHER,
    status: "active",
    status_reason: "",
    chain_selector: CHAIN,
    timestamp,
  };
  return { headers: { type: "watcher.status", offset: 0, proofs: [] }, payload };
}

function logOf(channelId: string, made: MadeLog) {
  const { value, name, token, confidence, isForged, number, block: timestamp } = made;
  const [from, to] = [PEOPLE[value % 2], PEOPLE[(value + 1) % 2]];
  const statement = {
    ...{
      name,
      timestamp: new Date(timestamp * 1000).toISOString(),
      chain_family: "evm",
      chain_selector: CHAIN,
    },
    chain_event: {
      ...{ chain_id: "31337", block_number: 100 + number, block_timestamp: timestamp, confidence },
      tx_hash: Hash.keccak256(new TextEncoder().encode(`${channelId} ${number}`), { as: "Hex" }),
      ...{ address: TOKENS[token], log_index: 0, event_signature: `${name}(address,address,uint256)` },
      topic_hash: Hash.keccak256(new TextEncoder().encode(`${name}(address,address,uint256)`), { as: "Hex" }),
      params: { from, to, value: String(value) },
    },
  };
  const text = toSignedText(statement);
  const payload = {
    ...{ watcher_id: WATCHER, chain_selector: CHAIN, timestamp },
    event_hash: Hash.keccak256(new TextEncoder().encode(text), { as: "Hex" }),
  };
  const event = signedEvent("watcher.event", statement, payload);
  if (!isForged) return event;
  const changed = {
    ...statement,
    chain_event: { ...statement.chain_event, params: { from, to, value: "1" } },
  };
  return {
    ...event,
    payload: { ...event.payload, verifiable_event: toSignedText({ ...changed, name: "Transfer" }) },
  };
}

/** All events in the order of their times, as a rehearsal is given them. */
export function pastOf(channels: readonly MadeChannel[], start: number): PastEvent[] {
  const past = channels.flatMap(({ id, events }) => {
    const timed = new Timed(id, start * 1000);
    return events.map((event) => timed.past(event, timed.stated(event)));
  });
  return past.sort((one, other) => one.at - other.at);
}

/** What the service has beside events. */
export function snapshotOf(channels: readonly MadeChannel[]): ServiceSnapshot {
  const network = {
    ...{
      id: "11111111-1111-4111-8111-111111111111",
      name: "Local",
      chain_selector: CHAIN,
      chain_id: "31337",
    },
    ...{ chain_family: "evm", type: "testnet", default_confidence_level: "finalized" },
  };
  const watcher = { watcher_id: WATCHER, name: "all", status: "active", chain_selector: CHAIN, service: "" };
  return {
    networks: [network],
    wallets: [],
    channels: channels.map(({ id, name }) => ({
      channel: { channel_id: id, name, status: "active", created_at: 1 },
      watchers: [{ ...watcher, channel_id: id }],
    })),
  };
}

/** The connection and the channels, as a flow has them. Ids begin with the prefix. */
export function configOf(prefix: string, baseUrl: string, channels: readonly MadeChannel[]): FlowNode[] {
  const connection = {
    ...{
      id: `${prefix}connection`,
      type: "crec-connection",
      baseUrl,
      graphqlUrl: "",
      orgId: "",
      creTenantId: "",
    },
    ...{
      workflowOwner: ownConfig.workflowOwner,
      validSigners: ownConfig.validSigners.join("\n"),
      timeout: "10",
    },
    minRequiredSignatures: String(ownConfig.minRequiredSignatures),
  };
  return [
    connection as unknown as FlowNode,
    ...channels.map(({ name }, index) => ({
      ...{ id: `${prefix}channel${index}`, type: "crec-channel", connection: connection.id, channel: name },
      createMissing: false,
    })),
  ];
}
