import { AsyncResource } from "node:async_hooks";
import timers from "node:timers";
import type { Clock } from "@sinonjs/fake-timers";

/** The simulated time of the process. Unix milliseconds. */
export type SimulatedClock = {
  now(): number;
  /** When the next timer is due; undefined without any. */
  nextTimer(): number | undefined;
  /** Moves the time to the next timer, and runs it. */
  runNextTimer(): void;
  /** Moves the time. No timer may be due before. */
  moveTo(at: number): void;
};

/**
 * `setImmediate`, `nextTick` and microtasks stay real: Node-RED delivers messages with them, and real work such as a
 * hash ends with them.
 */
const FAKED = [
  "Date",
  "Intl",
  "performance",
  "hrtime",
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
] as const;

/** As in Node.js: a timer of no delay, or one that is too long, takes 1 ms. */
const LONGEST_DELAY = 2 ** 31 - 1;

/**
 * From now on, the process has a time of its own. Call it when all modules are loaded.
 *
 * @param onThrown called with what a timer throws, in its context
 */
export async function startClock(from: number, onThrown: (error: unknown) => void): Promise<SimulatedClock> {
  // Node-RED loads this file with our nodes: it needs no timers but its own.
  const { withGlobal } = await import("@sinonjs/fake-timers");
  const clock = withGlobal(globalThis).install({ now: from, toFake: [...FAKED] });
  replaceTimer("setTimeout", onThrown);
  replaceTimer("setInterval", onThrown);
  AbortSignal.timeout = simulatedTimeout;
  // The heap of timers: asking the clock by its public methods would copy all timers.
  const { timerHeap } = clock as Clock & { timerHeap?: { peek(): { callAt: number } | undefined } };
  const heap = timerHeap ?? heapOf(clock);
  return {
    now: () => clock.now,
    nextTimer: () => heap.peek()?.callAt,
    runNextTimer: () => void clock.next(),
    moveTo: (at) => {
      if (at > clock.now) clock.tick(at - clock.now);
    },
  };
}

/** Node.js's own has a real timer. */
function simulatedTimeout(ms: number): AbortSignal {
  const late = new AbortController();
  const abort = () =>
    late.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
  setTimeout(abort, ms);
  return late.signal;
}

/** It exists when a first timer has been set. */
function heapOf(clock: Clock): { peek(): { callAt: number } | undefined } {
  clock.clearTimeout(clock.setTimeout(() => {}, 1));
  return (clock as Clock & { timerHeap: { peek(): { callAt: number } | undefined } }).timerHeap;
}

type Task = (...args: unknown[]) => unknown;

/** Runs in the asynchronous context that it was set in, as a real one does, and never without a delay. */
function replaceTimer(name: "setTimeout" | "setInterval", onThrown: (error: unknown) => void): void {
  const faked = globalThis[name] as unknown as Task;
  const replaced = (task: unknown, delay?: unknown, ...args: unknown[]) => {
    const ms = Number(delay);
    const isUsual = ms >= 1 && ms <= LONGEST_DELAY;
    const bound = typeof task === "function" ? bind(task as Task, onThrown) : task;
    return faked(bound, isUsual ? Math.trunc(ms) : 1, ...args);
  };
  Object.defineProperties(replaced, Object.getOwnPropertyDescriptors(faked));
  for (const place of [globalThis, timers]) Object.assign(place, { [name]: replaced });
}

function bind(task: Task, onThrown: (error: unknown) => void): Task {
  return AsyncResource.bind((...args: unknown[]) => {
    try {
      task(...args);
    } catch (error) {
      onThrown(error);
    }
  });
}
