import should from "should";
import { Activity } from "../../../nodes/common/telemetry/activity.ts";
import type { EventReport, OperationReport, ReaderReport } from "../../../nodes/common/telemetry/types.ts";
import { MOST_ROWS, Pusher } from "../../../plugins/monitor/push/pusher.ts";
import { allSections } from "../../../plugins/monitor/push/sections.ts";
import type { SectionName, Update } from "../../../plugins/monitor/types.ts";

const MINUTE_MS = 60_000;
const ORIGIN = { node: "n", flow: "f", type: "crec-events-in", label: "transfers" };

function reader(consumer: string, position: number): ReaderReport {
  const counts = { inFlight: 0, delivered: 0, rejected: 0, late: 0 };
  return { ...ORIGIN, ...counts, consumer, channel: "c", channelId: "c", state: "reading", position };
}

function operation(key: string, outcome: OperationReport["outcome"] = "waiting"): OperationReport {
  return { ...ORIGIN, key, channelId: "c", status: "pending", outcome, startedAt: 1, changedAt: 2 };
}

function event(number: number, rest: object = {}): EventReport {
  const flags = { isRedelivered: false, isLate: false, proof: "verified" as const };
  return {
    ...ORIGIN,
    ...flags,
    ...{ number, seenAt: 1, consumer: "a", channelId: "c", offset: 1, type: "x" },
    ...rest,
  };
}

