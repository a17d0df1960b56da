import fc from "fast-check";
import should from "should";
import { type Delivery, EventConsumer } from "../../src/consumer/index.ts";
import { CrecError } from "../../src/errors.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import type { CursorState } from "../../src/storage/index.ts";
import { randomFrom } from "../support/random.ts";
import { failingDisk, habits, isAnyLate, PAGE, published, type Step, script } from "./generators.ts";
import { end, IDENTITY, SimulatedChannel, SimulatedClock, SimulatedDisk } from "./simulation.ts";

const ACK_TIMEOUT_MS = 5_000;
/** Longer than any wait of the consumer with an event at hand. */
const QUIET_MS = 120_000;
const NEVER = new AbortController().signal;

let runs = 0;

/** What a flow does with an event, in each of so many of a hundred cases. */
export type Flow = {
  inFlight: number;
  maxAttempts: number;
  ackAtOnce: number;
  forget: number;
  retry: number;
  reject: number;
  fail: number;
};

const flow: fc.Arbitrary<Flow> = fc.record({
  inFlight: fc.constantFrom(1, 1, 2, 10, 100),
  maxAttempts: fc.constantFrom(1, 2, 5),
  ackAtOnce: fc.constantFrom(0, 30, 90),
  forget: fc.constantFrom(0, 0, 3, 20),
  retry: fc.constantFrom(0, 0, 3, 20),
  reject: fc.constantFrom(0, 3),
  fail: fc.constantFrom(0, 0, 3),
});

type Step_ = Step & { pause: boolean; orderly: boolean };

/** What one event went through. */
type Story = {
  offset: number;
  arrivals: number;
  /** The last attempt in this life of the consumer; 0 when there was none yet. */
  attempt: number;
  /** When it may come again, by the simulated clock. */
  againAt: number;
  /** Acknowledged, or with the rejected ones. */
  done: boolean;
  /** How many crashes there had been by then: only another one may make it come again. */
  crashes: number;
};

/**
 * On ack: every event arrives until it is acknowledged or rejected, first arrivals in order, and again only after
 * a restart, a time-out, a refusal or a failure, marked; the stored place never passes one that is not done.
 */
export function onAck() {
  const steps = script.chain((all) =>
    fc
      .array(fc.record({ pause: fc.boolean(), orderly: fc.boolean() }), {
        minLength: all.length,
        maxLength: all.length,
      })
      .map((more) =>
        all.map((step, index): Step_ => ({ ...step, pause: false, orderly: false, ...more[index] })),
      ),
  );
  return fc.asyncProperty(
    habits,
    published,
    steps,
    flow,
    fc.record({ oneType: fc.boolean(), seed: fc.nat() }),
    async (habits, events, steps, flow, { oneType, seed }) => {
      runs += 1;
      const run = new Run(new SimulatedChannel(habits), events, flow, { oneType, seed });
      let unpublished = [...events];
      run.boot();
      try {
        for (const { publish, waitMs, crash, keepSoon, fail, diskFails, pause, orderly } of steps) {
          run.failDisk(diskFails);
          run.channel.publish(...unpublished.slice(0, publish));
          unpublished = unpublished.slice(publish);
          if (fail) run.failOnce();
          await (pause ? run.pauseFor(waitMs) : run.clock.pass(waitMs));
          if (crash) await run.restart({ orderly, keepSoon });
        }
        run.failDisk(0);
        run.channel.publish(...unpublished);
        await run.clock.until(() => run.isDone, 10 * 3_600_000);
        await run.becomesQuiet();
        const polls = run.channel.polls.length;
        await run.clock.pass(300_000);
        should(run.channel.polls.length - polls).be.belowOrEqual(5 * 4 * 12 + 6 * 20);
        await run.restart({ orderly: true, keepSoon: false });
        const arrivals = run.arrivals;
        await run.clock.pass(60_000);
        should(run.arrivals).equal(arrivals, "what was done came again after an orderly end");
      } finally {
        await run.end();
      }
      should(run.violations).eql([]);
    },
  );
}

