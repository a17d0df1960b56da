import { setImmediate as turn } from "node:timers/promises";
import { DEPLOYED_NAMES, deployedContracts } from "../chain/demo-contracts.ts";
import { fundRelayer, type Sender } from "../chain/relayer.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../problem.ts";
import { ClockWatch } from "./clock.ts";
import { LogReader } from "./logs.ts";
import { expireQueries, QueryRunner } from "./query.ts";
import { expireOperations, OperationRelay } from "./relay.ts";
import { WalletDeployer } from "./wallet-deployment.ts";

/** Deadlines and times to live are in whole seconds. */
const EXPIRY_MS = 500;

export type Lifecycles = {
  queries: QueryRunner;
  /** Nothing moves any more when it resolves. */
  stop(): Promise<void>;
};

/** Sets everything moving that moves by itself. */
export async function startLifecycles(context: Context): Promise<Lifecycles> {
  const { pulse, log } = context;
  const wallets = new WalletDeployer(context);
  const relay = new OperationRelay(context);
  const logs = new LogReader(context, async () => {
    await context.relayer.exclusively((sender) => restoreContracts(context, sender));
    await wallets.lookForLost();
  });
  const queries = new QueryRunner(context);
  await wallets.lookForLost();
  const clock = new ClockWatch(log);
  pulse.onBeat(async (heads) => clock.look(heads));
  pulse.onBeat(async (heads) => context.finality.look(heads));
  pulse.onBeat(() => context.relayer.funds.watch());
  pulse.onBeat((heads) => logs.read(heads));
  pulse.onBeat(() => wallets.advance());
  pulse.onBeat((heads) => relay.advance(heads));
  pulse.start();
  queries.resume();
  // By the clock, not by the chain: a chain that is down stops no deadline.
  const expiry = setInterval(() => {
    void expire(context).catch((error: unknown) =>
      log.warn(`Deadlines could not be looked at: ${messageOf(error)}`),
    );
  }, EXPIRY_MS);
  return {
    queries,
    async stop() {
      clearInterval(expiry);
      await Promise.all([queries.stop(), pulse.stop()]);
    },
  };
}

/** Thousands may be due at once: others get their turns between. */
async function expire(context: Context): Promise<void> {
  while (!context.pulse.isStopped && expireOperations(context) + expireQueries(context) > 0) await turn();
}

/** A chain that went back may have lost our own contracts, and the coins that pay for them. */
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
