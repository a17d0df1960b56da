import { NODES_OF_EXAMPLES, NodeRed, type NodeRedOptions, UserDir } from "./node-red.ts";
import { shared } from "./shared.ts";

export type Borrowed = { nodeRed: NodeRed; userDir: UserDir; giveBack(): Promise<void> };

/** One that can die and be started again, with what it has on disk. */
export type Owned = Borrowed & { restart(): Promise<NodeRed> };

/** Tests look in the log for what must be said, and for what must not. */
export const EVERYTHING = { define: ["logging.console.level=trace"] };

const lent = shared(
  () => ownNodeRed({}, { define: [...EVERYTHING.define, NODES_OF_EXAMPLES] }),
  ({ giveBack }) => giveBack(),
);

/**
 * A Node-RED that the test files of this process use one after another, for those that neither end it nor need
 * settings or an environment of their own. It comes without flows, and as if it had said and shown nothing yet.
 */
export async function borrowNodeRed(): Promise<Borrowed> {
  const { nodeRed, userDir } = await lent();
  return { nodeRed, userDir, giveBack: () => nodeRed.clear() };
}

/** One that ends when it is given back; `env` is what flows find in their environment. */
export async function ownNodeRed(env: Record<string, string>, options: NodeRedOptions = {}): Promise<Owned> {
  const userDir = await UserDir.make();
  const start = () => NodeRed.start(userDir, env, { ...EVERYTHING, ...options });
  let running = await start();
  const restart = async () => {
    await running.kill();
    running = await start();
    return running;
  };
  const giveBack = async () => {
    await running.kill();
    await userDir.remove();
  };
  return { nodeRed: running, userDir, restart, giveBack };
}
