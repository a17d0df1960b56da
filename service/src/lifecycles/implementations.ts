import { setTimeout } from "node:timers/promises";
import type { ShownTransaction, WireTransaction } from "../../../src/protocol/index.ts";
import { implementationOf } from "../chain/implementation.ts";
import type { Context } from "../context.ts";
import type { StoredOperation } from "../store/operations.ts";

/**
 * The calls of a draft, those of proxies with the implementation that they have now: a person approves what they do, and
 * they may be upgraded until the draft is finalized. Where the chain does not answer, it is left out.
 */
export function withImplementations<T extends WireTransaction>(
  context: Context,
  transactions: readonly T[],
): Promise<T[]> {
  return Promise.all(
    transactions.map(async (call) => {
      const implementation = await currentOf(context, call.to);
      return implementation === undefined ? call : { ...call, implementation };
    }),
  );
}

/** The same operation; until it is on its way, with what proxies were upgraded to since it was drafted. */
export async function withUpgrades(context: Context, operation: StoredOperation): Promise<StoredOperation> {
  if (operation.status !== "pending_signature" && operation.status !== "accepted") return operation;
  const transactions = await Promise.all(
    operation.transactions.map(async (call): Promise<ShownTransaction> => {
      if (call.implementation === undefined) return call;
      const upgraded_to = await currentOf(context, call.to);
      const isSame = upgraded_to === undefined || upgraded_to === call.implementation;
      return isSame ? call : { ...call, upgraded_to };
    }),
  );
  return { ...operation, transactions };
}

/** A draft does not wait for a chain that hangs. */
const ASK_MS = 2_000;

async function currentOf({ chain }: Context, address: string): Promise<string | undefined> {
  const late = new AbortController();
  const told = implementationOf(chain, address).catch(() => undefined);
  const none = setTimeout(ASK_MS, undefined, { signal: late.signal }).catch(() => undefined);
  return Promise.race([told, none]).finally(() => late.abort());
}
