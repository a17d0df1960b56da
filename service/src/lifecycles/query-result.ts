import type { QueryErrorCode, VerifiableResult } from "../../../src/protocol/index.ts";
import type { Block } from "../chain/chain-data.ts";
import type { StoredQuery } from "../store/queries.ts";
import { now, rfc3339 } from "../time.ts";

type Data = VerifiableResult["data"];
/** What a call returned, or why not. */
export type Result = { returned: string } | { error: NonNullable<Data["error"]> };
/** The same, with the block that it is about where there is one. */
export type Outcome = { resolved?: Block } & Result;

/** The statement that the oracles sign about a query. */
export function statement(query: StoredQuery, outcome: Outcome): VerifiableResult {
  const { resolved } = outcome;
  const { block_selection, ...target } = query.params;
  return {
    service: "_crec",
    name: "ChainQuery",
    chain_selector: query.chain_selector,
    timestamp: rfc3339(now()),
    data: {
      query_id: query.query_id,
      channel_id: query.channel_id,
      query_kind: query.query_kind,
      target: {
        from_address: target.from_address,
        contract_address: target.contract_address,
        call_data: target.call_data,
      },
      block_selection: {
        requested: block_selection,
        ...(resolved === undefined
          ? {}
          : {
              resolved: {
                block_number: String(resolved.number),
                block_hash: resolved.hash,
                block_timestamp: resolved.timestamp,
              },
            }),
      },
      ...("returned" in outcome
        ? { result: { raw_return_data: outcome.returned } }
        : { error: outcome.error }),
    },
  };
}

export function failure(code: QueryErrorCode, message: string): { error: NonNullable<Data["error"]> } {
  return { error: { code, message } };
}
