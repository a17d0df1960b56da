import type { FastifyReply, FastifyRequest, onSendHookHandler } from "fastify";
import { buildSchema, parse } from "graphql";
import { createHandler } from "graphql-http/lib/use/fastify";
import Type from "typebox";
import type { GraphqlAuth } from "../injected-failures/graphql-auth.ts";
import { ErrorAnswer } from "./openapi.ts";
import type { Routes } from "./routes.ts";

/** Who the key belongs to, as the account API tells it. */
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

/** The whole account with its organization takes a hundred or so. */
const MOST_TOKENS = 1000;
const MOST_BYTES = 64 * 1024;

const Json = Type.Record(Type.String(), Type.Unknown());
const GraphqlRequest = Type.Object(
  {
    query: Type.String({ description: "a query in the language of GraphQL" }),
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
  { title: "GraphqlAnswer", description: "the result, and what went wrong" },
);

/** In the words of GraphQL, or in those of all other calls. */
function refusal(description: string) {
  return Type.Union([GraphqlAnswer, ErrorAnswer], { description });
}

export function graphqlRoutes(app: Routes, path: string, account: Account): void {
  const answer = createHandler({
    schema: SCHEMA,
    // What checks a query takes time by the square of its length, and by its depth.
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
  // Without the reply in its hands Fastify takes the end of this function for the end of the answer.
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    await answer.call(app as never, request as never, reply as never);
    return reply;
  };
  app.route({
    method: "POST",
    url: path,
    bodyLimit: MOST_BYTES,
    schema: {
      tags: ["account"],
      operationId: "graphql",
      summary: "Asks the account API",
      body: GraphqlRequest,
      answers: {
        200: GraphqlAnswer,
        400: refusal("the request is no GraphQL, or no JSON at all"),
        401: refusal("the API key is missing, malformed or not the right one"),
        406: "`VALIDATION_ERROR`: the answer is JSON, and the header Accept takes none.",
      },
    },
    // GraphQL has its own words for what is wrong with a request.
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

/** What the handler refuses by a status alone. */
const EMPTY_REFUSALS: Readonly<Record<number, string>> = {
  405: "The account API takes POST. Send the query as JSON in the body.",
  406: "The account API answers in JSON. Let the header Accept name application/json or */*.",
  415: "The account API takes JSON. Send the body with the content type application/json.",
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

/** Tells that the key is missing or wrong, as `auth` says. */
export async function refuseAccount(
  reply: FastifyReply,
  message: string,
  { mode }: GraphqlAuth,
): Promise<void> {
  const errors = [{ message, extensions: { code: "UNAUTHENTICATED" } }];
  await reply
    .code(mode === "errors" ? 200 : 401)
    .send(mode === "status" ? { type: "UNAUTHORIZED", message } : { errors });
}
