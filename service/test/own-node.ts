import { join } from "node:path";
import { type Anvil, startAnvil } from "../src/chain/anvil/anvil.ts";
import { temporaryFolder } from "./support.ts";

/** There from the first test of the `describe` on, until its last. */
export type OwnNode = { folder: ReturnType<typeof temporaryFolder>; node: Anvil };

/** A chain that is not the service's own, for the tests of one `describe`. */
export function useOwnNode(): OwnNode {
  const own = {} as OwnNode;
  before(async () => {
    own.folder = temporaryFolder();
    own.node = await startAnvil(join(own.folder.path, "node"));
  });
  after(async () => {
    await own.node.stop();
    own.folder.dispose();
  });
  return own;
}
