/** What is not finished: the simulated time waits for it. */
export type Activity = {
  /** Counts up whenever a message moves. */
  moves: number;
  /** Work beside the event loop that ends by itself: answers of the parent, hashes, compression. */
  outside: number;
  /** Work of our nodes, which may also wait for a simulated time. */
  pending: Pending;
};

/** Turns of the event loop without anything, after which nothing follows. */
const QUIET_TURNS = 2;

/** As many while one of our nodes is at work: what has not gone on until then waits for a simulated time. */
const QUIET_TURNS_AT_WORK = 100;

/** Real time that most work takes: until then, a pause of the whole process would be longer. */
const SHORT_WAIT = 3;

/** Real time after which work that does not end is no longer waited for. A stream may be open for ever. */
const LONGEST_WAIT = 10_000;

/** Work of Node.js itself that ends by itself: files. `countRealWork` counts the rest. */
const REAL_WORK = /^(?:FSReq|FileHandle\w*Req|DirHandle)/;

const nextTurn = setImmediate;
const afterMs = setTimeout;
const realNow = performance.now.bind(performance);

/** Resolves when all that was begun has ended, but for what waits for a timer. */
export async function settle(activity: Activity): Promise<void> {
  const { pending } = activity;
  let quiet = 0;
  let since: number | undefined;
  for (;;) {
    const before = activity.moves;
    await turn();
    quiet = activity.moves === before ? quiet + 1 : 0;
    if (quiet < QUIET_TURNS) continue;
    if (activity.outside === 0 && !isWorking()) {
      if (pending.size === 0) return;
      if (quiet < QUIET_TURNS_AT_WORK) continue;
      return pending.leave();
    }
    since ??= realNow();
    const waited = realNow() - since;
    if (waited > LONGEST_WAIT && activity.outside === 0) return;
    if (waited > SHORT_WAIT) await pause();
    quiet = 0;
  }
}

function isWorking(): boolean {
  return process.getActiveResourcesInfo().some((name) => REAL_WORK.test(name));
}

function turn(): Promise<void> {
  return new Promise((resolve) => void nextTurn(resolve));
}

function pause(): Promise<void> {
  return new Promise((resolve) => void afterMs(resolve, 1));
}

/**
 * Work that our nodes have begun and not ended: an event that is being checked, a message in a node. Most of it ends
 * within a few turns of the event loop; some waits for a simulated time, and only that time can end it.
 */
export class Pending {
  readonly #works = new Set<object>();

  /** Gives the function that says that the work has ended. */
  begin(): () => void {
    const work = {};
    this.#works.add(work);
    return () => void this.#works.delete(work);
  }

  get size(): number {
    return this.#works.size;
  }

  /** What has not ended now waits for a simulated time: it is not waited for any more. */
  leave(): void {
    this.#works.clear();
  }
}
