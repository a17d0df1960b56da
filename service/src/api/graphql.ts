import { buildSchema } from "graphql";
import { createHandler } from "graphql-http/lib/use/fastify";
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
  app.route({ method: ["GET", "POST"], url: path, schema: { hide: true }, handler: handler as never });
}
