import type { FastifyReply, FastifyRequest, onSendHookHandler } from "fastify";
import { buildSchema, parse } from "graphql";
import { createHandler } from "graphql-http/lib/use/fastify";
import Type from "typebox";
import type { GraphqlAuth } from "../injected-failures/index.ts";
import { documented, ErrorAnswer } from "./openapi.ts";
import type { Routes } from "./routes.ts";

/** The owner of the key, as the account API returns it. */
export type Account = { orgId: string; creTenantId: string; createdAt: string };

const SCHEMA = buildSchema(`
  type AccountDetails {
    memberId: String
    displayName: String
    emailAddress: String
    userId: String
    organizationId: String
    memberType: String
    memberStatus: String
    createdAt: String
  }
  type Organization {
    organizationId: String
    tenantId: String
    displayName: String
  }
  type Query {
    getAccountDetails: AccountDetails
    getOrganization: Organization
  }
`);

/** A query for everything takes about a hundred tokens. */
const MOST_TOKENS = 1000;
const MOST_BYTES = 64 * 1024;

const Json = Type.Record(Type.String(), Type.Unknown());
const GraphqlRequest = Type.Object(
  {
    query: Type.String({ description: "a GraphQL query" }),
    variables: Type.Optional(Type.Union([Json, Type.Null()])),
    operationName: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    extensions: Type.Optional(Type.Union([Json, Type.Null()])),
  },
  { title: "GraphqlRequest" },
);
const GraphqlAnswer = Type.Object(
  {
    data: Type.Optional(Type.Union([Json, Type.Null()])),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          message: Type.String(),
          locations: Type.Optional(Type.Array(Json)),
          path: Type.Optional(Type.Array(Type.Unknown())),
          extensions: Type.Optional(Json),
        }),
      ),
    ),
  },
  { title: "GraphqlAnswer", description: "the result and the errors" },
);

/** As a GraphQL error, or as an error of all other calls. */
function refusal(description: string) {
  return Type.Union([GraphqlAnswer, ErrorAnswer], { description });
}

export function graphqlRoutes(app: Routes, path: string, account: Account): void {
  const answer = createHandler({
    schema: SCHEMA,
    // Validation takes quadratic time in the length of a query.
    parse: (source) => parse(source, { maxTokens: MOST_TOKENS }),
    rootValue: {
      getAccountDetails: () => ({
        memberId: "member_local",
        displayName: "Local developer",
        emailAddress: "developer@localhost",
        userId: "user_local",
        organizationId: account.orgId,
        memberType: "API_KEY",
        memberStatus: "ACTIVE",
        createdAt: account.createdAt,
      }),
      getOrganization: () => ({
        organizationId: account.orgId,
        tenantId: account.creTenantId,
        displayName: "Local organization",
      }),
    },
  });
  // Fastify sends nothing itself when the handler returns the reply.
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    await answer.call(app as never, request as never, reply as never);
    return reply;
  };
  app.route({
    method: "POST",
    url: path,
    bodyLimit: MOST_BYTES,
    ...documented("account", "graphql", {
      summary: "Queries the account API",
      body: GraphqlRequest,
      answers: {
        200: GraphqlAnswer,
        400: refusal("the request is not GraphQL, or not JSON"),
        401: refusal("the API key is missing, malformed or not the right one"),
        406: "`VALIDATION_ERROR`: the answer is JSON, and the header Accept does not allow it.",
      },
    }),
    // GraphQL reports invalid requests itself.
    validatorCompiler: () => () => true,
    handler,
    onSend: fillEmptyRefusal,
  });
  app.route({
    method: "GET",
    url: path,
    schema: { hide: true },
    handler,
    onSend: fillEmptyRefusal,
  });
}

/** Statuses that the handler answers without a body. */
const EMPTY_REFUSALS: Readonly<Record<number, string>> = {
  405: "The account API accepts only POST. Send the query as JSON in the body.",
  406: "The account API answers in JSON. Set the header Accept to application/json or */*.",
  415: "The account API accepts only JSON. Send the body with the content type application/json.",
};

const fillEmptyRefusal: onSendHookHandler = (_request, reply, payload, done) => {
  const isEmpty = payload === undefined || payload === null || payload === "";
  if (reply.statusCode < 400 || !isEmpty) {
    done(null, payload);
    return;
  }
  const message = EMPTY_REFUSALS[reply.statusCode] ?? "The account API refuses this request.";
  reply.type("application/json; charset=utf-8");
  done(null, JSON.stringify({ type: "VALIDATION_ERROR", message }));
};

/** Reports a missing or wrong key in the way that `auth` says. */
export function refuseAccount(reply: FastifyReply, message: string, { mode }: GraphqlAuth): void {
  const errors = [{ message, extensions: { code: "UNAUTHENTICATED" } }];
  reply
    .code(mode === "errors" ? 200 : 401)
    .send(mode === "status" ? { type: "UNAUTHORIZED", message } : { errors });
}
