import should from "should";
import { Cursor } from "../../src/consumer/cursor/cursor.ts";
import { type CursorContext, openCursor } from "../../src/consumer/cursor/open-cursor.ts";
import { eventFilter, eventSource } from "../../src/consumer/index.ts";
import { EventTimes } from "../../src/consumer/pages/page-source.ts";
import { ReadBackoff, readErrorKindOf } from "../../src/consumer/schedule/read-errors.ts";
import { lockConsumer } from "../../src/ownership/consumer-lock.ts";
import { type EventEnvelope, envelopeOf } from "../../src/protocol/index.ts";
import { POLLS } from "../../src/retry/policies.ts";
import { PollGaps } from "../../src/retry/poll.ts";
import { type CursorState, isCursorState, stateFrom } from "../../src/storage/cursor/cursor-state.ts";
import { MemoryCursorStore } from "../../src/storage/index.ts";
import { IDENTITY, makeEvent, range } from "./simulation.ts";

describe("Cursor", () => {
  const cursorAt = (offset: number) => new Cursor(stateFrom(IDENTITY, offset));

  it("stays below the first unsettled event, in whatever order the others are settled", () => {
    const cursor = cursorAt(0);
    cursor.admit(range(1, 4).map((offset) => makeEvent(offset)));
    cursor.settle("event-3");
    cursor.settle("event-2");
    should(cursor.cursor).equal(-1);
    cursor.settle("event-1");
    should(cursor.cursor).equal(3);
    should(
      cursor
        .snapshot()
        .delivered.map(([offset]) => offset)
        .sort(),
    ).eql([1, 2, 3]);
  });

  it("never lets the floor pass an unsettled event that came late", () => {
    const cursor = cursorAt(0);
    cursor.admit([makeEvent(10)]);
    cursor.settle("event-10");
    cursor.admit([makeEvent(5)]);
    cursor.finalize(8);
    should(cursor.floor).equal(4);
    cursor.settle("event-5");
    cursor.finalize(8);
    should(cursor.floor).equal(8);
  });

  it("gives an event once, and again, marked, when it was released", () => {
    const cursor = cursorAt(0);
    const [event] = cursor.admit([makeEvent(1), makeEvent(1)]);
    should(cursor.admit([makeEvent(1)])).eql([]);
    if (event) should(cursor.handOver(event)).eql({ redelivered: false, late: false, restored: false });
    cursor.release();
    const [again] = cursor.admit([makeEvent(1)]);
    should(again).eql(event);
    if (again) should(cursor.handOver(again)).eql({ redelivered: true, late: false, restored: false });
  });

  it("keeps what others work on when it gives up the rest, and goes over nothing that it gave up", () => {
    const cursor = cursorAt(0);
    cursor.admit([makeEvent(9), makeEvent(10)]);
    cursor.settle("event-10");
    cursor.admit([makeEvent(8), makeEvent(11)]);
    cursor.noteRead(11);
    cursor.finalize(9);
    cursor.release((eventId) => eventId === "event-9");
    should(cursor.admit(range(9, 10).map((offset) => makeEvent(offset)))).eql([]);
    should(cursor.readUpTo).be.below(8);
    cursor.settle("event-9");
    should(cursor.floor).be.below(8);
    should(cursor.admit(range(8, 11).map((offset) => makeEvent(offset)))).eql([makeEvent(8), makeEvent(11)]);
  });

  it("knows up to where all was handed over, and not while it has given up an event before that", () => {
    const cursor = cursorAt(0);
    should(cursor.handedOverUpTo).equal(-1);
    const [first, late] = [makeEvent(9), makeEvent(8)];
    cursor.admit([first]);
    should(cursor.handedOverUpTo).be.undefined();
    cursor.handOver(first);
    cursor.noteRead(9);
    should(cursor.handedOverUpTo).equal(9);
    cursor.admit([late]);
    should(cursor.handedOverUpTo).be.undefined();
    cursor.release((eventId) => eventId === "event-9");
    should(cursor.handedOverUpTo).be.undefined();
    cursor.admit([late]);
    cursor.handOver(late);
    should(cursor.handedOverUpTo).equal(9);
  });

  it("does not go over what it gave up for an event that was known already", () => {
    const cursor = cursorAt(0);
    cursor.admit([makeEvent(1)]);
    cursor.settle("event-1");
    cursor.admit([makeEvent(2), makeEvent(3, { id: "event-1" })]);
    cursor.release();
    should(cursor.cursor).equal(1);
  });

  it("gives an event once that is at two offsets, whichever is seen first and when it is settled", () => {
    const twin = (offset: number) => makeEvent(offset, { id: "twin" });
    for (const [first, second] of [
      [3, 6],
      [6, 3],
    ] as const) {
      for (const settlesFirst of [true, false]) {
        const cursor = cursorAt(0);
        should(cursor.admit([makeEvent(1), twin(first)]).length).equal(2);
        if (settlesFirst) cursor.settle("twin");
        should(cursor.admit([twin(second)])).eql([]);
        cursor.settle("twin");
        cursor.settle("event-1");
        cursor.finalize(5);
        should(cursor.admit([twin(6)])).eql([], `${first}, then ${second}`);
        cursor.admit([makeEvent(7)]);
        cursor.settle("event-7");
        should(cursor.cursor).equal(7);
      }
    }
  });

  it("knows what is settled, also after a restart, and what is still to come", () => {
    const settledOf = (cursor: Cursor) =>
      range(1, 5).map((offset) => cursor.isSettled(`event-${offset}`, offset));
    const cursor = cursorAt(2);
    should(settledOf(cursor)).eql([true, false, false, false, false]);
    cursor.admit([makeEvent(2), makeEvent(3), makeEvent(5)]);
    cursor.settle("event-3");
    should(settledOf(cursor)).eql([true, false, true, false, false]);
    // Nothing is at offset 4.
    cursor.noteRead(5);
    should(settledOf(cursor)).eql([true, false, true, true, false]);
    // 2 and 5 were not settled, and what is above the first of them is read again.
    const again = new Cursor(cursor.snapshot());
    should(settledOf(again)).eql([true, false, true, false, false]);
    again.admit([makeEvent(2), makeEvent(5)]);
    again.settle("event-2");
    should(settledOf(again)).eql([true, true, true, false, false]);
    should(again.isSettled("offset:3", 3)).be.true();
  });

  it("gives an event at two offsets once after a restart, with its higher offset noted or not", () => {
    const cursor = cursorAt(0);
    cursor.admit([makeEvent(4), makeEvent(5), makeEvent(8, { id: "event-5" })]);
    cursor.settle("event-5");
    const again = new Cursor(cursor.snapshot());
    again.admit([makeEvent(4), makeEvent(5)]);
    again.settle("event-4");
    again.finalize(6);
    should(again.admit([makeEvent(8, { id: "event-5" })])).eql([]);
    should(again.cursor).equal(8);
  });

  it("knows another event at a remembered offset, and not one that is missing or beside it", () => {
    const cursor = cursorAt(0);
    cursor.admit(range(1, 3).map((offset) => makeEvent(offset)));
    cursor.settle("event-1");
    const other = (offset: number) => makeEvent(offset, { id: `other-${offset}` });
    should(cursor.contradiction([other(2), makeEvent(3)])).equal(2);
    should(cursor.contradiction([other(1)])).equal(1);
    should(cursor.contradiction([makeEvent(3), other(4)])).equal(undefined);
    should(cursor.contradiction([makeEvent(2), other(2)])).equal(undefined);
    should(cursor.contradiction([])).equal(undefined);
  });

  it("moves past an event that is seen again at a higher offset", () => {
    const cursor = cursorAt(0);
    cursor.admit([makeEvent(1)]);
    cursor.settle("event-1");
    should(cursor.admit([makeEvent(2, { id: "event-1" })])).eql([]);
    should(cursor.cursor).equal(2);
  });
});

