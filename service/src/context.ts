import type { Confidence } from "../../src/protocol/index.ts";
import type { Chain } from "./chain/chain.ts";
import type { Deployed } from "./chain/demo/contracts.ts";
import type { Relayer } from "./chain/relayer.ts";
import type { Following, Ticker } from "./chain/ticker.ts";
import type { InjectedFailures } from "./injected-failures/index.ts";
import type { FinalityWatch } from "./lifecycles/chain-health.ts";
import type { SkippedLogs } from "./lifecycles/logs/skipped.ts";
import type { Log } from "./log.ts";
import type { OracleNetwork } from "./oracles/network.ts";
import type { Store } from "./store/store.ts";

/** What the parts of a running service share. */
export type Context = {
  store: Store;
  chain: Chain;
  relayer: Relayer;
  ticker: Ticker;
  oracles: OracleNetwork;
  contracts: Deployed;
  /** Levels at which a watcher reports each log. */
  confidences: readonly Confidence[];
  /** Checks that the chain reaches them. */
  finality: FinalityWatch;
  /** Whether the chain is followed. */
  following: Following;
  /** Logs that watchers could not report. */
  skipped: SkippedLogs;
  /** Whether everything that the public service does not support is refused, omitted or ignored. */
  strict: boolean;
  /** What a tester makes go wrong. */
  injected: InjectedFailures;
  /** How long a transaction that cannot be paid for waits for coins before it fails. */
  refillMs: number;
  log: Log;
};
