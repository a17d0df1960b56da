import fc from "fast-check";
import should from "should";
import { createJsEngine, createWasmEngine, type Engine } from "../../src/proofs/engine.ts";
import { decodeEvent, dedupeKey, PROOF_LIMITS, VERIFY_REASONS } from "../../src/proofs/index.ts";
import { createVerifierOn } from "../../src/proofs/verify.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { sized } from "../support/variants.ts";
import { counted, remembering } from "./engines.ts";
import { OTHER_OWNER, ownConfig, signedEvent } from "./fixtures.ts";
import { type Mutation, mutate, mutation, pathsOf } from "./mutations.ts";

const SELECTOR = "16015286601757825753";
const WALLET = "0x66e1BB813E19adD1B0EF1e2258f8399E7440457e";
const CHANNEL = "7e77863e-8c8d-44b2-a0e0-45cad1325017";

/** Events of every kind that carries a proof, two of each; the same oracles sign for another organization, too. */
function eventsOf(owner: `0x${string}` | undefined, suffix: string): EventEnvelope[] {
  const chain_selector = SELECTOR;
  const log = (n: number) => ({
    name: "Transfer",
    chain_selector,
    chain_event: {
      chain_id: "11155111",
      confidence: "finalized",
      tx_hash: `0x${suffix.padStart(64, "0")}`,
      address: WALLET,
      log_index: n,
      params: { from: WALLET, value: `${n}000` },
    },
  });
  const watcher = { watcher_id: "5111df5c-0f30-42b1-a8f6-f8a6cca47791", chain_selector };
  const status = (id: string, status: string) => ({
    chain_selector,
    data: { wallet_operation_id: id, wallet_address: WALLET, status, status_reason: "" },
  });
  const operation = (id: string, status: string) => ({
    ...{ operation_id: `o-${id}`, status, wallet_operation_id: id, address: WALLET, chain_selector },
  });
  const answer = (id: string, answered: object) => ({
    chain_selector,
    data: {
      ...{ query_id: id, channel_id: CHANNEL },
      target: { from_address: WALLET, contract_address: WALLET, call_data: "0x18160ddd" },
      block_selection: { requested: { type: "finalized" } },
      ...answered,
    },
  });
  const query = (id: string, status: string) => ({ query_id: id, status, target: WALLET, chain_selector });
  return [
    signedEvent("watcher.event", log(1), watcher, owner),
    signedEvent("watcher.event", log(2), watcher, owner),
    signedEvent(
      "operation.status",
      status(`1${suffix}`, "confirmed"),
      operation(`1${suffix}`, "confirmed"),
      owner,
    ),
    signedEvent(
      "operation.status",
      status(`2${suffix}`, "confirmed_latest"),
      operation(`2${suffix}`, "confirmed_latest"),
      owner,
    ),
    signedEvent(
      "query.status",
      answer(`q1-${suffix}`, { result: { raw_return_data: "0x" } }),
      query(`q1-${suffix}`, "completed"),
      owner,
    ),
    signedEvent(
      "query.status",
      answer(`q2-${suffix}`, { error: { code: "CALL_REVERTED", message: "" } }),
      query(`q2-${suffix}`, "failed"),
      owner,
    ),
  ];
}

const genuine = eventsOf(undefined, "1");
const foreign = eventsOf(OTHER_OWNER, "2");
const all = [...genuine, ...foreign];

/** All that an event says of what is signed; what no proof speaks of, such as its id, is left out. */
function meaning({ headers, payload }: EventEnvelope): string {
  const same = (value: unknown) =>
    value === undefined
      ? undefined
      : String(value)
          .toLowerCase()
          .replace(/^0+(?=\d)/, "");
  const { type } = headers;
  return JSON.stringify([
    type,
    type === "query.status" ? payload.verifiable_result : payload.verifiable_event,
    same(payload.chain_selector),
    type === "watcher.event" ? undefined : payload.status,
    type === "operation.status" ? [same(payload.wallet_operation_id), same(payload.address)] : undefined,
    type === "query.status" ? [same(payload.query_id), same(payload.target)] : undefined,
  ]);
}

