import { CrecError } from "../errors.ts";
import { flag, like, listOf, optional, text, finiteDuration as time, whole } from "../options/index.ts";
import { type CursorState, stateKind } from "../storage/cursor/cursor-state.ts";
import type { Clock } from "../timing/index.ts";
import type { Copy, OnceMark, Presence, RecordWrite } from "./shared-state.ts";

// What each call of a shared state is given, checked before the engine is asked.

const epochKind = whole(0);

export const copyKind = like<Copy>({ id: text, name: text });

const lease = like<{ key: string; epoch: number }>({ key: text, epoch: epochKind });

const mark = like<OnceMark>({
  scope: text,
  key: text,
  ttlMs: time,
  delivery: optional(like<{ id: string; redelivered: boolean }>({ id: text, redelivered: flag })),
  digest: optional(text),
  fence: optional(lease),
});

const write = like<RecordWrite>({ scope: text, key: text, revision: whole(0), ttlMs: time });

const presence = like<Presence>({
  copy: copyKind,
  group: text,
  leaseMs: time,
  held: listOf(lease),
  wanted: listOf(text),
});

/** @throws {ArgumentError} naming the argument, as all of them. */
export const sharedCalls = {
  take(key: string, copy: Copy, leaseMs: number): void {
    text(key, "key");
    copyKind(copy, "copy");
    time(leaseMs, "leaseMs");
  },
  save(key: string, epoch: number, state: CursorState, leaseMs: number): void {
    sharedCalls.release(key, epoch, state);
    time(leaseMs, "leaseMs");
  },
  release(key: string, epoch: number, state: CursorState | undefined): void {
    text(key, "key");
    epochKind(epoch, "epoch");
    if (state !== undefined) stateKind(state, "state");
  },
  once: (given: OnceMark): unknown => mark(given, "mark"),
  record(scope: string, key: string): void {
    text(scope, "scope");
    text(key, "key");
  },
  write: (given: RecordWrite): unknown => write(given, "write"),
  keys(scope: string, limit: number): void {
    text(scope, "scope");
    whole(0)(limit, "limit");
  },
  members: (given: Presence): unknown => presence(given, "presence"),
  leave: (copy: Copy): unknown => copyKind(copy, "copy"),
};

/**
 * What the shared state answers. Rejects with a retryable error when the answer comes so late that it would be of no use.
 * `label` is that of the shared state.
 */
export function answeredInTime<T>(
  answer: Promise<T>,
  { ms, clock, label }: { ms: number; clock: Clock; label: string },
): Promise<T> {
  const waiting = new AbortController();
  const late = clock.sleep(ms, waiting.signal).then(() => {
    throw noAnswer(label, ms);
  });
  return Promise.race([answer, late]).finally(() => waiting.abort());
}

function noAnswer(label: string, ms: number): CrecError {
  return new CrecError(
    "SHARED_STATE_UNREACHABLE",
    `The shared state (${label}) did not answer within ${Math.round(ms / 100) / 10} s. Check that it runs and is not overloaded, and the network between; it is tried again.`,
    { retryable: true },
  );
}
