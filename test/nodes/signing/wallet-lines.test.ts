import { type Clock, createClock } from "@sinonjs/fake-timers";
import fc from "fast-check";
import should from "should";
import { type Place, type Timers, WalletLines } from "../../../nodes/common/signing/wallet-lines.ts";

const LONG_MS = 3_600_000;
const never = new AbortController().signal;
/** Not installed: other work of the process keeps its own. */
const timersOf = (clock: Clock) => clock as unknown as Timers;

/** What is sent for one wallet leaves in the order in which the messages came. */
describe("the line of a wallet", () => {
  let clock: Clock;
  let lines: WalletLines;
  let sent: string[];

  beforeEach(() => {
    clock = createClock(0);
    lines = new WalletLines({ most: 5, holdMs: 30_000 }, timersOf(clock));
    sent = [];
  });

  /** Ready to be sent: its name is noted once it may go, or the code of its error. */
  const ready = async (place: Place, name: string, timeoutMs = LONG_MS): Promise<void> => {
    place.turn(timeoutMs).then(
      () => sent.push(name),
      (error: Error & { code?: unknown }) =>
        sent.push(`${name} ${typeof error.code === "string" ? error.code : "ended"}`),
    );
    await clock.tickAsync(0);
  };
  const join = (config: string, signal = never): Place => lines.join(config, signal);

  it("sends one after the other, whichever is ready first", async () => {
    const [first, second] = [join("a"), join("a")];
    await ready(second, "second");
    should(sent).deepEqual([]);
    await ready(first, "first");
    should(sent).deepEqual(["first"]);
    first.leave();
    await clock.tickAsync(0);
    should(sent).deepEqual(["first", "second"]);
  });

  it("does not ask a message that is being sent to wait again", async () => {
    const [first, second] = [join("a"), join("a")];
    await ready(first, "first");
    await ready(first, "first again");
    await ready(second, "second");
    should(sent).deepEqual(["first", "first again"]);
  });

  it("puts a message that arrived before a restart before those that wait", async () => {
    const [sending, waiting, kept] = [join("a"), join("a"), lines.join("a", never, 1)];
    await ready(kept, "kept");
    await ready(waiting, "waiting");
    await ready(sending, "sending");
    for (const place of [kept, sending]) {
      place.leave();
      await clock.tickAsync(0);
    }
    should(sent).deepEqual(["kept", "sending", "waiting"]);
  });

  it("does not make one wallet wait for another", async () => {
    join("a").isOf("1 0xa");
    await ready(join("b"), "b");
    should(sent).deepEqual(["b"]);
  });

  it("merges the lines of config nodes that name one wallet, by arrival", async () => {
    const [a, b, later] = [join("a"), join("b"), join("a")];
    await ready(later, "later");
    b.isOf("1 0xa");
    await ready(b, "b");
    should(sent).deepEqual(["b"]);
    a.isOf("1 0xa");
    await ready(a, "a");
    b.leave();
    await clock.tickAsync(0);
    should(sent).deepEqual(["b", "a"]);
    a.leave();
    await clock.tickAsync(0);
    should(sent).deepEqual(["b", "a", "later"]);
  });

  it("knows the wallet of a config node while messages of it are there, and follows it to another one", async () => {
    const [a, b] = [join("a"), join("b")];
    for (const place of [a, b]) place.isOf("1 0xa");
    const next = join("b");
    await ready(next, "next");
    should(sent).deepEqual([]);
    next.isOf("1 0xb");
    await ready(b, "b");
    should(sent).deepEqual(["b"]);
    b.leave();
    await clock.tickAsync(0);
    should(sent).deepEqual(["b", "next"]);
  });

  it("lets the others pass one that holds them back too long, which then goes as soon as it is ready", async () => {
    const [first, second, third] = [join("a"), join("a"), join("a")];
    await ready(second, "second");
    await clock.tickAsync(29_999);
    should(sent).deepEqual([]);
    await clock.tickAsync(1);
    should(sent).deepEqual(["second"]);
    await ready(first, "first");
    should(sent).deepEqual(["second", "first"]);
    await ready(third, "third");
    // The second is being sent: it has its own 30 seconds.
    await clock.tickAsync(29_999);
    should(sent).deepEqual(["second", "first"]);
    await clock.tickAsync(1);
    should(sent).deepEqual(["second", "first", "third"]);
  });

  it("does so where the clock of the machine is set back meanwhile", async () => {
    clock = createClock(LONG_MS);
    lines = new WalletLines({ most: 5, holdMs: 30_000 }, timersOf(clock));
    join("a");
    await ready(join("a"), "second");
    clock.setSystemTime(0);
    await ready(join("a"), "third");
    await clock.tickAsync(30_000);
    should(sent).deepEqual(["second"]);
  });

  it("ends what waits too long with QUEUE_TIMEOUT, and not what is behind it", async () => {
    const [first, second, third] = [join("a"), join("a"), join("a")];
    await ready(first, "first");
    await ready(second, "second", 1_000);
    await ready(third, "third");
    await clock.tickAsync(1_000);
    should(sent).deepEqual(["first", "second QUEUE_TIMEOUT"]);
    first.leave();
    await clock.tickAsync(0);
    should(sent).deepEqual(["first", "second QUEUE_TIMEOUT", "third"]);
  });

  it("refuses more than it holds, until one has left, but nothing that it held before a restart", () => {
    const places = Array.from({ length: 5 }, () => join("a"));
    should(() => join("a")).throw({ code: "QUEUE_FULL", message: /^5 messages .* Nothing was submitted/ });
    join("b");
    lines.join("a", never, 1, true).leave();
    places[3]?.leave();
    join("a");
  });

  it("lets a message go with its node", async () => {
    const closing = new AbortController();
    const [first, second] = [join("a", closing.signal), join("a", closing.signal)];
    const third = join("a");
    await ready(second, "second");
    await ready(third, "third");
    closing.abort();
    await clock.tickAsync(0);
    should(sent.sort()).deepEqual(["second ended", "third"]);
    await ready(first, "first");
    should(sent).containEql("first ended");
  });

  it("keeps nothing of a line that is empty", () => {
    const place = join("a");
    place.isOf("1 0xa");
    place.leave();
    place.leave();
    should(clock.countTimers()).equal(0);
  });
});