const mutations = fc.tuple(
  fc.nat(all.length - 1),
  fc.array(fc.tuple(fc.nat(), mutation), { minLength: 1, maxLength: 4 }),
);

function mutated(which: number, changes: ReadonlyArray<[number, Mutation]>): EventEnvelope {
  const event = structuredClone(all[which] as EventEnvelope);
  for (const [place, change] of changes) {
    const paths = pathsOf(event);
    mutate(event, paths[place % paths.length] ?? [], change, all);
  }
  return event;
}

describe("a mutated event", function () {
  this.timeout(120_000);
  const meanings = new Set(genuine.map(meaning));

  async function judgeMutations(engine: Engine, runs: number): Promise<Map<string, number>> {
    const work = counted(engine);
    const verifier = createVerifierOn(async () => work.engine, ownConfig);
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(mutations, async ([which, changes]) => {
        const event = mutated(which, changes);
        work.recovered = 0;
        work.hashedBytes = 0;
        const result = await verifier.verify(event);
        should(work.recovered).be.belowOrEqual(PROOF_LIMITS.signatures);
        should(work.hashedBytes).be.belowOrEqual(PROOF_LIMITS.signedText + 2 * PROOF_LIMITS.hex);
        const outcome = result.verified ? "verified" : result.reason;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (!result.verified) {
          should(result.message).match(/\.|\)$/);
          return;
        }
        should(meanings.has(meaning(event))).be.true();
        should(result.signers).have.length(2);
        // What was verified can be read, and is known again.
        should(decodeEvent(event)).be.an.Object();
        should(genuine.map(dedupeKey)).containEql(dedupeKey(event));
      }),
      { numRuns: runs },
    );
    return outcomes;
  }

  it("is never verified wrongly, and never throws, in thousands of mutations", async () => {
    const outcomes = await judgeMutations(await createWasmEngine(), sized(6_000, 12_000));
    const seldom = new Set(["not_configured"]);
    for (const reason of VERIFY_REASONS.filter((each) => !seldom.has(each))) {
      should(outcomes.get(reason) ?? 0).be.above(10, `too seldom ${reason}`);
    }
    should(outcomes.get("verified")).be.above(500);
  });

  it("gets the same result from both engines, in 1,500 mutations", async () => {
    const [wasm, js] = await Promise.all(
      [createWasmEngine(), createJsEngine()].map(async (engine) => {
        const remembered = remembering(await engine);
        return createVerifierOn(async () => remembered, ownConfig);
      }),
    );
    await fc.assert(
      fc.asyncProperty(mutations, async ([which, changes]) => {
        const event = mutated(which, changes);
        should(await js?.verify(event)).deepEqual(await wasm?.verify(event));
      }),
      { numRuns: 1_500 },
    );
  });

  it("is never verified when it is random JSON", async () => {
    const verifier = createVerifierOn(createWasmEngine, ownConfig);
    const json = fc.oneof(
      fc.jsonValue(),
      fc.record({ headers: fc.jsonValue(), payload: fc.jsonValue() }),
      fc.record({
        headers: fc.record({
          type: fc.constantFrom("watcher.event", "operation.status", "query.status", "watcher.status"),
          proofs: fc.array(fc.jsonValue()),
        }),
        payload: fc.dictionary(
          fc.constantFrom(
            "watcher_id",
            "status",
            "chain_selector",
            "verifiable_event",
            "event_hash",
            "__proto__",
          ),
          fc.jsonValue(),
        ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const event = value as unknown as EventEnvelope;
        should((await verifier.verify(event)).verified).be.false();
      }),
      { numRuns: 2_000 },
    );
  });

  it("covers each kind of mutation", () => {
    should(new Set(all.map(meaning)).size).equal(all.length);
  });
});
