import { type Abi, decodeFunctionResult, encodeFunctionCall } from "../../abi/index.ts";
import { aList, anything, request, text } from "../../options/index.ts";
import type { BlockSelection } from "../../protocol/index.ts";
import type { QueryAnswer, QueryRunOptions } from "../waits/query-run.ts";
import type { CreateQuery } from "./query-request.ts";

/** A call of a contract's function, by its ABI. */
export type FunctionQuery = Omit<CreateQuery, "params"> & {
  /** The contract's address. */
  address: string;
  /** The contract's ABI. */
  abi: Abi;
  /** Name, or signature where several functions share the name. */
  function: string;
  /** Values in order or by name. */
  args?: readonly unknown[] | Record<string, unknown> | undefined;
  /**
   * The block to read at.
   * @default { type: "latest" }
   */
  block_selection?: BlockSelection | undefined;
  /**
   * The caller, as the contract sees it.
   * @default the zero address
   */
  from_address?: string | undefined;
};

export type FunctionQueryOptions = Omit<QueryRunOptions, "abi">;

/** The answer to a query, decoded. */
export type FunctionAnswer = QueryAnswer & {
  /** One output: the value itself; several: an object by name. Integers are decimal text. */
  value: unknown;
};

const functionQuery = request<FunctionQuery>({
  // The values of the request are checked with the query.
  ...{ chain_selector: anything(), address: anything(), block_selection: anything() },
  ...{ from_address: anything(), idempotency_key: anything(), metadata: anything(), args: anything() },
  abi: aList(),
  function: text,
});

/** Encodes the call, runs it and decodes its answer: see `Queries.call`. */
export async function callFunction(
  run: (query: CreateQuery, options: QueryRunOptions) => Promise<QueryAnswer>,
  question: FunctionQuery,
  options: FunctionQueryOptions,
): Promise<FunctionAnswer> {
  const asked = functionQuery(question, "question");
  const { address, abi, function: name, args, block_selection, from_address, ...rest } = asked;
  const params = {
    contract_address: address,
    call_data: encodeFunctionCall({ abi, function: name, args }).data,
    block_selection: block_selection === undefined ? ({ type: "latest" } as const) : block_selection,
    ...(from_address === undefined ? {} : { from_address }),
  };
  const answer = await run({ ...rest, params }, { ...options, abi });
  return { value: decodeFunctionResult({ abi, function: name, data: answer.data }), ...answer };
}