class Run {
  readonly clock = new SimulatedClock();
  readonly channel: SimulatedChannel;
  readonly violations: string[] = [];
  arrivals = 0;
  readonly #stories = new Map<string, Story>();
  readonly #wanted: Set<string>;
  readonly #events: readonly EventEnvelope[];
  readonly #isLate: boolean;
  readonly #flow: Flow;
  readonly #oneType: boolean;
  readonly #random: () => number;
  readonly #disk = new SimulatedDisk();
  readonly #identity = { ...IDENTITY, consumer: `ack run ${runs}` };
  #highest = 0;
  #inFlight = new Set<string>();
  #paused = false;
  #restarted = false;
  #crashes = 0;
  #life = { alive: false, crash: (_keepSoon: boolean) => {} };
  #consumer: EventConsumer | undefined;

  constructor(
    channel: SimulatedChannel,
    events: readonly EventEnvelope[],
    flow: Flow,
    { oneType, seed }: { oneType: boolean; seed: number },
  ) {
    this.channel = channel;
    this.#events = events;
    this.#flow = flow;
    this.#oneType = oneType;
    this.#random = randomFrom(seed);
    this.#isLate = isAnyLate(events);
    const isWanted = ({ headers }: EventEnvelope) => !oneType || headers.type === "watcher.status";
    this.#wanted = new Set(events.filter(isWanted).map(({ event_id }) => event_id));
    this.clock.activity = () => this.arrivals + this.#disk.saves.length;
    channel.fault = () => this.#beforePoll();
  }

