/** Something that takes long to start, and that the test files of one process share. */
export type Shared<T> = () => Promise<T>;

const ends: Array<() => Promise<unknown>> = [];

/** Whether this process is one of several that take the test files in turn. */
export function isWorker(): boolean {
  return process.env.MOCHA_WORKER_ID !== undefined;
}

/** Starts it when it is first asked for; `end` is called at the end of the run, unless the process ends before. */
export function shared<T>(start: () => Promise<T>, end: (started: T) => Promise<unknown>): Shared<T> {
  let started: Promise<T> | undefined;
  return () => {
    if (started === undefined) {
      const starting = start();
      started = starting;
      ends.push(async () => end(await starting));
    }
    return started;
  };
}

/** Ends what was started, the last first. */
export async function endShared(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
