import { eventLog, logParams } from "../../../src/abi/index.ts";
import type { Address, EventFragment, Hex } from "../../../src/protocol/index.ts";
import { artifact } from "../chain/artifacts.ts";
import type { ReadLog } from "../lifecycles/match.ts";
import type { Happening, StoryContract } from "./story.ts";

/** Where a log is in the chain. */
type Place = {
  address: Address;
  blockNumber: number;
  blockHash: Hex;
  logIndex: number;
  transactionHash: Hex;
};

/** The events of a demo contract. */
export function eventsOf(contract: StoryContract): EventFragment[] {
  return artifact(contract).abi.filter((item) => item.type === "event") as unknown as EventFragment[];
}

/**
 * What a watcher reads from the log of a happening: encoded as a contract does it, and decoded as a watcher does it.
 *
 * @throws Error when the contract has no such event.
 */
export function readLogOf({ contract, event, args }: Happening, place: Place): ReadLog {
  const fragment = eventsOf(contract).find(({ name }) => name === event);
  if (fragment === undefined) throw new Error(`${contract} has no event ${event}. Use one of its ABI.`);
  const log = { ...place, ...eventLog(fragment, args, event) };
  return { fragment, log, params: logParams(fragment, log) };
}