  get isDone(): boolean {
    return [...this.#wanted].every((id) => this.#stories.get(id)?.done);
  }

  /** After a crash all may be done already and still come again, one event at a time. */
  async becomesQuiet(): Promise<void> {
    for (let before = -1; before !== this.arrivals; ) {
      before = this.arrivals;
      await this.clock.pass(QUIET_MS);
    }
  }

  boot(): void {
    const life = { alive: true, crash: (_keepSoon: boolean) => {} };
    const store = this.#disk.open();
    life.crash = store.crash;
    this.#life = life;
    this.#inFlight = new Set();
    for (const story of this.#stories.values()) story.attempt = 0;
    const { inFlight, maxAttempts } = this.#flow;
    const consumer: EventConsumer = new EventConsumer({
      source: this.channel,
      store: {
        ...store,
        save: async (state, urgency) => {
          if (life.alive) this.#checkPlace(state);
          await store.save(state, urgency);
        },
      },
      identity: this.#identity,
      start: "beginning",
      commit: "on-ack",
      inFlight,
      maxAttempts,
      ackTimeoutMs: ACK_TIMEOUT_MS,
      pageLimit: PAGE,
      ...(this.#oneType ? { types: ["watcher.status"] } : {}),
      clock: this.clock,
      random: this.#random,
      deliver: (delivery) => {
        if (life.alive) this.#arrive(delivery, consumer);
      },
      onRejected: async ({ event }) => {
        if (this.#random() < 0.2) throw new Error("The rejected port is full.");
        if (life.alive) this.#finish(event.event_id);
      },
    });
    this.#consumer = consumer;
    consumer.start();
  }

  async restart({ orderly, keepSoon }: { orderly: boolean; keepSoon: boolean }): Promise<void> {
    this.#restarted = true;
    // An end that cannot write its place is no orderly one.
    if (orderly) this.failDisk(0);
    if (orderly) await this.end();
    // Between the two, the events of the old life must not count.
    this.#life.alive = false;
    if (!orderly) {
      this.#crashes += 1;
      this.#life.crash(keepSoon);
      await this.end();
    }
    this.boot();
  }

  async pauseFor(ms: number): Promise<void> {
    this.#consumer?.pause();
    this.#paused = true;
    await this.clock.pass(ms);
    this.#paused = false;
    this.#consumer?.resume();
  }

  failOnce(): void {
    this.channel.fault = () => {
      this.channel.fault = () => this.#beforePoll();
      throw new CrecError("SERVICE_ERROR", "The service failed.");
    };
  }

  failDisk(probability: number): void {
    this.#disk.fault = failingDisk(probability, this.#random);
  }

  async end(): Promise<void> {
    if (this.#consumer !== undefined) await end(this.clock, this.#consumer);
  }

  #beforePoll(): void {
    if (this.#inFlight.size >= this.#flow.inFlight) this.violations.push("polled while all was in flight");
  }

  #arrive({ event, offset, redelivered, late, attempt }: Delivery, consumer: EventConsumer): void {
    const { event_id: id } = event;
    const story = this.#stories.get(id) ?? {
      offset,
      arrivals: 0,
      attempt: 0,
      againAt: 0,
      done: false,
      crashes: 0,
    };
    this.#stories.set(id, story);
    this.arrivals += 1;
    story.arrivals += 1;
    if ((this.#disk.stored?.handedOut ?? -1) < offset)
      this.violations.push(`event ${id}: handed over before it was stored`);
    if (!this.#disk.wouldMiss(offset)) this.violations.push(`event ${id}: its loss would not be noticed`);
    const problem = this.#problemOf(id, story, { redelivered, late, attempt });
    if (problem !== undefined) this.violations.push(`event ${id}, attempt ${attempt}: ${problem}`);
    if (attempt === 1) story.done = false;
    story.attempt = attempt;
    story.againAt = this.clock.now() + ACK_TIMEOUT_MS;
    this.#highest = Math.max(this.#highest, offset);
    this.#inFlight.add(id);
    if (this.#inFlight.size > this.#flow.inFlight) this.violations.push("too many are in flight");
    this.#workOff(id, story, consumer);
  }

  #problemOf(
    id: string,
    story: Story,
    { redelivered, late, attempt }: { redelivered: boolean; late: boolean; attempt: number },
  ): string | undefined {
    if (!this.#wanted.has(id)) return "not wanted";
    if (this.#paused) return "sent while paused";
    const isFirst = story.arrivals === 1;
    if (isFirst && story.offset <= this.#highest && !late && !redelivered) return "out of order";
    if (isFirst && late && !this.#isLate) return "marked late without a reason";
    if (isFirst && attempt !== 1) return "a first arrival is the first attempt";
    if (isFirst) return redelivered && !this.#restarted ? "marked without a reason" : undefined;
    if (!redelivered) return "came again unmarked";
    if (attempt !== story.attempt + 1) return `attempt after ${story.attempt}`;
    if (attempt > this.#flow.maxAttempts) return "too many attempts";
    if (story.done && (attempt > 1 || story.crashes === this.#crashes))
      return "came again although it was done";
    return attempt > 1 && this.clock.now() < story.againAt ? "came again too early" : undefined;
  }

  #workOff(id: string, story: Story, consumer: EventConsumer): void {
    const { ackAtOnce, forget, retry, reject, fail } = this.#flow;
    const dice = this.#random() * 100;
    const delayMs = this.#random() * 2 * ACK_TIMEOUT_MS;
    const settle = () => {
      const wasInFlight = consumer.isInFlight(id);
      if (wasInFlight) this.#finish(id);
      should(consumer.ack(id)).equal(wasInFlight);
    };
    if (dice < forget) return;
    if (dice < forget + fail) {
      story.againAt = this.clock.now();
      throw new Error("The flow is broken.");
    }
    if (dice < forget + fail + reject) consumer.refuse(id, { reject: true, reason: "dice" });
    else if (dice < forget + fail + reject + retry) {
      consumer.refuse(id, { afterMs: delayMs });
      story.againAt = this.clock.now() + delayMs;
    } else if (this.#random() * 100 < ackAtOnce) settle();
    else void this.clock.sleep(delayMs / 8, NEVER).then(settle);
  }

  #finish(id: string): void {
    this.#inFlight.delete(id);
    const story = this.#stories.get(id);
    if (story === undefined) return;
    story.done = true;
    story.crashes = this.#crashes;
  }

  #checkPlace({ cursor, floor, delivered }: CursorState): void {
    const noted = new Set(delivered.map(([, id]) => id));
    for (const { event_id: id, headers } of this.#events) {
      if (!this.#wanted.has(id) || this.#stories.get(id)?.done) continue;
      if (headers.offset <= floor) this.violations.push(`floor ${floor} passed ${id}`);
      if (noted.has(id)) this.violations.push(`${id} is noted as done`);
      if (headers.offset <= cursor && !this.#isLate) this.violations.push(`cursor ${cursor} passed ${id}`);
    }
  }
}
