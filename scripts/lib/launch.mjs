// @ts-check
import { watchNpm } from "../../service/src/parents.mjs";
import { Children } from "./children.mjs";
import { StartError, say } from "./say.mjs";

/**
 * Runs a launcher: starts processes, runs until it is asked to end or one of them ends by itself, and leaves
 * nothing running. Exit code 0 when asked, 1 otherwise.
 *
 * @param {(children: Children) => Promise<void>} start
 */
export async function launch(start) {
  let stopping = false;

  /** @param {number} code @param {string} reason */
  async function stop(code, reason) {
    if (stopping) return;
    stopping = true;
    say(reason);
    await children.end();
    process.exit(code);
  }

  const children = new Children((name, how) => {
    stop(1, `${name} ended by itself (${how}), so everything else is ended too; what it said is above.`);
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop(0, "\nEnding …"));
  // The reader of the output may end first. Ending in order is more important than reporting that.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  await watchNpm(() => stop(0, "npm is gone: ending …"));

  try {
    await start(children);
  } catch (error) {
    await stop(
      1,
      error instanceof StartError ? error.message : String((error instanceof Error && error.stack) || error),
    );
  }
}
