import { processWide } from "../process-wide.ts";
import { setNewest } from "../shared/collections.ts";
import { ADDRESS } from "../shared/field-checks.ts";

/** An address that an event named: `parameter` of an event `event`, such as `to` of `Transfer`. */
type RecentAddress = { address: string; chainSelector: string; parameter: string; event: string };

/** More than a person looks through. */
const MOST = 30;
const ZERO_ADDRESS = /^0x0{40}$/;

const kept = processWide("recent-addresses", () => new Map<string, RecentAddress>());

/** Remembers the addresses in the parameters of a decoded event, for the forms. They are only in memory. */
export function noteAddresses(decoded: object): void {
  const { name, params, chainSelector } = decoded as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || typeof params !== "object" || params === null) return;
  for (const [parameter, value] of Object.entries(params)) {
    if (typeof value !== "string" || !ADDRESS.test(value) || ZERO_ADDRESS.test(value)) continue;
    const key = value.toLowerCase();
    const recent = { address: value, chainSelector: String(chainSelector ?? ""), parameter, event: name };
    setNewest(kept, key, recent, MOST);
  }
}

/** The newest first. */
export function recentAddresses(): RecentAddress[] {
  return [...kept.values()].reverse();
}
