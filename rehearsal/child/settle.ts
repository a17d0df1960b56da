/** What is not finished: the simulated time waits for it. */
export type Activity = {
  /** Counts up whenever a message moves. */
  moves: number;
  /** Answers of the parent that are outstanding. */
  asked: number;
};

/** Turns of the event loop without anything, after which nothing follows. */
const QUIET_TURNS = 2;

/** Real time that most work takes: until then, a pause of the whole process would be longer. */
const SHORT_WAIT = 3;

/** Real time after which work that does not end is no longer waited for. A stream may be open for ever. */
const LONGEST_WAIT = 10_000;

/** Work of Node.js itself that ends by itself: files, hashes and signatures, compression. */
const REAL_WORK = /^(?:FSReq|.+Job$|.+Request$|Zlib|Brotli|Zstd)/;

const nextTurn = setImmediate;
const afterMs = setTimeout;
const realNow = performance.now.bind(performance);

/** Resolves when all that was begun has ended, but for what waits for a timer. */
export async function settle(activity: Activity): Promise<void> {
  let quiet = 0;
  let since: number | undefined;
  for (;;) {
    const before = activity.moves;
    await turn();
    quiet = activity.moves === before ? quiet + 1 : 0;
    if (quiet < QUIET_TURNS) continue;
    if (activity.asked === 0 && !isWorking()) return;
    since ??= realNow();
    const waited = realNow() - since;
    if (waited > LONGEST_WAIT && activity.asked === 0) return;
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
