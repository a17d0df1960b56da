import type { FastifyReply } from "fastify";
import { buildSchema } from "graphql";
import { createHandler } from "graphql-http/lib/use/fastify";
import Type from "typebox";
import type { Routes } from "./routes.ts";
import { oneOf, STRICT } from "./schemas.ts";

/** Who the key belongs to, as the account API tells it. */
export type Account = { orgId: string; creTenantId: string; createdAt: string };

/** How a wrong key is told: by the status, in `errors` with a status of 200, or both. */
export const GRAPHQL_AUTH_MODES = ["status", "errors", "both"] as const;

/** What a tester chose under /local/graphql-auth. */
export type GraphqlAuth = { mode: (typeof GRAPHQL_AUTH_MODES)[number] };

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

const Json = Type.Record(Type.String(), Type.Unknown());
const GraphqlRequest = Type.Object(
  {
    query: Type.String({ description: "a query in the language of GraphQL" }),
    variables: Type.Optional(Json),
    operationName: Type.Optional(Type.String()),
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

export function graphqlRoutes(app: Routes, path: string, account: Account): void {
  const handler = createHandler({
    schema: SCHEMA,
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
  app.route({
    method: "POST",
    url: path,
    schema: {
      tags: ["account"],
      operationId: "graphql",
      summary: "Asks the account API",
      body: GraphqlRequest,
      answers: { 200: GraphqlAnswer, 400: GraphqlAnswer, 401: GraphqlAnswer },
    },
    // GraphQL has its own words for what is wrong with a request.
    validatorCompiler: () => () => true,
    handler: handler as never,
  });
  app.route({ method: "GET", url: path, schema: { hide: true }, handler: handler as never });
}

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

/** Below /local: how the account API tells a wrong key from now on. */
export function graphqlAuthRoute(app: Routes, auth: GraphqlAuth): void {
  const Mode = Type.Object({ mode: oneOf(GRAPHQL_AUTH_MODES) }, { title: "GraphqlAuth", ...STRICT });
  app.post(
    "/graphql-auth",
    {
      schema: {
        tags: ["local"],
        operationId: "setGraphqlAuth",
        summary: "Chooses how the account API tells a wrong key: by status, in errors, or both",
        body: Mode,
        answers: { 200: Mode },
      },
    },
    (request) => {
      auth.mode = request.body.mode;
      return { mode: auth.mode };
    },
  );
}
