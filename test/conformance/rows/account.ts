import should from "should";
import { workflowOwnerOf } from "../chain.ts";
import type { Answer } from "../client.ts";
import { table } from "../row.ts";
import type { World } from "../world.ts";

export const { rows, row } = table();

const DETAILS = "{ getAccountDetails { memberId displayName emailAddress } }";

const ask = (world: World, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  world.call("POST", world.target.graphqlUrl ?? "", body, headers);

/** Whether an answer says that the key is wrong: by its status, in `errors`, or both. */
const byStatus = ({ status }: Answer) => status === 401 || status === 403;
const byErrors = ({ body }: Answer) => Array.isArray(body?.errors) && body.errors.length > 0;

row("S4 C2", "the account's details have member id, name and address", ["graphql"], async (world) => {
  const answer = await ask(world, { query: DETAILS });
  should(answer.status).equal(200);
  should(answer.body.errors).be.undefined();
  const { getAccountDetails } = answer.body.data;
  should(Object.keys(getAccountDetails).sort()).eql(["displayName", "emailAddress", "memberId"]);
  for (const value of Object.values(getAccountDetails))
    should(value === null || typeof value === "string").be.true();
});

row(
  "C2",
  "the organization has the ids that proofs are checked with",
  ["graphql", "local"],
  async (world) => {
    const { body } = await ask(world, { query: "{ getOrganization { organizationId tenantId } }" });
    should(body.data.getOrganization.organizationId).be.a.String().and.not.be.empty();
    should(body.data.getOrganization.tenantId).be.a.String().and.not.be.empty();
  },
);

row(
  "C6",
  "organization and tenant give the owner that reports carry",
  ["graphql", "proofs", "local"],
  async (world) => {
    const { body } = await ask(world, { query: "{ getOrganization { organizationId tenantId } }" });
    const { organizationId, tenantId } = body.data.getOrganization;
    should(workflowOwnerOf(organizationId, tenantId)).equal(
      world.target.verification?.workflowOwner.toLowerCase(),
    );
  },
);

row("C2", "a query may have a name and variables", ["graphql"], async (world) => {
  const query = `query One($no: Boolean!) { getAccountDetails { memberId @skip(if: $no) displayName } } query Two { __typename }`;
  const one = await ask(world, { query, variables: { no: true }, operationName: "One" });
  should(Object.keys(one.body.data.getAccountDetails)).eql(["displayName"]);
  const two = await ask(world, { query, operationName: "Two" });
  should(two.body.data).eql({ __typename: "Query" });
});

row(
  "S4",
  "an invalid query, or one for an unknown field, is reported in errors",
  ["graphql"],
  async (world) => {
    for (const query of ["{", "{ noSuchThing }", "{ getAccountDetails }", ""]) {
      should(byErrors(await ask(world, { query }))).be.true(query);
    }
  },
);

for (const [what, header] of Object.entries({
  missing: () => "",
  wrong: () => "Apikey not-the-right-one",
  "of another scheme": (key: string) => `Bearer ${key}`,
})) {
  row(
    "S5 S7",
    `a key that is ${what} is refused, by status, in errors, or both`,
    ["graphql"],
    async (world) => {
      const answer = await ask(world, { query: DETAILS }, { authorization: header(world.target.apiKey) });
      should(byStatus(answer) || byErrors(answer)).be.true();
      should(answer.body?.data?.getAccountDetails ?? undefined).be.undefined();
    },
  );
}

row("S7", "a refused key is reported in each of the three ways", ["graphql", "local"], async (world) => {
  for (const [mode, ways] of [
    ["status", [true, false]],
    ["errors", [false, true]],
    ["both", [true, true]],
  ] as const) {
    should(await world.expect(200, "POST", "/local/graphql-auth", { mode })).eql({ mode });
    const answer = await ask(world, { query: DETAILS }, { authorization: "Apikey wrong" });
    should([byStatus(answer), byErrors(answer)]).eql(ways, mode);
    should((await ask(world, { query: DETAILS })).body.errors).be.undefined();
  }
  await world.invalid("POST", "/local/graphql-auth", { mode: "never" });
});
