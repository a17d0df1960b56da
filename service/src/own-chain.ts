import { KNOWN_CHAINS } from "../../src/protocol/index.ts";
import { type Anvil, startAnvil } from "./chain/anvil/anvil.ts";
import { Chain } from "./chain/chain.ts";
import type { Context } from "./context.ts";
import { messageOf } from "./errors.ts";
import { restoreContracts } from "./lifecycles/lifecycles.ts";
import type { Log } from "./log.ts";
import type { Store } from "./store/store.ts";

/** Blocks to mine before `safe` or `finalized` is asked for: after a restart their state is missing until then. */
const WARM_UP_BLOCKS = 9;
const ANVIL_CHAIN_ID = "31337";

type ChainOptions = {
  store: Store;
  log: Log;
  createdAt: number;
  /** A node to use instead of an anvil. */
  rpcUrl: string | undefined;
  chainPort: number;
  chainSelector: string | undefined;
};

/**
 * Connects to the given node, or to an anvil that is started from its saved state in `folder`. Blocks that the store has
 * not read yet are kept.
 *
 * @throws ServiceProblem as `startAnvil` and `Chain.connect`.
 */
export async function startChain(
  folder: string,
  { store, rpcUrl, chainPort: port, ...options }: ChainOptions,
): Promise<{ anvil: Anvil | undefined; chain: Chain }> {
  const { log } = options;
  let anvil: Anvil | undefined;
  if (rpcUrl === undefined) {
    log.info("Starting the local chain (anvil).");
    anvil = await startAnvil(folder, { log, port, neededAfter: () => readUpTo(store) });
  }
  try {
    const chain = await Chain.connect(anvil?.rpcUrl ?? rpcUrl ?? "", options);
    if (anvil !== undefined) anvil.exclusively = (work) => chain.alone(work);
    return { anvil, chain };
  } catch (error) {
    await anvil?.stop();
    throw error;
  }
}

/** Call it at each start of a chain that makes blocks on request. */
export async function warmUp(chain: Chain): Promise<void> {
  if (chain.minesOnRequest) await chain.mine(WARM_UP_BLOCKS);
}

/** Restores what the chain loses by a kill, and drops its old blocks from time to time. */
export function keepOwnChain(anvil: Anvil, context: Context): void {
  anvil.onEnd = (restarted) => void restoreAfter(restarted, context);
  // In a tick, nothing else makes blocks.
  context.ticker.onTick(() => renewIfLong(anvil, context));
}

/** The block of the own chain up to which its logs are reported at all levels. */
function readUpTo(store: Store): number {
  const own = KNOWN_CHAINS.find(({ chainId }) => chainId === ANVIL_CHAIN_ID);
  const positions = store.positions(own?.chainSelector ?? "");
  const levels = (["latest", "safe", "finalized"] as const).map((level) => positions.get(level));
  return Math.min(...levels.map((block) => block ?? Number.POSITIVE_INFINITY));
}

/** Restores what a killed chain may have lost, before anything else is sent to it. */
async function restoreAfter(restarted: Promise<boolean>, context: Context): Promise<void> {
  const { chain, relayer, log } = context;
  await relayer
    .exclusively(async (sender) => {
      if (!(await restarted)) return;
      await warmUp(chain);
      await restoreContracts(context, sender);
    })
    .catch((error: unknown) =>
      log.warn(`What the chain lost at its restart could not be restored: ${messageOf(error)}`),
    );
}

/** A chain that runs for days under traffic must drop its old blocks from time to time. */
async function renewIfLong(anvil: Anvil, { chain, relayer }: Context): Promise<void> {
  if (!anvil.isLong) return;
  await relayer.exclusively(async () => {
    await emptyPool(chain);
    if (await anvil.renew()) await warmUp(chain);
  });
}

/** Waiting transactions are not in a saved state. Some may never get into a block, so the tries are limited. */
async function emptyPool(chain: Chain): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    await chain.mine();
    if (Number((await chain.rpc<{ pending: string }>("txpool_status")).pending) === 0) return;
  }
}
