import should from "should";
import { keccak256, toUtf8Bytes, wrongWithProof } from "../chain.ts";
import type { Json } from "../client.ts";
import { table } from "../row.ts";
import { NOWHERE, UUID, type World } from "../world.ts";

export const { rows, row } = table();

/** What may follow what. */
const LIFECYCLES: Record<string, Record<string, string[]>> = {
  "watcher.status": {
    "": ["pending"],
    pending: ["active", "failed"],
    active: ["failed", "archiving"],
    failed: ["archiving"],
    archiving: ["archived", "archive_failed"],
    archive_failed: ["archiving"],
  },
  "wallet.status": {
    "": ["pending"],
    pending: ["deploying", "failed", "archived"],
    deploying: ["deployed", "failed", "archived"],
    deployed: ["archived"],
    failed: ["archived"],
  },
  "operation.status": {
    "": ["pending_signature", "accepted"],
    pending_signature: ["accepted", "cancelled", "expired"],
    accepted: ["sending", "failed", "expired"],
    sending: ["sent", "failed", "expired"],
    sent: ["broadcasting", "failed", "expired"],
    broadcasting: ["confirmed_latest", "confirmed_safe", "confirmed", "failed", "expired"],
    confirmed_latest: ["confirmed_safe", "confirmed", "failed"],
    confirmed_safe: ["confirmed", "failed"],
  },
  "query.status": {
    "": ["accepted"],
    accepted: ["sending", "failed", "expired"],
    sending: ["sent", "failed", "expired"],
    sent: ["completed", "failed", "expired"],
  },
};
const SUBJECTS: Record<string, string> = {
  "watcher.status": "watcher_id",
  "wallet.status": "wallet_id",
  "operation.status": "operation_id",
  "query.status": "query_id",
};

const isSigned = ({ headers, payload }: Json) =>
  headers.type === "watcher.event" ||
  (headers.type === "operation.status" && payload.status.startsWith("confirmed")) ||
  (headers.type === "query.status" && ["completed", "failed"].includes(payload.status));

const read = new WeakMap<World, Promise<Json[][]>>();

/** The events of all channels in which rows left some. They are read once. */
function everything(world: World): Promise<Json[][]> {
  const found = read.get(world) ?? readEverything(world);
  read.set(world, found);
  return found;
}

async function readEverything(world: World): Promise<Json[][]> {
  const channels = new Set<string>();
  for (const { path } of world.seen) {
    const id = /^\/channels\/([0-9a-f-]{36})/.exec(path)?.[1];
    if (id !== undefined && id !== NOWHERE) channels.add(id);
  }
  return await Promise.all([...channels].map((id) => world.events(id)));
}

row("C5", "an event has an id, a type, an offset, proofs and a payload", ["token"], async (world) => {
  await world.watcher();
  const events = (await everything(world)).flat();
  should(events.length).be.above(0);
  for (const event of events) {
    should(event.event_id).match(UUID);
    should(Number.isInteger(event.headers.offset)).be.true();
    should(event.headers.proofs).be.an.Array();
    should(event.payload).be.an.Object();
    should(Number.isInteger(event.payload.timestamp)).be.true();
    if (event.payload.chain_selector !== undefined) should(event.payload.chain_selector).match(/^[0-9]+$/);
  }
  should(new Set(events.map(({ event_id }) => event_id)).size).equal(events.length);
});

row("S6 C6", "what is signed carries one proof, anything else carries none", [], async (world) => {
  for (const event of (await everything(world)).flat()) {
    should(event.headers.proofs).have.length(isSigned(event) ? 1 : 0, JSON.stringify(event.payload));
    const text = event.payload.verifiable_event ?? event.payload.verifiable_result;
    should(text !== undefined).equal(isSigned(event));
    if (text !== undefined) should(event.payload.event_hash).equal(keccak256(toUtf8Bytes(text)));
  }
});

row("C6", "each proof holds: owner, hash, and enough signers of the set", ["proofs"], async (world) => {
  const trust = world.target.verification;
  for (const { headers, payload } of (await everything(world)).flat()) {
    const text = payload.verifiable_event ?? payload.verifiable_result;
    if (text === undefined || trust === undefined) continue;
    should(wrongWithProof(text, headers.proofs, trust)).be.undefined();
  }
});

row(
  "S3 C4",
  "each change of a status follows the lifecycle and has one event, and none goes back",
  [],
  async (world) => {
    for (const events of await everything(world)) {
      const last = new Map<string, string>();
      for (const { headers, payload } of events) {
        const subject = SUBJECTS[headers.type];
        if (subject === undefined) continue;
        const before = last.get(payload[subject]) ?? "";
        const path = `${headers.type} of ${payload[subject]}: ${before} → ${payload.status}`;
        should(LIFECYCLES[headers.type]?.[before]?.includes(payload.status)).be.true(path);
        last.set(payload[subject], payload.status);
      }
    }
  },
);

row("C5", "offsets of a channel count from 1, without gaps", ["local"], async (world) => {
  for (const events of await everything(world)) {
    should(events.map(({ headers }) => headers.offset)).eql(events.map((_event, index) => index + 1));
  }
});