describe("ids in capitals", () => {
  const ID = "0f8fad5b-d9cb-469f-a165-70867728950e";
  const UPPER = ID.toUpperCase();

  it("in a stored cursor are those of the channel and its events", async () => {
    const identity = { ...IDENTITY, channelId: UPPER };
    const stored: CursorState = { ...stateFrom(identity, 3), delivered: [[2, UPPER]], floor: 0 };
    const store = new MemoryCursorStore();
    await store.save(stored);
    const context = { store, identity: { ...IDENTITY, channelId: ID } } as unknown as CursorContext;
    const quiet = { ...context, onStart: () => {}, onRestored: () => {} };
    const cursor = await openCursor(quiet, "now", new AbortController().signal);
    should(cursor.contradiction([makeEvent(2, { id: ID })])).equal(undefined);
    should(cursor.admit([makeEvent(2, { id: ID })])).be.empty();
    const other = { ...quiet, identity: IDENTITY };
    await should(openCursor(other, "now", new AbortController().signal)).be.rejectedWith({
      code: "CURSOR_OF_ANOTHER_CHANNEL",
    });
  });

  it("in the payload of an event are delivered in lower case, and those of other systems as they are", () => {
    const payload = { watcher_id: UPPER, operation_id: UPPER, external_id: "Order-A", address: "0xAB" };
    const raw = { event_id: UPPER, headers: { type: "watcher.event", offset: 1 }, payload };
    const { event_id, payload: delivered } = envelopeOf(raw);
    should(event_id).equal(ID);
    should(delivered).deepEqual({ ...payload, watcher_id: ID, operation_id: ID });
    should(payload.watcher_id).equal(UPPER);
  });

  it("of a watcher match, whichever way filter and event write them", () => {
    for (const [wanted, sent] of [
      [UPPER, ID],
      [ID, UPPER],
    ] as const) {
      const event = { ...makeEvent(1), payload: { watcher_id: sent } };
      should(eventFilter({ watcherIds: [wanted] })(event)).equal(true);
    }
    const other = { ...makeEvent(1), payload: { watcher_id: "offset:A" } };
    should(eventFilter({ watcherIds: ["offset:a"] })(other)).equal(false);
  });
});

