import { CrecError } from "../errors.ts";
import { CALL_OPTIONS, type CallOptions, type Transport } from "../http/index.ts";
import { jsonObject, name, optional, options, text } from "../options/index.ts";
import { type GraphqlAnswer, GraphqlError, readGraphql } from "./requests/graphql.ts";

/** The owner of the API key. */
export type AccountDetails = {
  /** The id of the member. */
  memberId: string | null;
  /** The name to show. */
  displayName: string | null;
  /** The email address. */
  emailAddress: string | null;
};

/** What proofs are verified with, as far as the account service knows it. */
export type Organization = {
  /** The `orgId` of a verifier. */
  organizationId: string | null;
  /** The `creTenantId` of a verifier. */
  tenantId: string | null;
};

export type GraphqlOptions = CallOptions & {
  /** The values of the query's variables. */
  variables?: Record<string, unknown> | undefined;
  /** The operation of the document to run, where it has several. */
  operationName?: string | undefined;
};

const graphqlOptions = options<GraphqlOptions>({
  ...CALL_OPTIONS,
  variables: optional(jsonObject),
  operationName: optional(text),
});

const ACCOUNT_DETAILS = "query { getAccountDetails { memberId displayName emailAddress } }";
const ORGANIZATION = "query { getOrganization { organizationId tenantId } }";
/** A query that only reads, so that it may be repeated. */
const READS_ONLY = /^(?:\s|#.*\n)*(?:query\b|\{)(?![\s\S]*\bmutation\b)/;

/** The account's GraphQL service, with the same key. */
export class Account {
  readonly #transport: Transport | undefined;

  constructor(transport: Transport | undefined) {
    this.#transport = transport;
  }

  /**
   * The owner of the API key; `null` when the service does not say.
   * @example
   * const { displayName } = (await client.account.details()) ?? {};
   */
  async details(options?: CallOptions): Promise<AccountDetails | null> {
    type Data = { getAccountDetails?: AccountDetails | null };
    return (await this.query<Data>(ACCOUNT_DETAILS, options)).getAccountDetails ?? null;
  }

  /** Organization and tenant of the API key; `null` when the service does not say. Not every service supports it. */
  async organization(options?: CallOptions): Promise<Organization | null> {
    type Data = { getOrganization?: Organization | null };
    return (await this.query<Data>(ORGANIZATION, options)).getOrganization ?? null;
  }

  /**
   * The whole `data` of any query.
   * @throws {GraphqlError} `GRAPHQL_ERROR` for an answer with errors, with its `data` if it has any; {HttpError}
   * `KEY_REFUSED` also where the answer itself contains the refusal, and as every call; {CrecError} `GRAPHQL_URL_MISSING`.
   * @example
   * type Data = { getAccountDetails: { displayName: string } };
   * const { getAccountDetails } = await client.account.query<Data>("{ getAccountDetails { displayName } }");
   */
  async query<T>(query: string, options?: GraphqlOptions): Promise<T> {
    const { data, errors } = await this.queryPartial<T>(query, options);
    if (errors.length > 0) throw new GraphqlError(errors, { data });
    return data;
  }

  /**
   * The `data` of any query, and the errors of what is missing: for programs that can use a part.
   * @throws {GraphqlError} `GRAPHQL_ERROR` for an answer without data; {HttpError}, {CrecError} as `query`.
   * @example
   * const { data, errors } = await client.account.queryPartial("{ getAccountDetails { displayName } }");
   * for (const { message, path } of errors) show(message, path);
   */
  async queryPartial<T>(query: string, options?: GraphqlOptions): Promise<GraphqlAnswer<T>> {
    name(query, "query");
    const { variables, operationName, ...call } = graphqlOptions(options);
    if (!this.#transport) {
      const message = "The connection has no GraphQL URL. Enter it to read account details.";
      throw new CrecError("GRAPHQL_URL_MISSING", message);
    }
    return this.#transport.request<GraphqlAnswer<T>>({
      ...call,
      method: "POST",
      path: "",
      headers: { accept: "application/graphql-response+json, application/json;q=0.9" },
      body: { query, variables, operationName },
      idempotent: READS_ONLY.test(query),
      read: (answer) => readGraphql(answer, variables),
    });
  }
}
