import type { Context } from "../context.ts";
import { messageOf } from "../problem.ts";
import { LogReader } from "./logs.ts";
import { expireQueries, QueryRunner } from "./query.ts";
import { expireOperations, OperationRelay } from "./relay.ts";
import { WalletDeployer } from "./wallet.ts";

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
  const logs = new LogReader(context, () => wallets.lookForLost());
  const relay = new OperationRelay(context);
  const queries = new QueryRunner(context);
  await wallets.lookForLost();
  pulse.onBeat((heads) => logs.read(heads));
  pulse.onBeat(() => wallets.advance());
  pulse.onBeat((heads) => relay.advance(heads));
  pulse.start();
  queries.resume();
  // By the clock, not by the chain: a chain that is down stops no deadline.
  const expiry = setInterval(() => {
    try {
      expireOperations(context);
      expireQueries(context);
    } catch (error) {
      log.warn(`Trouble with deadlines: ${messageOf(error)}`);
    }
  }, EXPIRY_MS);
  return {
    queries,
    async stop() {
      clearInterval(expiry);
      await Promise.all([queries.stop(), pulse.stop()]);
    },
  };
}