describe("isCursorState", () => {
  const state = { ...stateFrom(IDENTITY, 5), delivered: [[6, "event-6"]] };
  const { channelId: _, ...nameless } = IDENTITY;

  it("knows a state, with or without a start time and crash counts", () => {
    const ended = { ...state, suspectUpTo: -1 };
    const crashed = { ...state, starts: [["event-7", 4]] };
    const open = { ...state, unsettledFrom: 6 };
    for (const value of [
      state,
      { ...state, notBefore: 1_700_000_000 },
      stateFrom(IDENTITY, 0),
      ended,
      crashed,
      open,
    ]) {
      should(isCursorState(value)).equal(true);
    }
  });

  for (const [what, value] of Object.entries({
    nothing: undefined,
    null: null,
    text: "cursor",
    "a list": [],
    "of another version": { ...state, version: 2 },
    "of nobody": { ...state, identity: undefined },
    "of no channel": { ...state, identity: nameless },
    "between two offsets": { ...state, cursor: 1.5 },
    "far before the first event": { ...state, floor: -2 },
    "of text": { ...state, handedOut: "4" },
    "with a start that is no time": { ...state, notBefore: "today" },
    "that does not say what was delivered": { ...state, delivered: {} },
    "with a delivery that is none": { ...state, delivered: ["event-6"] },
    "with a delivery at no offset": { ...state, delivered: [["6", "event-6"]] },
    "with a delivery of no event": { ...state, delivered: [[6, 6]] },
    "with suspects up to no offset": { ...state, suspectUpTo: "6" },
    "with no offset that is unsettled": { ...state, unsettledFrom: "6" },
    "with starts of no event": { ...state, starts: [[6, 1]] },
    "with starts that are no number": { ...state, starts: [["event-7", "1"]] },
    "with no start at all": { ...state, starts: [["event-7", 0]] },
  })) {
    it(`does not take for one what is ${what}`, () => should(isCursorState(value)).equal(false));
  }
});

describe("EventTimes", () => {
  const NOW_S = 1_800_000_000;
  const agesOf = (...ages: number[]) => {
    const times = new EventTimes(() => NOW_S * 1000);
    const page = ages.map((age, index) => makeEvent(index + 1, { at: NOW_S - age }));
    times.note(page);
    return page.map((event) => times.of(event)).map((time) => time && NOW_S - time);
  };

  it("believes what fits to the clock and to the events beside it", () => {
    should(agesOf(86_400, 3_600, 10, 0, -599)).eql([86_400, 3_600, 10, 0, -599]);
    should(agesOf(10, 15, 5)).eql([10, 15, 5]);
  });

  it("does not believe what lies ahead of the clock", () =>
    should(agesOf(20, -601, 10)).eql([20, undefined, 10]));

  it("does not believe two that are out of order by more than ten minutes: either may be wrong", () =>
    should(agesOf(20, 15, 1_000, 10)).eql([20, undefined, undefined, 10]));

  it("gives an age that a wrong clock does not make longer", () => {
    const times = new EventTimes(() => (NOW_S + 86_400) * 1000);
    const [first, second] = [makeEvent(1, { at: NOW_S - 60 }), makeEvent(2, { at: NOW_S })];
    times.note([first, second, makeEvent(3)]);
    should(times.ageMsOf(first)).equal(86_460_000);
    should(times.minAgeMsOf(first)).equal(60_000);
    should(times.minAgeMsOf(second)).equal(0);
    should(times.minAgeMsOf(makeEvent(4))).equal(0);
  });
});

