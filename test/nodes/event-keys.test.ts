import fc from "fast-check";
import should from "should";
import type { CrecMessage } from "../../nodes/common/messages/message.ts";
import { operationKeyOf } from "../../nodes/submit-operation/operation-key.ts";
import { eventKeyOf } from "../../src/index.ts";

type Parts = { id?: string; index?: unknown; parts?: Parts };
type Place = { chain: string; hash: string; log: number; confidence: string; path: number[]; nodeId: string };

const TX = `0x${"ab".repeat(32)}`;
const LOG = `16015286601757825753:${TX}:3`;

/** As split nodes nest them; the ids are random. */
function nested(path: readonly number[]): Parts | undefined {
  return path.reduce<Parts | undefined>(
    (outer, index) => ({ id: String(Math.random()), index, ...(outer ? { parts: outer } : {}) }),
    undefined,
  );
}

function messageOf({ chain, hash, log, confidence, path }: Place): CrecMessage {
  const parts = nested(path);
  return {
    _msgid: String(Math.random()),
    crec: { dedupeKey: `${chain}:${hash}:${log}:${confidence}` },
    ...(parts ? { parts } : {}),
  };
}

const keyOf = (msg: object, nodeId = "n1", onceFor: "event" | "key" | "message" = "event") =>
  operationKeyOf({ _msgid: "m", ...msg }, { onceFor, nodeId, eventKeyOf });
const keyOfPlace = (place: Place) => keyOf(messageOf(place), place.nodeId);

const hash = fc
  .array(fc.constantFrom(..."0123456789abcdef"), { minLength: 64, maxLength: 64 })
  .map((digits) => `0x${digits.join("")}`);
const place = fc.record({
  chain: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String),
  hash,
  log: fc.nat(5_000),
  confidence: fc.constantFrom("latest", "safe", "finalized", ""),
  path: fc.array(fc.nat(30), { maxLength: 3 }),
  // Node-RED's own, those of subflows, and what people write.
  nodeId: fc.oneof(
    hash.map((text) => text.slice(2, 18)),
    fc.constantFrom("a-b", "a", "1.2", "a, part 1", "a%2c"),
  ),
});

describe("the operation key of an event", () => {
  it("names log, part and node, so that a person can read it", () => {
    const parts = { id: "x", index: 2, count: 3, parts: { id: "y", index: 0 } };
    should(keyOf({ crec: { dedupeKey: `${LOG}:finalized` }, parts })).equal(
      `event ${LOG}, part 0/2, node n1`,
    );
  });

  it("is the same at each confidence, in capitals, on each run, whatever the random ids", () => {
    fc.assert(
      fc.property(place, fc.constantFrom("latest", "safe", "finalized"), (one, confidence) => {
        const upper = `0x${one.hash.slice(2).toUpperCase()}`;
        should(keyOfPlace({ ...one, confidence, hash: upper })).equal(keyOfPlace(one));
      }),
    );
  });

  it("differs for another log, another node, another part", () => {
    const same = (one: Place) => JSON.stringify({ ...one, confidence: "" });
    // A change of one thing, since two random places differ in each.
    const pair = fc.tuple(place, place, fc.subarray(["chain", "hash", "log", "path", "nodeId"] as const));
    fc.assert(
      fc.property(pair, ([one, other, changed]) => {
        const taken = Object.fromEntries(changed.map((name) => [name, other[name]]));
        const mixed = { ...one, ...taken } as Place;
        should(keyOfPlace(mixed) === keyOfPlace(one)).equal(same(mixed) === same(one));
      }),
      { numRuns: 2_000 },
    );
  });

  it("differs for each text that an event of another kind has as its key", () => {
    const text = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom("a", "a, part 1", "a, node n1", "a%2c"),
    );
    const asked = fc.tuple(text, text, fc.option(fc.nat(3)), fc.option(fc.nat(3)));
    fc.assert(
      fc.property(asked, ([one, other, index, part]) => {
        const key = (dedupeKey: string, at: number | null) =>
          keyOf({ crec: { dedupeKey }, ...(at === null ? {} : { parts: { index: at } }) });
        const isSame = eventKeyOf(one) === eventKeyOf(other) && index === part;
        should(key(one, index) === key(other, part)).equal(isSame);
      }),
      { numRuns: 2_000 },
    );
  });

  it("does not depend on where in a list the event was found, only on what was split from it", () => {
    const crec = { dedupeKey: `${LOG}:latest`, eventParts: "search" };
    const found = (index: number): Parts => ({ id: "search", index, parts: { id: "before", index: 9 } });
    const whole = keyOf({ crec });
    should(keyOf({ crec, parts: found(0) })).equal(whole);
    should(keyOf({ crec, parts: found(7) })).equal(whole);
    const split = (index: number, at: number) =>
      keyOf({ crec, parts: { id: "split", index, parts: found(at) } });
    should(split(1, 0)).equal(split(1, 5)).and.not.equal(whole);
    should(split(1, 0)).not.equal(split(2, 0));
  });

  it("is not made for a test message, an unverified event, or no event", () => {
    should(keyOf({ crec: { dedupeKey: `${LOG}:latest`, test: true } })).be.undefined();
    should(keyOf({ crec: { event: {} } })).be.undefined();
    should(keyOf({ crec: { dedupeKey: "" } })).be.undefined();
    should(keyOf({})).be.undefined();
  });

  it("gives way to a key of the flow's own, with each setting", () => {
    const crec = { dedupeKey: `${LOG}:latest`, operationKey: "order 7" };
    for (const onceFor of ["event", "key", "message"] as const) {
      should(keyOf({ crec }, "n1", onceFor)).equal("order 7");
    }
    // One that is there and undefined is a mistake: nobody would notice that there is none.
    should(() => keyOf({ crec: { ...crec, operationKey: undefined } }, "n1", "message")).throw({
      code: "INVALID_FIELD",
    });
    should(() => keyOf({ crec: { dedupeKey: LOG } }, "n1", "key")).throw({ code: "OPERATION_KEY_MISSING" });
  });

  it("ends although a message's parts hold themselves", () => {
    const parts: Parts = { index: 1 };
    parts.parts = parts;
    should(keyOf({ crec: { dedupeKey: LOG }, parts })).be.a.String();
  });
});
