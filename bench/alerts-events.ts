import type { CreateAlertRuleOptions } from "../src/index.ts";
import { sized } from "./sized.ts";

/** Half of the events come from few senders; the others once from each of all. */
const BUSY = 100;
export const EVENTS = sized(20_000, 2_000);
export const KEYS = sized(10_000, 1_000);
const CHAIN = "16015286601757825753";
/** All within ten minutes, so that busy senders reach the limit. */
const EVENTS_PER_SECOND = 50;
const STARTED_AT = 1_780_000_000;

export type BenchEvent = {
  decoded: { name: string; params: Record<string, string>; blockTime: number };
  dedupeKey: string;
};

/** Three times within ten minutes for each sender, then quiet for ten minutes. Of the busy senders some do not match. */
export const RULE = {
  conditions: [{ field: "params.value", is: "atLeast", value: "500" }],
  when: { kind: "count", times: 3, withinMs: 600_000 },
  forEach: "params.from",
  quietMs: 600_000,
} as const satisfies Partial<CreateAlertRuleOptions>;

export function benchEvent(index: number): BenchEvent {
  const isBusy = index % 2 === 0;
  const sender = isBusy ? (index / 2) % BUSY : (index - 1) / 2;
  const value = isBusy ? (index * 7) % 1_000 : 1_000;
  return {
    decoded: {
      name: "Transfer",
      params: { from: `0x${sender.toString(16).padStart(40, "0")}`, value: `${value}` },
      blockTime: STARTED_AT + Math.floor(index / EVENTS_PER_SECOND),
    },
    dedupeKey: `${CHAIN}:0x${index.toString(16).padStart(64, "0")}:0:latest`,
  };
}

/** The same as the text of a function, for a function node. */
export const BENCH_EVENT_CODE = `
  const isBusy = index % 2 === 0;
  const sender = isBusy ? (index / 2) % ${BUSY} : (index - 1) / 2;
  const value = isBusy ? (index * 7) % 1000 : 1000;
  const hash = "0x" + index.toString(16).padStart(64, "0");
  return {
    topic: "0x" + sender.toString(16).padStart(40, "0"),
    payload: {
      name: "Transfer",
      params: { from: "0x" + sender.toString(16).padStart(40, "0"), value: String(value) },
      blockTime: ${STARTED_AT} + Math.floor(index / ${EVENTS_PER_SECOND}),
      transactionHash: hash,
    },
    crec: { eventId: hash, dedupeKey: "${CHAIN}:" + hash + ":0:latest" },
  };`;
