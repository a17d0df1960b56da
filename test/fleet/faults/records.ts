import { open } from "node:fs/promises";
import { eventually } from "../../support/eventually.ts";

/** What a flow wrote down when a message passed. */
export type FleetRecord = {
  /** Milliseconds of the machine's steady clock. */
  atMs: number;
  copy: string;
  /**
   * `sent`: left events in. `done`: its operation was sent to the chain. `acked`: it was acknowledged. `moved`: acknowledged too late,
   * since another copy reads by then. `failed`: an error, after which it is sent again. `rejected`: it left by the
   * second output of events in.
   */
  kind: "sent" | "done" | "acked" | "moved" | "failed" | "rejected";
  eventId: string;
  offset: number;
  /** Of the lease under which it was sent. */
  epoch?: number;
  /** Whether the message says that it may have been sent before. */
  repeated: boolean;
  /** What was sent: the number that its operation adds. */
  value?: string;
  /** Why it failed. */
  code?: string;
};

/** Milliseconds of the machine's steady clock, the same in all its processes. */
export function steadyMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

const LOOK_MS = 10;

/** What all copies wrote so far, in the order of time. */
export class Records {
  readonly path: string;
  readonly all: FleetRecord[] = [];
  /** The events that were processed, by offset. */
  readonly done = new Set<number>();
  #position = 0;
  #rest = "";

  constructor(path: string) {
    this.path = path;
  }

  /** Waits until `find` gives something, and gives that. @throws when it takes longer than `timeoutMs` */
  async until<T>(
    find: (all: readonly FleetRecord[]) => T | undefined,
    what: string,
    timeoutMs = 180_000,
  ): Promise<T> {
    const { found } = await eventually(
      what,
      async () => {
        await this.#read();
        return { found: find(this.all), latest: this.all.slice(-3) };
      },
      ({ found }) => found !== undefined,
      { withinMs: timeoutMs, pauseMs: LOOK_MS },
    );
    return found as T;
  }

  /** The first message sent after a time that `accept` takes. */
  sentAfter(
    atMs: number,
    accept: (record: FleetRecord) => boolean,
    timeoutMs?: number,
  ): Promise<FleetRecord> {
    const find = (all: readonly FleetRecord[]) => {
      const start = all.findLastIndex((one) => one.atMs <= atMs) + 1;
      return all.slice(start).find((one) => one.kind === "sent" && accept(one));
    };
    return this.until(find, "a message to be sent", timeoutMs);
  }

  async #read(): Promise<void> {
    const file = await open(this.path, "a+");
    try {
      const { size } = await file.stat();
      if (size === this.#position) return;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - this.#position), {
        position: this.#position,
      });
      this.#position += bytesRead;
      const lines = (this.#rest + buffer.toString("utf8", 0, bytesRead)).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) this.#take(JSON.parse(line) as FleetRecord);
    } finally {
      await file.close();
    }
  }

  #take(record: FleetRecord): void {
    // Two processes may write in another order than that of their times.
    const before = this.all.findLastIndex(({ atMs }) => atMs <= record.atMs);
    this.all.splice(before + 1, 0, record);
    if (record.kind === "done") this.done.add(record.offset);
  }
}
