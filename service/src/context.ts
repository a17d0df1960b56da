import type { Confidence } from "../../src/protocol/index.ts";
import type { Absences } from "./absences.ts";
import type { Chain } from "./chain/chain.ts";
import type { Deployed } from "./chain/demo-contracts.ts";
import type { Pulse } from "./chain/pulse.ts";
import type { Relayer } from "./chain/relayer.ts";
import type { Deliveries } from "./deliveries.ts";
import type { FinalityWatch } from "./lifecycles/finality.ts";
import type { Log } from "./log.ts";
import type { OracleNetwork } from "./oracles/network.ts";
import type { Store } from "./store/store.ts";
import type { Trials } from "./trials.ts";

/** What the parts of a running service share. */
export type Context = {
  store: Store;
  chain: Chain;
  relayer: Relayer;
  pulse: Pulse;
  oracles: OracleNetwork;
  contracts: Deployed;
  /** Levels at which a watcher reports each log. */
  confidences: readonly Confidence[];
  /** Whether the chain reaches them. */
  finality: FinalityWatch;
  /** Whether what the public service does not know is refused, left out or ignored. */
  strict: boolean;
  /** What a tester wants to see fail next. */
  trials: Trials;
  /** What a tester wants to be missed just after its create. */
  absences: Absences;
  /** How a tester wants events to come. */
  deliveries: Deliveries;
  /** How long what cannot be paid for waits for coins before it fails. */
  refillMs: number;
  log: Log;
};
