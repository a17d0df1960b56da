import { eventLog, logParams } from "../../../src/abi/index.ts";
import type { Address, Hex } from "../../../src/protocol/index.ts";
import { eventsOf } from "../chain/demo/contracts.ts";
import type { ReadLog } from "../lifecycles/logs/findings.ts";
import type { Randomness } from "./randomness.ts";

/** The demo contracts whose events stories have. */
export const STORY_CONTRACTS = ["DemoToken", "GuardedToken", "SensorRegistry"] as const;
export type StoryContract = (typeof STORY_CONTRACTS)[number];

/** An event of a contract, as it is before it is reported. */
export type Happening = {
  /** Unix seconds: the time of its block. */
  at: number;
  contract: StoryContract;
  event: string;
  /** By the names of the contract's ABI. */
  args: Readonly<Record<string, unknown>>;
  /** What it is part of, if it should be noticed. */
  label?: string;
};

/** Where a log is in the chain. */
type Place = {
  address: Address;
  blockNumber: number;
  blockHash: Hex;
  logIndex: number;
  transactionHash: Hex;
};

/** What a story is told with. */
type Setting = {
  random: Randomness;
  /** Unix seconds: nothing happens later. */
  until: number;
  /** The account that owns and administers the contracts. */
  admin: Address;
  /** How many channel events a contract's event leads to: one for each confidence. */
  reports: number;
  /** Lets others run. To be awaited in each loop that may be long. */
  pause: Pause;
};

/** Resolves once the work may go on: at once, or when others have run. Rejects when nobody wants the result any more. */
export type Pause = () => Promise<void>;

export type Story = {
  /** What happens, and what of it should be noticed. */
  text: string;
  tell(setting: Setting): Promise<Happening[]>;
};

export const MINUTE = 60;
export const HOUR = 60 * MINUTE;

/** Amounts of tokens of 18 decimals, rounded to hundredths. */
export function tokens(amount: number): bigint {
  return BigInt(Math.round(amount * 100)) * 10n ** 16n;
}

/** Times with pauses around an average. The first one is a pause after `from`, the last one is before `to`. */
export function times(random: Randomness, { from, to, every }: { from: number; to: number; every: number }) {
  const found: number[] = [];
  for (let at = from; ; ) {
    at += Math.max(1, Math.round(every * random.between(0.4, 1.6)));
    if (at >= to) return found;
    found.push(at);
  }
}

/** A transfer of a token. From the zero address it is a mint, to the zero address a burn. */
export function transfer(
  contract: "DemoToken" | "GuardedToken",
  at: number,
  { from, to, amount }: { from: Address; to: Address; amount: number },
): Happening {
  return { at, contract, event: "Transfer", args: { from, to, value: tokens(amount) } };
}

/** Ordinary transfers between wallets: most of them small, the largest 80 tokens. */
export async function ordinaryTransfers(
  contract: "DemoToken" | "GuardedToken",
  { random, pause }: Pick<Setting, "random" | "pause">,
  span: { from: number; to: number; every: number },
): Promise<Happening[]> {
  const wallets = random.addresses(40);
  const made: Happening[] = [];
  for (const at of times(random, span)) {
    await pause();
    const from = random.pick(wallets);
    const to = random.pick(wallets.filter((wallet) => wallet !== from));
    made.push(transfer(contract, at, { from, to, amount: random.mostlySmall(0.5, 80) }));
  }
  return made;
}

/** The id of a sensor: its name, filled up with zeros. */
export function sensorId(name: string): Hex {
  return `0x${Buffer.from(name).toString("hex").padEnd(64, "0")}`;
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
