import { CrecError } from "../errors.ts";
import {
  type Answer,
  answerDetails,
  type CallOptions,
  excerpt,
  HttpError,
  keyRefusal,
  readAnswer,
  type Transport,
  tryParse,
} from "../http/index.ts";
import { isObject } from "./answers.ts";

export type AccountDetails = {
  memberId: string | null;
  displayName: string | null;
  emailAddress: string | null;
};
export type GraphqlOptions = CallOptions & {
  variables?: Record<string, unknown> | undefined;
  /** Which operation of the document to run, where it has several. */
  operationName?: string | undefined;
};

const ACCOUNT_DETAILS = "query { getAccountDetails { memberId displayName emailAddress } }";
/** Reads only, so that it may be asked again. */
const READS_ONLY = /^\s*(?:query\b|\{)(?![\s\S]*\bmutation\b)/;

/** The account's GraphQL service, with the same key. */
export class Account {
  readonly #transport: Transport | undefined;

  constructor(transport: Transport | undefined) {
    this.#transport = transport;
  }

  /** Who the key belongs to; `null` when the service does not say. */
  async details(options?: CallOptions): Promise<AccountDetails | null> {
    type Data = { getAccountDetails?: AccountDetails | null };
    return (await this.query<Data>(ACCOUNT_DETAILS, options)).getAccountDetails ?? null;
  }

  /**
   * The `data` of any query.
   * @throws {HttpError} `GRAPHQL_ERROR` for an answer with errors, `KEY_REFUSED` wherever the refusal stands,
   * and as every call; {CrecError} `GRAPHQL_URL_MISSING`.
   */
  async query<T>(query: string, options: GraphqlOptions = {}): Promise<T> {
    if (!this.#transport) {
      const message = "The connection has no GraphQL URL. Enter it to ask for account details.";
      throw new CrecError("GRAPHQL_URL_MISSING", message);
    }
    const { variables, operationName, ...callOptions } = options;
    return this.#transport.request<T>({
      ...callOptions,
      method: "POST",
      path: "",
      headers: { accept: "application/graphql-response+json, application/json;q=0.9" },
      body: { query, variables, operationName },
      idempotent: READS_ONLY.test(query),
      read: readGraphql,
    });
  }
}

type GraphqlBody = { data?: unknown; errors?: unknown };
type GraphqlError = { message?: unknown; extensions?: { code?: unknown } };

/** A failure may stand in the status, in `errors`, or in both: the body says more, so it is read first. */
function readGraphql(answer: Answer): unknown {
  const { data, errors } = (tryParse(answer.text) ?? {}) as GraphqlBody;
  const failures = Array.isArray(errors) ? (errors.filter(isObject) as GraphqlError[]) : [];
  if (answer.status === 401 || answer.status === 403 || failures.some(isRefusal(answer.status))) {
    throw keyRefusal(answerDetails(answer));
  }
  if (answer.status === 429 || answer.status >= 500) return readAnswer(answer);
  const [first] = failures;
  if (first) {
    const said = excerpt(answer, String(first.message ?? "nothing more"));
    const message = `The GraphQL service could not answer the query. Correct the query or its variables. It said: ${said}`;
    throw new HttpError("GRAPHQL_ERROR", message, answerDetails(answer));
  }
  if (data === undefined || data === null) return readAnswer({ ...answer, text: "" });
  return data;
}

const REFUSAL_CODE = /^(UNAUTHENTICATED|UNAUTHORIZED|FORBIDDEN|INVALID_API_KEY|AUTHENTICATION_\w+)$/i;
const REFUSAL_WORDS =
  /\b(unauthenticated|unauthori[sz]ed|not authenticated|authentication (is )?(failed|required)|(invalid|missing|expired|unknown) api key|api key (is )?(invalid|missing|expired|unknown|required|not valid))\b/i;
/** Names of the query that a server quotes: a field may be called `unauthorized`. */
const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;

function isRefusal(status: number): (error: GraphqlError) => boolean {
  return ({ message, extensions }) => {
    const code = String(extensions?.code ?? "");
    if (code !== "") return REFUSAL_CODE.test(code);
    // Not every server gives a code. A 400 is about the query itself.
    return status !== 400 && REFUSAL_WORDS.test(String(message).replace(QUOTED, ""));
  };
}