describe("PollGaps", () => {
  it("grows when idle, shrinks on traffic, and keeps to its limits", () => {
    const interval = new PollGaps({ ...POLLS.channel, min: 1_000, max: 15_000 });
    const idle = range(1, 30).map(() => interval.next({ hasNews: false }));
    should(Math.max(...idle)).be.within(13_500, 15_000);
    should(Math.min(...idle)).be.aboveOrEqual(1_000);
    range(1, 3).map(() => interval.next({ hasNews: true }));
    should(interval.next({ hasNews: true })).be.within(1_000, 1_100);
  });

  it("is exact where minimum and maximum are the same", () => {
    const interval = new PollGaps({ ...POLLS.channel, min: 1_000, max: 1_000 });
    should(range(1, 9).map((n) => interval.next({ hasNews: n % 2 === 0 }))).eql(range(1, 9).map(() => 1_000));
  });
});

describe("ReadBackoff", () => {
  const failed = { code: "SERVICE_ERROR" };
  const missing = { code: "CHANNEL_NOT_FOUND" };

  it("grows to a minute, and starts again after a success", () => {
    const backoff = new ReadBackoff(() => 1);
    should(range(1, 8).map(() => backoff.next(failed))).eql(
      [1, 2, 4, 8, 16, 32, 60, 60].map((s) => s * 1_000),
    );
    backoff.succeeded();
    should(backoff.next(failed)).equal(1_000);
    should(new ReadBackoff(() => 0).next(failed)).equal(500);
  });

  it("has its own schedules for a refused key and for a missing channel", () => {
    const backoff = new ReadBackoff();
    should(range(1, 9).map(() => backoff.next({ code: "FORBIDDEN" }))).matchEach(
      (ms: number) => ms >= 30_000 && ms <= 60_000,
    );
    should(backoff.next(missing)).equal(1_000);
    should(
      range(1, 9)
        .map(() => backoff.next(missing))
        .at(-1),
    ).equal(5_000);
  });

  it("waits as long as the service asks, but at most an hour", () => {
    should(new ReadBackoff().next({ ...failed, retryAfterMs: 12_345 })).equal(12_345);
    should(new ReadBackoff().next({ ...failed, retryAfterMs: 86_400_000 })).equal(3_600_000);
  });
});

describe("readErrorKindOf", () => {
  it("takes a key without rights for refused, as a key that is not valid", () => {
    should(
      ["KEY_REFUSED", "ORGANIZATION_NOT_FOUND", "FORBIDDEN"].map((code) => readErrorKindOf({ code })),
    ).eql(["refused", "refused", "refused"]);
  });

  it("retries what it does not know", () => {
    for (const code of ["NEW_CODE", "constructor", "__proto__"])
      should(readErrorKindOf({ code })).equal("retry");
  });
});

describe("lockConsumer", () => {
  it("is held by the first, and passes to the next when that releases it", () => {
    const states: string[] = [];
    const release = lockConsumer("one cursor", (state) => states.push(`first: ${state}`));
    const releaseSecond = lockConsumer("one cursor", (state) => states.push(`second: ${state}`));
    release();
    releaseSecond();
    should(states).eql(["first: alone", "first: first", "second: waiting", "second: alone"]);
  });

  it("passes to the next also when the first releases it as soon as there is another", () => {
    const states: string[] = [];
    const release = lockConsumer("one cursor", (state) => {
      states.push(`first: ${state}`);
      if (state === "first") release();
    });
    const releaseSecond = lockConsumer("one cursor", (state) => states.push(`second: ${state}`));
    releaseSecond();
    should(states).eql(["first: alone", "first: first", "second: alone"]);
  });
});

