import { type Abi, decodeFunctionResult, encodeFunctionCall } from "../abi/index.ts";
import { CrecError } from "../errors.ts";
import { decodeQuery, type Verifier, type VerifyResult } from "../proofs/index.ts";
import type { BlockSelection, Query } from "../protocol/index.ts";
import type { CreateQuery, Queries, QueryWaitOptions } from "./queries.ts";

/** A function of a contract to ask, by its ABI. */
export type FunctionQuery = Omit<CreateQuery, "params"> & {
  /** The contract's address. */
  address: string;
  abi: Abi;
  /** Name, or signature where several share the name. */
  function: string;
  /** Values in order or by name. */
  args?: readonly unknown[] | Record<string, unknown> | undefined;
  /** Default: latest. */
  block_selection?: BlockSelection | undefined;
  /** Whose call it is to be, as the contract sees it. Default: the zero address. */
  from_address?: string | undefined;
};

export type FunctionQueryOptions = Omit<QueryWaitOptions, "target" | "abi"> & {
  /** Checks the proof of the answer, and that it answers this very question. Without it the answer is only claimed. */
  verifier?: Verifier | undefined;
};

export type FunctionAnswer = {
  /** One output: the value itself; several: an object by name. Integers are decimal text. */
  value: unknown;
  /** Where it was read; `time` in Unix seconds. */
  block: { number: string; hash: string; time: number | string } | undefined;
  /** The bytes the contract returned, as hex. */
  data: string;
  query: Query;
  /** Only with a verifier; then always of a proven answer. */
  verification?: VerifyResult;
};

/** Asks, waits, checks and decodes: see `Queries.call`. */
export async function callFunction(
  queries: Queries,
  channelId: string,
  question: FunctionQuery,
  { verifier, ...waiting }: FunctionQueryOptions,
): Promise<FunctionAnswer> {
  const { address, abi, function: name, args, block_selection, from_address, ...rest } = question;
  const request = {
    ...rest,
    params: {
      contract_address: address,
      call_data: encodeFunctionCall({ abi, function: name, args }).data,
      block_selection: block_selection ?? ({ type: "latest" } as const),
      ...(from_address === undefined ? {} : { from_address }),
    },
  };
  const { query_id: queryId } = await queries.create(channelId, request, {
    signal: waiting.signal,
    timeoutMs: waiting.timeoutMs,
  });
  const query = await queries.waitFor(channelId, queryId, { ...waiting, abi });
  const asked = { queryId, chainSelector: request.chain_selector, params: request.params };
  const verification = await verifier?.verifyQuery(query, { channelId, requested: asked });
  if (verification?.verified === false) throw notVerified(queryId, verification);
  const { result: data = "0x", block } = decodeQuery(query);
  const value = decodeFunctionResult({ abi, function: name, data });
  return { value, block, data, query, ...(verification ? { verification } : {}) };
}

function notVerified(queryId: string, { reason, message }: VerifyResult & { verified: false }): CrecError {
  return new CrecError(
    "QUERY_NOT_VERIFIED",
    `The result of the query ${queryId} is not proven (${reason}): ${message}`,
  );
}
