import { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import fc from "fast-check";
import type { NodeAPI } from "node-red";
import should from "should";
import { noteWaiting } from "../../nodes/common/tasks/waiting.ts";
import { FlowWork } from "../../nodes/events-in/outputs/flow-work.ts";
import { type Outcome, Work } from "../../nodes/events-in/outputs/work.ts";

const require = createRequire(import.meta.url);
type Hooks = NodeAPI["hooks"] & { trigger(name: string, payload: object): Promise<void> };
/** Of their own: readers of other tests may have left something in the flow, and follow it. */
const hooks = freshHooks();

const end = (id: string) => ({ id, node: { id, z: "tab", _expectedDoneCount: 1 } });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A message at a node, and which events it was made of. */
type Held = { msg: object; at: string; of: ReadonlySet<number> };

describe("events of which a node makes one message", () => {
  const events = new EventEmitter();
  let flowWork: FlowWork;
  let works: Work[];
  let told: string[];
  let ended: Map<number, Outcome>;

  beforeEach(() => {
    flowWork = new FlowWork();
    flowWork.listen({ hooks, events, nodes: { getNode: () => undefined } } as unknown as NodeAPI);
    [works, told, ended] = [[], [], new Map()];
  });
  afterEach(() => flowWork.stopListening({ hooks, events } as unknown as NodeAPI));

  const send = (msg: object, from: string, at: string, of: ReadonlySet<number>): Held => {
    void hooks.trigger("preDeliver", { msg, source: end(from), destination: end(at) });
    return { msg, at, of };
  };
  const receive = async ({ msg, at }: Held) => {
    await turn();
    await hooks.trigger("onReceive", { msg, destination: end(at) });
  };
  const complete = ({ msg, at }: Held, error?: Error) =>
    void hooks.trigger("onComplete", { msg, node: end(at), error });
  const completeAll = (all: readonly Held[]) => {
    for (const one of all) complete(one);
  };
  /** The message of a new event, at this node. */
  const enter = async (number: number, at: string): Promise<Held> => {
    const msg = {};
    works[number] = flowWork.follow(msg, {
      onReport: () => {},
      onEnd: (outcome) => ended.set(number, outcome),
      onRest: () => told.push(`${number} rests`),
      beforeNode: () => void told.push(`${number} goes on`),
    });
    const held = send(msg, "reader", at, new Set([number]));
    await receive(held);
    return held;
  };
  /** A message that belongs to the last of these. */
  const made = (parts: readonly Held[]) => ({
    msg: { ...parts.at(-1)?.msg },
    of: new Set(parts.flatMap(({ of }) => [...of])),
  });
  /** One message of several, as join makes it. */
  const join = async (parts: readonly Held[], at: string, isDoneFirst = false): Promise<Held> => {
    const { msg, of } = made(parts);
    await turn();
    if (isDoneFirst) completeAll(parts);
    const joined = send(msg, "join", at, of);
    if (!isDoneFirst) completeAll(parts);
    await receive(joined);
    return joined;
  };
  const enterAll = (...numbers: number[]) => Promise.all(numbers.map((number) => enter(number, "join")));
  const ends = () => Object.fromEntries(ended);

  it("end with it: completed, failed, or interrupted", async () => {
    const completed = await join(await enterAll(1, 2, 3), "slow");
    should(ends()).eql({});
    complete(completed);
    await turn();
    should(ends()).eql({ 1: "completed", 2: "completed", 3: "completed" });
    ended.clear();

    const error = new Error("The pump is off.");
    complete(await join(await enterAll(4, 5), "slow"), error);
    await turn();
    should([...ended.values()].map(String)).eql(Array(2).fill('Error: "slow": The pump is off.'));
    ended.clear();

    await join(await enterAll(6, 7), "slow");
    const [other] = await enterAll(8);
    events.emit("flows:stopping", { type: "nodes", diff: { changed: ["slow"] } });
    should(works.slice(6).map(({ isInterrupted }) => isInterrupted)).eql([true, true, false]);
    events.emit("flows:started");
    should(ends()).eql({ 6: "interrupted", 7: "interrupted" });
    if (other) complete(other);
    await turn();
    should(ended.get(8)).equal("completed");
  });

  it("rest and go on with it", async () => {
    const joined = await join(await enterAll(1, 2), "waits");
    told = [];
    noteWaiting(joined.msg);
    await turn();
    should(told).eql(["2 rests", "1 rests"]);
    told = [];
    await receive(send(joined.msg, "waits", "next", joined.of));
    should(told).eql(["2 goes on", "1 goes on"]);
    should(works.slice(1).map(({ isResting }) => isResting)).eql([false, false]);
  });

  const forget = (number: number) => {
    const work = works[number];
    if (work) flowWork.forget(work);
  };

  it("end with it also where nobody waits for the one that it belongs to, such as one that was given up", async () => {
    const [third] = await enterAll(3);
    const joined = await join(await enterAll(1, 2), "join");
    forget(2);
    await turn();
    should(ends()).eql({});
    const all = await join([third, joined].filter((one) => one !== undefined).reverse(), "slow");
    forget(3);
    await turn();
    should(ends()).eql({});
    complete(all);
    await turn();
    should(ends()).eql({ 1: "completed" });

    await join(await enterAll(4, 5), "slow");
    forget(5);
    events.emit("flows:stopping", { type: "nodes", diff: { changed: ["slow"] } });
    events.emit("flows:started");
    should(ended.get(4)).equal("interrupted");
  });

  it("are followed no longer once none of them is waited for, also where each is part of the other", async () => {
    const isFollowed = (held: Held) => {
      send({ ...held.msg }, held.at, "later", held.of);
      return works.some((work) => work.isAt((path) => path.at(-1) === "later"));
    };
    const joined = await join(await enterAll(0, 1), "slow");
    forget(1);
    forget(0);
    should(isFollowed(joined)).be.false();

    const [first, second] = (await enterAll(2, 3)) as [Held, Held];
    const [copy, other] = [first, second].map(({ msg, of }) => send({ ...msg }, "join", "join", of));
    for (const one of [copy, other]) if (one) await receive(one);
    const both = [await join([first, second], "slow")];
    if (other && copy) both.push(await join([other, copy], "slow"));
    forget(2);
    forget(3);
    for (const one of both) should(isFollowed(one)).be.false();

    const last = await join(await enterAll(4, 5), "slow");
    forget(5);
    events.emit("flows:stopping", { type: "nodes", diff: { changed: ["slow"] } });
    events.emit("flows:started");
    should(isFollowed(last)).be.false();
  });

  it("do not wait for others of which the node sends messages of their own, as batch does", async () => {
    const held = await enterAll(1, 2);
    await turn();
    const sent = held.map(({ msg, of }) => send({ ...msg }, "join", "slow", of));
    completeAll(held);
    for (const one of sent) await receive(one);
    completeAll(sent.slice(1));
    await turn();
    should(ends()).eql({ 2: "completed" });
  });

  /** The node gets this message and does something on behalf of it. */
  const onBehalf = async ({ msg, at }: Held, act: () => void) => {
    await turn();
    void hooks.trigger("onReceive", { msg, destination: end(at) });
    act();
  };

  it("do not wait for what they only had the node send, as one that flushes a delay does", async () => {
    const held = await enterAll(1, 2);
    const end = await enter(3, "slow");
    const flush = send({ ...end.msg }, "slow", "join", end.of);
    complete(end);
    await onBehalf(flush, () => {
      for (const { msg, of } of held) send({ ...msg }, "join", "slow", of);
      completeAll([...held, flush]);
    });
    await turn();
    should(ends()).eql({ 3: "completed" });
  });

  it("are not completed by the message of another one that nobody waits for", async () => {
    const [first, second] = (await Promise.all([enter(1, "limit"), enter(2, "link")])) as [Held, Held];
    forget(1);
    const queued = send(second.msg, "link", "limit", second.of);
    complete(second);
    let sent: Held | undefined;
    await onBehalf(queued, () => {
      sent = send({ ...first.msg }, "limit", "slow", first.of);
      complete(first);
    });
    await receive(sent as Held);
    complete(sent as Held);
    await turn();
    should(ends()).eql({});
    complete(queued);
    await turn();
    should(ends()).eql({ 2: "completed" });
  });

  it("wait also where a timer of the first message joins them, and where the joined one is the first's", async () => {
    const [first, second] = (await enterAll(1, 2)) as [Held, Held];
    let fire = () => {};
    const isTime = new Promise<void>((resolve) => {
      fire = resolve;
    });
    const again = [first, second].map(({ msg, of }) => send(msg, "link", "join", of)) as [Held, Held];
    completeAll([first, second]);
    const timer = onBehalf(again[0], async () => {
      await isTime;
      send({ ...second.msg }, "join", "slow", second.of);
      completeAll(again);
    });
    await timer;
    await onBehalf(again[1], fire);
    await turn();
    should(ends()).eql({});

    const three = (await enterAll(4, 5, 6)) as [Held, Held, Held];
    const last = send(three[2].msg, "link", "join", three[2].of);
    complete(three[2]);
    await onBehalf(last, () => {
      send({ ...three[0].msg }, "join", "slow", three[0].of);
      completeAll([three[0], three[1], last]);
    });
    await turn();
    should(ends()).eql({});
  });

  it("wait also where a message of no event had the node join them, and do not where it was received before", async () => {
    const held = await enterAll(1, 2);
    let joined: Held | undefined;
    await onBehalf({ msg: {}, at: "join", of: new Set() }, () => {
      joined = send({ made: "anew" }, "join", "slow", new Set([1, 2]));
      completeAll(held);
    });
    await turn();
    should(ends()).eql({});
    if (joined) await receive(joined);
    if (joined) complete(joined);
    await turn();
    should(ends()).eql({ 1: "completed", 2: "completed" });

    // As with messages that are delivered at once.
    const others = await enterAll(3, 4);
    await onBehalf({ msg: {}, at: "join", of: new Set() }, () => {
      const { msg } = send({ made: "anew" }, "join", "slow", new Set([3, 4]));
      void hooks.trigger("onReceive", { msg, destination: end("slow") });
      completeAll(others);
    });
    await turn();
    should(ends()).have.properties({ 3: "completed", 4: "completed" });
  });

  it("do not wait for what the node sends in another turn, or while it works on another message", async () => {
    const [first, second, third] = (await enterAll(1, 2, 3)) as [Held, Held, Held];
    send({ ...first.msg }, "join", "slow", first.of);
    await turn();
    complete(second);

    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const whenAnswered = async ({ msg, at }: Held, act: () => void) => {
      await turn();
      void hooks.trigger("onReceive", { msg, destination: end(at) });
      await answered;
      act();
    };
    const again = [first, third].map(({ msg, of }) => send(msg, "link", "asks", of)) as [Held, Held];
    const both = [
      whenAnswered(again[0], () => send({ ...first.msg }, "asks", "slow", first.of)),
      whenAnswered(again[1], () => completeAll([third, again[1]])),
    ];
    await turn();
    answer();
    await Promise.all(both);
    await turn();
    should(ends()).eql({ 2: "completed", 3: "completed" });
  });

  it("may be many, each part of the next, as where a node sends the next one when it completes one", async function () {
    // With a time that grows with the cube of their number, it would take a minute.
    this.timeout(20_000);
    const all: Work[] = Array.from({ length: 1_000 }, (_, no) => {
      return new Work(no, { onReport: () => {}, onEnd: (outcome) => ended.set(no, outcome) });
    });
    for (const one of all) void one.receivedBy(["tab", "queue"]);
    for (const [no, one] of all.entries()) one.becomesPartOf(all[no + 1] ?? one);
    for (const one of all) {
      should(ended.size).equal(0);
      one.completedBy("queue");
      await turn();
    }
    should(ended.size).equal(all.length);
  });

  it("are never done before all that was made of them is, and always then", async () => {
    const step = fc.record({
      picks: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
      does: fc.constantFrom("join", "join", "fork", "complete", "forget"),
      isDoneFirst: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        ended.clear();
        let held = await enterAll(0, 1, 2, 3, 4);
        const waitedFor = new Set([0, 1, 2, 3, 4]);
        const check = async () => {
          await turn();
          const open = new Set(held.flatMap(({ of }) => [...of]));
          should([...ended.keys()].filter((number) => open.has(number))).be.empty();
        };
        for (const { picks, does, isDoneFirst } of steps) {
          const picked = [...new Set(picks.map((pick) => held[pick % held.length]))].filter(
            (one) => one !== undefined,
          );
          const [one] = picked;
          if (one === undefined) break;
          if (does === "forget") {
            for (const pick of picks) {
              if (!ended.has(pick % 8)) waitedFor.delete(pick % 8);
              forget(pick % 8);
            }
          } else if (does === "fork") {
            const copies = [1, 2].map(() => send({ ...one.msg }, one.at, "join", one.of));
            complete(one);
            for (const copy of copies) await receive(copy);
            held = [...held.filter((other) => other !== one), ...copies];
          } else if (does === "complete") {
            complete(one);
            held = held.filter((other) => other !== one);
          } else {
            const joined = await join(picked, "join", isDoneFirst);
            held = [...held.filter((other) => !picked.includes(other)), joined];
          }
          await check();
        }
        for (const one of held.splice(0)) {
          complete(one);
          await check();
        }
        should([...ended.keys()].sort()).eql([...waitedFor]);
      }),
      { numRuns: 100 },
    );
  });
});

function freshHooks(): Hooks {
  const load = createRequire(require.resolve("node-red"));
  const path = load.resolve("@node-red/util/lib/hooks");
  const shared = load.cache[path];
  delete load.cache[path];
  const fresh = load(path) as Hooks;
  if (shared) load.cache[path] = shared;
  return fresh;
}