describe("eventFilter", () => {
  const transfer = (chain: object = {}): EventEnvelope => ({
    event_id: "1",
    headers: { type: "watcher.event", offset: 1, proofs: [] },
    payload: {
      watcher_id: "w1",
      verifiable_event: Buffer.from(
        JSON.stringify({
          name: "Transfer",
          chain_event: {
            address: "0xAb00000000000000000000000000000000000001",
            event_signature: "Transfer(address)",
            ...chain,
          },
        }),
      ).toString("base64"),
    },
  });
  const status = makeEvent(1, { type: "operation.status" });

  it("passes everything by default", () => {
    should(eventFilter({})(status)).equal(true);
    should(eventFilter({ types: [], addresses: [] })(status)).equal(true);
  });

  it("knows type, watcher, contract event and address", () => {
    should(eventFilter({ types: ["watcher.event"] })(transfer())).equal(true);
    should(eventFilter({ types: ["watcher.event"] })(status)).equal(false);
    should(eventFilter({ watcherIds: ["w1"] })(transfer())).equal(true);
    should(eventFilter({ watcherIds: ["w2"] })(transfer())).equal(false);
    should(eventFilter({ contractEvents: ["Transfer"] })(transfer())).equal(true);
    should(eventFilter({ contractEvents: ["Transfer(address)"] })(transfer())).equal(true);
    should(eventFilter({ contractEvents: ["Approval"] })(transfer())).equal(false);
    should(eventFilter({ contractEvents: ["Transfer"] })(status)).equal(false);
    should(eventFilter({ addresses: ["0xaB00000000000000000000000000000000000001"] })(transfer())).equal(
      true,
    );
    should(eventFilter({ addresses: ["0x0000000000000000000000000000000000000002"] })(transfer())).equal(
      false,
    );
  });

  it("knows the network: the signed one, else the stated one", () => {
    const [mainnet, stated] = ["5009297550715157269", "17"];
    const passes = (chain: string, event: EventEnvelope) => eventFilter({ chainSelectors: [chain] })(event);
    const onMainnet = transfer({ chain_id: "1" });
    const claiming = { ...onMainnet, payload: { ...onMainnet.payload, chain_selector: stated } };
    should([passes(mainnet, claiming), passes(stated, claiming)]).deepEqual([true, false]);
    const unsigned = { ...transfer(), payload: { ...transfer().payload, chain_selector: stated } };
    should([passes(mainnet, unsigned), passes(stated, unsigned)]).deepEqual([false, true]);
    const watcher = { ...status, payload: { chain_selector: stated } };
    should([passes(mainnet, watcher), passes(stated, watcher)]).deepEqual([false, true]);
    should(passes(stated, status)).equal(false);
  });

  it("knows a signature by the short names of its types, too", () => {
    const paid = transfer({ event_signature: "Paid(uint256,int256[])" });
    should(eventFilter({ contractEvents: ["Paid(uint,int[])"] })(paid)).equal(true);
    should(eventFilter({ contractEvents: ["Paid(uint8,int[])"] })(paid)).equal(false);
  });

  it("passes events with at least the confidence, and statuses", () => {
    const wantsSafe = eventFilter({ minConfidence: "safe" });
    should(wantsSafe(transfer({ confidence: "latest" }))).equal(false);
    should(wantsSafe(transfer())).equal(false);
    should(wantsSafe(transfer({ confidence: "safe" }))).equal(true);
    should(wantsSafe(transfer({ confidence: "finalized" }))).equal(true);
    should(wantsSafe(status)).equal(true);
  });

  it("refuses a condition that no event can meet, since all would be dropped", () => {
    for (const contractEvents of [
      ["Transfer, Approval"],
      ["Transfer(address, uint256)"],
      [" Transfer"],
      [""],
    ])
      should(() => eventFilter({ contractEvents })).throw(/not an event signature/);
    for (const addresses of [["0x12"], [" 0xaB00000000000000000000000000000000000001"]])
      should(() => eventFilter({ addresses })).throw(/not an address/);
    should(() => eventFilter({ minConfidence: "finalised" as never })).throw(/latest, safe, finalized/);
  });

  it("passes a contract event that cannot be read, so that its verification fails visibly", () => {
    const unreadable = { ...transfer(), payload: { verifiable_event: "§" } };
    should(eventFilter({ contractEvents: ["Transfer"] })(unreadable)).equal(true);
  });

  it("does not match values other than text, however deep they are", () => {
    const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000)) as unknown;
    const addresses = ["0xaB00000000000000000000000000000000000001"];
    should(eventFilter({ addresses })({ ...status, payload: { address: deep } })).equal(false);
    should(eventFilter({ watcherIds: ["w1"] })({ ...status, payload: { watcher_id: deep } })).equal(false);
    should(eventFilter({ addresses })(transfer({ address: { toString: 1 } }))).equal(false);
  });
});

describe("eventSource", () => {
  it("asks the client for the events of one channel, each page as it is", async () => {
    const calls: unknown[] = [];
    const page = { events: [], has_more: false };
    const source = eventSource(
      {
        poll: async (...args) => {
          calls.push(args);
          return page;
        },
        get: async (...args) => {
          calls.push(args);
          return makeEvent(1);
        },
      },
      "c",
    );
    const { signal } = new AbortController();
    should(await source.poll({ limit: 1, offset: 2 }, signal)).equal(page);
    await source.get("e", signal);
    should(calls).eql([
      ["c", { limit: 1, offset: 2 }, { signal, inParts: false, background: true }],
      ["c", "e", { signal }],
    ]);
  });
});
