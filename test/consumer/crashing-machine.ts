import { setImmediate as nextTurn } from "node:timers/promises";
import { type Delivery, EventConsumer, type EventConsumerOptions } from "../../src/consumer/index.ts";
import type { CrecError } from "../../src/errors.ts";
import type { CursorState } from "../../src/storage/index.ts";
import { IDENTITY, makeEvent, range, SimulatedChannel, SimulatedClock, SimulatedDisk } from "./simulation.ts";

/** Crashes take no time. */
const MOST_STARTS = 100;
const NEVER = new AbortController().signal;

/** One consumer of a machine: how many events its channel has, and which of them end the machine. */
export type Part = Partial<EventConsumerOptions> & {
  events: number;
  poison?: readonly number[];
  /** How long the flow works on an event; on send, the event is done before. */
  workMs?: number;
  /** How long after its hand-over an event ends the machine. 0: before the hand-over has returned. */
  fuseMs?: number;
  /** Events that only wait from their hand-over on, such as for a person, until `approve`. */
  waiting?: readonly number[];
  /** Whether taking a poison event as a rejected one ends the machine, too. */
  rejectionCrashes?: boolean;
};

let machines = 0;

/** Consumers of one process, which some events end, and which is started again on the same disks. */
export class Machine {
  readonly clock = new SimulatedClock();
  readonly parts: SimulatedConsumer[];
  starts = 0;
  /** Whether what was saved to be written soon survives a crash. */
  keepSoon = false;
  #isDown = false;

  constructor(...parts: Part[]) {
    machines += 1;
    this.parts = parts.map(
      (part, index) => new SimulatedConsumer(this, part, `machine ${machines}.${index}`),
    );
    this.clock.activity = () => this.parts.reduce((sum, { activity }) => sum + activity, 0);
  }

  boot(): void {
    this.#isDown = false;
    this.starts += 1;
    for (const part of this.parts) part.boot();
  }

  /** Crashes: nothing is written or received any more. */
  crash(): void {
    this.#isDown = true;
    for (const part of this.parts) part.crash(this.keepSoon);
  }

  async restart({ orderly }: { orderly: boolean }): Promise<void> {
    if (this.starts >= MOST_STARTS) throw new Error("It went on crashing.");
    if (!orderly) this.crash();
    await this.end();
    this.boot();
  }

  /** Lets time pass, and boots again after each crash. */
  async pass(ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    void this.clock.sleep(ms, NEVER);
    await this.until(() => this.clock.now() >= until);
  }

  async until(condition: () => boolean, limitMs = 3_600_000): Promise<void> {
    if (condition()) return;
    await this.clock.until(() => this.#isDown || condition(), limitMs);
    if (this.#isDown) await this.restart({ orderly: false });
    await this.until(condition, limitMs);
  }

  /** Stops all. What that does not need time for takes none, lest a long wait pass meanwhile. */
  async end(): Promise<void> {
    let isOver = false;
    void Promise.all(this.parts.map((part) => part.stop())).then(() => {
      isOver = true;
    });
    for (let turn = 0; turn < 20 && !isOver; turn += 1) await nextTurn();
    await this.clock.until(() => isOver);
  }
}

class SimulatedConsumer {
  readonly disk = new SimulatedDisk();
  readonly arrivals: number[] = [];
  readonly done = new Set<number>();
  readonly rejected: Array<[offset: number, why: string]> = [];
  readonly errors: CrecError[] = [];
  readonly suspects: Array<{ from: number; to: number }> = [];
  readonly #machine: Machine;
  readonly #part: Part;
  readonly #channel = new SimulatedChannel();
  readonly #name: string;
  #life = { alive: false, crash: (_keepSoon: boolean) => {} };
  #consumer: EventConsumer | undefined;

  constructor(machine: Machine, part: Part, name: string) {
    this.#machine = machine;
    this.#part = part;
    this.#name = name;
    this.publish(...range(1, part.events));
  }

  get activity(): number {
    return this.arrivals.length + this.disk.saves.length;
  }

  get stored(): CursorState | undefined {
    return this.disk.stored;
  }

  /** Whether each event is processed, or with the rejected ones. */
  get isDone(): boolean {
    const rejected = this.rejected.map(([offset]) => offset);
    return new Set([...this.done, ...rejected]).size === this.#channel.visible.length;
  }

  publish(...offsets: number[]): void {
    this.#channel.publish(...offsets.map((offset) => makeEvent(offset)));
  }

  boot(): void {
    const store = this.disk.open();
    const life = { alive: true, crash: store.crash };
    this.#life = life;
    const { events: _, poison: __, workMs: ___, fuseMs: ____, waiting: _____, ...more } = this.#part;
    const { rejectionCrashes, ...options } = more;
    const consumer: EventConsumer = new EventConsumer({
      source: this.#channel,
      store,
      identity: { ...IDENTITY, consumer: this.#name },
      start: "beginning",
      clock: this.#machine.clock,
      random: () => 0.5,
      // A process that is gone takes nothing.
      deliver: (delivery) => (life.alive ? this.#take(delivery, consumer, life) : new Promise(() => {})),
      onRejected: async ({ offset }, why) => {
        if (!life.alive) await new Promise(() => {});
        if (rejectionCrashes) this.#machine.crash();
        else this.rejected.push([offset, why]);
      },
      onError: (error) => this.errors.push(error),
      onSuspects: (offsets) => this.suspects.push(offsets),
      ...options,
    });
    this.#consumer = consumer;
    consumer.start();
  }

  crash(keepSoon: boolean): void {
    this.#life.alive = false;
    this.#life.crash(keepSoon);
  }

  async stop(): Promise<void> {
    await this.#consumer?.stop();
    this.#life.alive = false;
  }

  /** Has the work go on with an event that waits: it ends the machine, or is done. */
  async goOn(offset: number, { isDeadly }: { isDeadly: boolean }): Promise<void> {
    const { event_id: eventId } = makeEvent(offset);
    await this.#consumer?.setWaiting(eventId, false);
    if (isDeadly) this.#machine.crash();
    else if (this.#consumer?.ack(eventId)) this.done.add(offset);
  }

  setWaiting(offset: number, isWaiting: boolean): Promise<void> | undefined {
    return this.#consumer?.setWaiting(makeEvent(offset).event_id, isWaiting);
  }

  async #take({ event, offset }: Delivery, consumer: EventConsumer, life: { alive: boolean }): Promise<void> {
    const { poison = [], waiting = [], workMs = 0, fuseMs = 0, commit } = this.#part;
    const { clock } = this.#machine;
    this.arrivals.push(offset);
    if (waiting.includes(offset)) {
      await consumer.setWaiting(event.event_id, true);
      return;
    }
    const end = () => life.alive && this.#machine.crash();
    if (poison.includes(offset)) {
      if (fuseMs > 0) void clock.sleep(fuseMs, NEVER).then(end);
      else end();
      return;
    }
    const finish = () => {
      if (!life.alive) return;
      // Once it is stopped, it takes no acknowledgement.
      if (commit !== "on-ack" || consumer.ack(event.event_id)) this.done.add(offset);
    };
    if (commit === "on-ack" && workMs > 0) void clock.sleep(workMs, NEVER).then(finish);
    else finish();
  }
}
