import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import type { ReadyInfo } from "../../../service/src/index.ts";
import { type CrecClient, decodeEvent, dedupeKey } from "../../../src/index.ts";
import { signedFacts } from "../../../src/proofs/index.ts";

const topic = (signature: string) => Hash.keccak256(Hex.fromString(signature));
const TRANSFER = topic("Transfer(address,address,uint256)");
const INCREMENTED = topic("Incremented(address,uint256,uint256)");
const EXECUTED = topic("OperationExecuted(uint256)");

type Log = { transactionHash: string; logIndex: string; data: string; topics: string[] };

/** What really happened, by the chain and by the service itself, without the relay. */
export type Truth = {
  /** The decoded contract events by their key, as JSON. */
  events: ReadonlyMap<string, string>;
  /** Those of them that are final: each must arrive. */
  final: ReadonlySet<string>;
  /** The decoded proven statuses of operations, as JSON. */
  statuses: ReadonlySet<string>;
  /** The value of each transfer, by transaction and log. */
  transfers: ReadonlyMap<string, string>;
  /** The amount of each operation that the wallet executed, in their order. */
  executed: readonly string[];
  /** The ids of these operations. */
  executedIds: ReadonlySet<string>;
  /** The amount in each operation of the service. */
  requested: readonly string[];
  /** The newest offsets of the channel that is watched, and of that of the operations. */
  offset: number;
  followed: number;
};

type Places = { ready: ReadyInfo; wallet: string; watched: string; operations: string };

export async function truthOf(
  direct: CrecClient,
  { ready, wallet, watched, operations }: Places,
): Promise<Truth> {
  const { DemoToken = "", Counter = "" } = ready.contracts;
  const [transfers, added, ids] = await Promise.all([
    logsOf(ready, DemoToken, [TRANSFER]),
    logsOf(ready, Counter, [INCREMENTED, Hex.padLeft(wallet as Hex.Hex, 32).toLowerCase()]),
    logsOf(ready, wallet, [EXECUTED]),
  ]);
  const events = new Map<string, string>();
  const final = new Set<string>();
  let offset = 0;
  for await (const event of direct.events.search(watched, {})) {
    offset = Math.max(offset, event.headers.offset);
    if (event.headers.type !== "watcher.event") continue;
    const key = dedupeKey(event);
    events.set(key, signedPartOf(decodeEvent(event)));
    if (signedFacts(event).confidence === "finalized") final.add(key);
  }
  const statuses = new Set<string>();
  let followed = 0;
  for await (const event of direct.events.search(operations, { type: ["operation.status"] })) {
    followed = Math.max(followed, event.headers.offset);
    statuses.add(signedPartOf(decodeEvent(event)));
  }
  const requested: string[] = [];
  for await (const { transactions } of direct.operations.list(operations, {})) {
    for (const { data } of transactions) requested.push(String(BigInt(`0x${data.slice(10)}`)));
  }
  return {
    ...{ events, final, statuses, requested, offset, followed },
    transfers: new Map(
      transfers.map(({ transactionHash, logIndex, data }) => [
        placeOf(transactionHash, Number(logIndex)),
        String(BigInt(data)),
      ]),
    ),
    executed: added.map(({ data }) => String(BigInt(data.slice(0, 66)))),
    executedIds: new Set(ids.map(({ topics }) => String(BigInt(topics[1] ?? "0")))),
  };
}

export function placeOf(transactionHash: string, logIndex: number): string {
  return `${transactionHash.toLowerCase()}:${logIndex}`;
}

/** Without what the documentation names as unsigned. */
export function signedPartOf(payload: unknown): string {
  const { watcherId, operationId, ...signed } = payload as Record<string, unknown>;
  return JSON.stringify(signed);
}

async function logsOf({ rpc_url }: ReadyInfo, address: string, topics: readonly string[]): Promise<Log[]> {
  const params = [{ fromBlock: "0x0", toBlock: "latest", address, topics }];
  const response = await fetch(rpc_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params }),
  });
  return ((await response.json()) as { result: Log[] }).result;
}
