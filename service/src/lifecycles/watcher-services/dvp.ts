import { snakeCase } from "../../../../src/abi/wire-values.ts";
import { extensionService } from "./extension-service.ts";
import { readFunction } from "./read-function.ts";
import type { WatcherService } from "./service.ts";

/** `dvp`: settlements. `data`: `{settlement_id, settlement_hash, dvp}`, the last as the contract has it. */
export const dvp: WatcherService = {
  ...extensionService("dvp"),
  async dataOf(chain, { address, params }) {
    const { settlement_id, settlement_hash } = params;
    const call = { contract: "DemoDvp", functionName: "getSettlement", args: [settlement_hash] } as const;
    const found = await readFunction(chain, address, call);
    return {
      settlement_id,
      settlement_hash,
      ...(found === undefined ? {} : { dvp: inSnakeCase(found.value as object) }),
    };
  },
};

/** Integers as numbers of the wire, which rounds large ones. */
function inSnakeCase(value: object): Record<string, unknown> {
  const entries = Object.entries(value).map(([key, part]: [string, unknown]) => {
    if (typeof part === "bigint") return [snakeCase(key), Number(part)];
    return [snakeCase(key), typeof part === "object" && part !== null ? inSnakeCase(part) : part];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}