/** Whatever is ready when: each wallet has one message on its way, and they leave by arrival. */
describe("the line of a wallet, in any order of events", () => {
  const message = fc.record({
    config: fc.constantFrom("a", "b", "c"),
    /** When it is ready, and how long its answer takes. */
    readyAfterMs: fc.integer({ min: 0, max: 400 }),
    answeredAfterMs: fc.integer({ min: 1, max: 400 }),
  });
  /** Two config nodes of one wallet. */
  const WALLETS: Record<string, string> = { a: "1 0xa", b: "1 0xa", c: "1 0xc" };

  it("sends by arrival, one at a time", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 30 }), async (messages) => {
        const clock = createClock(0);
        const lines = new WalletLines({ most: 100, holdMs: LONG_MS }, timersOf(clock));
        const sent: Record<string, number[]> = {};
        const underWay: Record<string, number> = {};
        messages.forEach(({ config, readyAfterMs, answeredAfterMs }, number) => {
          const place = lines.join(config, never);
          const wallet = WALLETS[config] as string;
          place.isOf(wallet);
          clock.setTimeout(async () => {
            await place.turn(LONG_MS);
            sent[wallet] = [...(sent[wallet] ?? []), number];
            underWay[wallet] = (underWay[wallet] ?? 0) + 1;
            should(underWay[wallet]).equal(1);
            clock.setTimeout(() => {
              underWay[wallet] = 0;
              place.leave();
            }, answeredAfterMs);
          }, readyAfterMs);
        });
        // One after the other: longer than all of them take.
        await clock.tickAsync(messages.length * 400 + 500);
        for (const wallet of new Set(Object.values(WALLETS))) {
          const all = messages.flatMap(({ config }, number) => (WALLETS[config] === wallet ? [number] : []));
          should(sent[wallet] ?? []).deepEqual(all);
        }
      }),
    );
  });
});
