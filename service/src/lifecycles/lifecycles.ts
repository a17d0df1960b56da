import { setImmediate as yieldToOthers } from "node:timers/promises";
import { DEPLOYED_NAMES, deployedContracts } from "../chain/demo/contracts.ts";
import { fundRelayer, type Sender } from "../chain/relayer.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import { ClockWatch } from "./chain-health.ts";
import { LogReader } from "./logs/reader.ts";
import { expireOperations, OperationRelay } from "./operations/relay.ts";
import { expireQueries, QueryRunner } from "./query.ts";
import { WalletDeployer } from "./wallet.ts";

/** Deadlines and times to live are in whole seconds. */
const EXPIRY_MS = 500;

export type Lifecycles = {
  queries: QueryRunner;
  /** Resolves when no lifecycle runs any more. */
  stop(): Promise<void>;
};

/** Starts everything that runs by itself. */
export async function startLifecycles(
  context: Context,
  { stuckMs }: { stuckMs?: number | undefined } = {},
): Promise<Lifecycles> {
  const { ticker, log } = context;
  const wallets = new WalletDeployer(context);
  const relay = new OperationRelay(context);
  const onRewind = async () => {
    await context.relayer.exclusively((sender) => restoreContracts(context, sender));
    await wallets.findLost();
  };
  const logs = new LogReader(context, { onRewind, stuckMs });
  const queries = new QueryRunner(context);
  await wallets.findLost();
  const clock = new ClockWatch(log);
  ticker.onTick(async (heads) => clock.check(heads));
  ticker.onTick(async (heads) => context.finality.check(heads));
  ticker.onTick(() => context.relayer.funds.watch());
  ticker.onTick((heads) => logs.read(heads));
  ticker.onTick(() => wallets.advance());
  ticker.onTick((heads) => relay.advance(heads));
  ticker.start();
  queries.resume();
  // By the clock, not by the chain: deadlines also pass while the chain is down.
  const expiry = setInterval(() => {
    void expire(context).catch((error: unknown) =>
      log.warn(`Deadlines could not be checked: ${messageOf(error)}`),
    );
  }, EXPIRY_MS);
  return {
    queries,
    async stop() {
      clearInterval(expiry);
      await Promise.all([queries.stop(), ticker.stop()]);
    },
  };
}

/** Thousands may be due together: it yields between them. */
async function expire(context: Context): Promise<void> {
  while (!context.ticker.isStopped && expireOperations(context) + expireQueries(context) > 0)
    await yieldToOthers();
}

/** A chain that was reset may have lost the demo contracts, and the coins that pay for them. */
export async function restoreContracts(context: Context, sender: Sender): Promise<void> {
  const { chain, relayer, store, contracts, log } = context;
  if (chain.isDevelopment) await fundRelayer(chain, relayer.address);
  const before = { ...contracts };
  Object.assign(contracts, await deployedContracts(chain, sender, store.settings));
  for (const name of DEPLOYED_NAMES) {
    if (contracts[name] !== before[name]) {
      log.warn(
        `The chain has lost the contract ${name}; it is at ${contracts[name]} now, not at ${before[name]}.`,
      );
    }
  }
}
