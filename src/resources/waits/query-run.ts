import { type Abi, decodeFunctionResult, encodeFunctionCall } from "../../abi/index.ts";
import { CrecError } from "../../errors.ts";
import type { CallOptions } from "../../http/index.ts";
import {
  aList,
  anyText,
  anything,
  callable,
  type Kinds,
  like,
  optional,
  options,
  request,
  text,
} from "../../options/index.ts";
import { answeredQuery, decodeQuery, type Verifier, type VerifyResult } from "../../proofs/index.ts";
import type { BlockSelection, Query, QueryStatus } from "../../protocol/index.ts";
import { requireAnswerTo } from "../requests/answer-to.ts";
import type { CreatedQuery, CreateQuery } from "../requests/query-request.ts";
import { WAIT, type WaitOptions } from "./wait.ts";

export type QueryWaitOptions = Omit<WaitOptions<QueryStatus, Query>, "target"> & {
  /**
   * The status to wait for.
   * @default "completed"
   */
  target?: QueryStatus | undefined;
  /** The contract's ABI. With it, the reason of a reverted call names the contract's own errors, too. */
  abi?: Abi | undefined;
};

/** `timeoutMs` bounds the create and the wait, each. */
export type QueryRunOptions = Omit<QueryWaitOptions, "target"> & {
  /** Checks the proof of the answer, and that it answers this query. Without it, the service is believed, if its answer names this query. */
  verifier?: Verifier | undefined;
  /** Called with the id as soon as the query is created. */
  onCreated?: ((created: CreatedQuery) => unknown) | undefined;
};

export type QueryResumeOptions = Omit<QueryRunOptions, "onCreated">;

const QUERY_WAIT: Kinds<QueryWaitOptions> = {
  ...WAIT,
  target: optional(anyText()),
  abi: optional(aList()),
};

const RESUME: Kinds<QueryResumeOptions> = {
  ...QUERY_WAIT,
  verifier: optional(like<Verifier>({ verifyQuery: callable() })),
};

/** @throws {ArgumentError} naming the option. */
export const queryWaitOptions = options<QueryWaitOptions>(QUERY_WAIT);
/** @throws {ArgumentError} naming the option. */
export const queryResumeOptions = options<QueryResumeOptions>(RESUME);
/** @throws {ArgumentError} naming the option. */
export const queryRunOptions = options<QueryRunOptions>({ ...RESUME, onCreated: optional(callable()) });

/** The answer to a query, as the contract returned it. */
export type QueryAnswer = {
  /** The bytes that the contract returned, as hex. */
  data: string;
  /** The block it was read at; `time` in Unix seconds. */
  block: { number: string; hash: string; time: number | string } | undefined;
  /** The completed query. */
  query: Query;
  /** The result of the verifier, which is always positive here. Absent without a verifier. */
  verification?: VerifyResult;
};

/** `QUERY_NOT_VERIFIED`: a query was answered, but the proof of its answer does not hold. */
export class QueryNotVerifiedError extends CrecError {
  override readonly name = "QueryNotVerifiedError";
  /** Why the proof does not hold. */
  readonly verification: VerifyResult & { verified: false };
  /** The query, with the answer that is not proven. */
  readonly query: Query;

  constructor(query: Query, verification: VerifyResult & { verified: false }) {
    const { reason, message } = verification;
    super(
      "QUERY_NOT_VERIFIED",
      `Not proven: ${reason}. ${message} The result was not used. Query ${query.query_id}.`,
    );
    this.verification = verification;
    this.query = query;
  }
}

type RunCalls = {
  create: (query: CreateQuery, options: CallOptions) => Promise<CreatedQuery>;
  waitFor: (queryId: string, options: QueryWaitOptions) => Promise<Query>;
};

/** Creates a query, waits for it and checks its proof: see `Queries.run`. */
export async function runQuery(
  calls: RunCalls,
  channelId: string,
  question: CreateQuery,
  { verifier, onCreated, ...waiting }: QueryRunOptions,
): Promise<QueryAnswer> {
  const { signal, timeoutMs } = waiting;
  const created = await calls.create(question, { signal, timeoutMs });
  const { query_id: queryId } = created;
  await onCreated?.(created);
  return answerOf(calls, channelId, { queryId, question }, { verifier, ...waiting });
}

/** Waits for a query that exists and checks its proof: see `Queries.resume`. */
export async function answerOf(
  calls: Pick<RunCalls, "waitFor">,
  channelId: string,
  { queryId, question }: { queryId: string; question: CreateQuery },
  { verifier, ...waiting }: QueryResumeOptions,
): Promise<QueryAnswer> {
  const query = await calls.waitFor(queryId, waiting);
  const requested = { queryId, chainSelector: question.chain_selector, params: question.params };
  const verification = await verifier?.verifyQuery(query, { channelId, requested });
  if (verification?.verified === false) throw new QueryNotVerifiedError(query, verification);
  if (verification === undefined) requireAnswerTo("query", answeredQuery(query, requested));
  const { result: data = "0x", block } = decodeQuery(query);
  return { data, block, query, ...(verification ? { verification } : {}) };
}

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
