import type { Job } from "../shared/job.ts";

/** Gives what a node answers to a message: its test replies in turn; the last one repeats. Undefined without replies. */
export function repliesOf({ replies }: Job, node: string): (msg: object) => Array<object | null> | undefined {
  // A node may be called `constructor`.
  const own = Object.hasOwn(replies, node) ? replies[node] : undefined;
  let given = 0;
  return (msg) => {
    const reply = own?.[Math.min(given, own.length - 1)];
    given += 1;
    return reply?.map((one) => one && { ...msg, ...structuredClone(one) });
  };
}