describe("what is pushed to open sidebars", () => {
  let activity: Activity;
  let pusher: Pusher;
  let now: number;
  let issueRevision: () => number;
  let sent: Array<{ session: string; update: Update }>;
  let problems: SectionName[];

  beforeEach(() => {
    activity = new Activity();
    now = 0;
    sent = [];
    problems = [];
    issueRevision = () => 0;
    const issues = {
      get revision() {
        return issueRevision();
      },
      all: () => [],
      run: async () => {},
      check: async () => {},
      isUsed: () => true,
      ignore: async () => {},
    };
    pusher = new Pusher({
      sections: () => allSections({ activity, issues }),
      send: (session, update) => sent.push({ session, update }),
      onProblem: (section) => problems.push(section),
      now: () => now,
    });
  });

  afterEach(() => {
    for (const session of ["a", "b"]) pusher.close(session);
  });

  /** What a sidebar is sent by the next tick, which it acknowledges. */
  function next(session = "a"): Update | undefined {
    sent = [];
    pusher.tick();
    const update = sent.find((one) => one.session === session)?.update;
    if (update) pusher.acknowledge(session, update.number);
    return update;
  }
  function open(session = "a"): Update | undefined {
    sent = [];
    pusher.open(session);
    const update = sent.find((one) => one.session === session)?.update;
    if (update) pusher.acknowledge(session, update.number);
    return update;
  }

  it("is everything first, then only what changes", () => {
    let position = 1;
    activity.readers.add(() => reader("one", position));
    activity.readers.add(() => reader("two", 7));
    activity.note({ kind: "operation", operation: operation("op"), before: undefined });
    const first = open();
    should(first?.isFirst).be.true();
    should(first?.isComplete).be.true();
    should(first?.changes.readers?.set).have.length(2);
    should(first?.changes.operations?.set.map(({ key }) => key)).deepEqual(["op"]);
    should(next()).be.undefined();

    position = 2;
    const { isFirst, changes } = next() ?? {};
    should(isFirst).be.false();
    should(changes?.readers?.set.map((row) => [row.consumer, row.position])).deepEqual([["one", 2]]);
    should(Object.keys(changes ?? {})).deepEqual(["readers"]);
  });

  it("says what is gone", () => {
    const remove = activity.readers.add(() => reader("one", 1));
    activity.note({ kind: "operation", operation: operation("op"), before: undefined });
    open();
    remove();
    should(next()?.changes).deepEqual({ readers: { set: [], gone: ["n f one"] } });
    activity.note({ kind: "operation", operation: operation("op", "reached"), before: operation("op") });
    const { set = [], gone } = next()?.changes.operations ?? {};
    should(set.map(({ outcome }) => outcome)).deepEqual(["reached"]);
    should(gone).be.empty();
  });

  it("tells two instances of one subflow apart", () => {
    activity.readers.add(() => reader("one", 1));
    activity.readers.add(() => reader("one", 2));
    should(open()?.changes.readers?.set.map(({ key }) => key)).deepEqual(["n f one", "n f one 2"]);
  });

  it("is bounded, and complete after some updates", () => {
    const count = MOST_ROWS * 2 + 10;
    for (let index = 0; index < count; index += 1)
      activity.note({ kind: "operation", operation: operation(`op ${index}`), before: undefined });
    activity.note({ kind: "event", event: event(1) });
    const updates = [open(), next(), next()];
    const counts = updates.map((update) => update?.changes.operations?.set.length);
    should(counts).deepEqual([MOST_ROWS, MOST_ROWS, 10]);
    should(updates.map((update) => update?.isComplete)).deepEqual([false, false, true]);
    should(updates.map((update) => update?.isFirst)).deepEqual([true, false, false]);
    should(updates[2]?.changes.events?.set).have.length(1);
    should(next()).be.undefined();
  });

  it("cuts long texts, and sends nothing that no row has", () => {
    const secret = { privateKey: "0xsecret", params: { name: "a person" } };
    const tokens = { value: "1".repeat(10_000) };
    activity.note({ kind: "event", event: event(1, { ...secret, tokens, name: "x".repeat(10_000) }) });
    const text = JSON.stringify(open());
    should(text.length).be.below(2_000);
    should(text).not.match(/secret|privateKey|person/);
  });

  it("waits until a sidebar has taken the last update", () => {
    pusher.open("a");
    activity.note({ kind: "event", event: event(1) });
    sent = [];
    pusher.tick();
    should(sent).be.empty();
    pusher.acknowledge("a", 1);
    pusher.tick();
    should(sent.map(({ update }) => update.changes.events?.set.length)).deepEqual([1]);
  });

  it("goes to each sidebar by what that one has", () => {
    activity.note({ kind: "event", event: event(1) });
    open("a");
    pusher.open("b");
    activity.note({ kind: "event", event: event(2) });
    sent = [];
    pusher.tick();
    const numbers = sent.map(({ session, update }) => [
      session,
      update.changes.events?.set.map(({ number }) => number),
    ]);
    should(numbers).deepEqual([
      ["a", [2]],
      ["b", [1, 2]],
    ]);
  });

  it("ends for a sidebar that does not renew", () => {
    open();
    now += 2 * MINUTE_MS;
    pusher.open("a");
    now += 2 * MINUTE_MS;
    activity.note({ kind: "event", event: event(1) });
    should(next()?.isFirst).be.false();
    now += MINUTE_MS;
    activity.note({ kind: "event", event: event(2) });
    should(next()).be.undefined();
    should(pusher.size).equal(0);
    should(open()?.isFirst).be.true();
  });

  it("asks no node while no sidebar is open", () => {
    let asked = 0;
    activity.readers.add(() => {
      asked += 1;
      return reader("one", 1);
    });
    pusher.tick();
    should(asked).equal(0);
    open();
    should(asked).equal(1);
    pusher.close("a");
    pusher.tick();
    should(asked).equal(1);
  });

  it("shows every ten seconds that it is live", () => {
    open();
    const updates = Array.from({ length: 20 }, () => next()).filter((update) => update !== undefined);
    should(updates.map(({ changes }) => changes)).deepEqual([{}, {}]);
  });

  it("goes on where a node cannot say how it is", () => {
    activity.readers.add(() => {
      throw new Error("a bug");
    });
    activity.note({ kind: "event", event: event(1) });
    should(open()?.changes.events?.set).have.length(1);
    next();
    should(problems).deepEqual(["readers"]);
  });
});
