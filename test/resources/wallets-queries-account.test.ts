import { inspect } from "node:util";
import should from "should";
import { unlisted } from "../../src/protocol/index.ts";
import { type CreateWallet, GraphqlError } from "../../src/resources/index.ts";
import { errorOf, KEY } from "../http/support.ts";
import { ADDRESS, type Asked, CHAIN, ID, page, type Reply, startFakeService } from "./support.ts";

type Service = Awaited<ReturnType<typeof startFakeService>>;

describe("wallets, queries, account", () => {
  const open: Service[] = [];
  const serve = async (reply: (asked: Asked) => Reply, options = {}) => {
    const service = await startFakeService(reply, options);
    open.push(service);
    return service;
  };
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });

  describe("wallets", () => {
    const OTHER = `0x${"7".repeat(40)}`;
    const wanted: CreateWallet = {
      name: "demo",
      wallet_owner_address: ADDRESS,
      chain_selector: CHAIN,
      wallet_type: "ecdsa",
      allowed_ecdsa_signers: [ADDRESS],
    };

    it("are created with their signers in both forms", async () => {
      const { client, asked } = await serve(() => [201, { wallet_id: ID, status: "pending" }]);
      await client.wallets.create(wanted);
      should(asked[0]?.body).deepEqual({ ...wanted, configuration: { allowed_signers: [ADDRESS] } });
    });

    it("are created with a configuration of their own, of which nothing is lost or overwritten", async () => {
      const { client, asked } = await serve(() => [201, { wallet_id: ID, status: "pending" }]);
      const policy = { limits: [1, { daily: "5" }] };
      const own = { policy, allowed_signers: [OTHER] };
      await client.wallets.create({ ...wanted, configuration: { policy } });
      await client.wallets.create({ ...wanted, configuration: own });
      const sent = asked.map(({ body }) => (body as CreateWallet).configuration);
      should(sent).deepEqual([{ allowed_signers: [ADDRESS], policy }, own]);
      await client.wallets.create({ ...wanted, configuration: { policy, allowed_signers: undefined } });
      should(asked[2]?.body.configuration).deepEqual({ allowed_signers: [ADDRESS], policy });
      for (const configuration of [[], "x", null]) {
        const wrong = { ...wanted, configuration } as unknown as CreateWallet;
        should((await errorOf(client.wallets.create(wrong))).path).equal("configuration");
      }
    });

    it("are created of a type that is not in the list, with its configuration", async () => {
      const { client, asked } = await serve(() => [201, { wallet_id: ID, status: "pending" }]);
      const { allowed_ecdsa_signers: signers, ...rest } = { ...wanted, wallet_type: unlisted("multisig") };
      const configuration = { threshold: 2 };
      await client.wallets.create({ ...rest, configuration });
      should(asked[0]?.body).deepEqual({ ...rest, configuration });
      await client.wallets.create({ ...rest, configuration, allowed_ecdsa_signers: signers });
      should(asked[1]?.body.configuration).deepEqual({ threshold: 2, allowed_signers: signers });
      const rsa = [{ e: "0x010001", n: `0x${"ab".repeat(256)}` }] as const;
      await client.wallets.create({ ...rest, configuration, allowed_rsa_signers: rsa });
      should(asked[2]?.body.configuration).deepEqual({ threshold: 2, allowed_signers: rsa });
    });

    it("refuse signers that are malformed, too many, duplicate or of another kind", async () => {
      const { client, asked } = await serve(() => [201, {}]);
      const refused = async (changes: object) =>
        (await errorOf(client.wallets.create({ ...wanted, ...changes }))).path;
      should(await refused({ allowed_ecdsa_signers: ["0x1"] })).equal("allowed_ecdsa_signers[0]");
      should(await refused({ allowed_ecdsa_signers: [ADDRESS, ADDRESS.toLowerCase()] })).equal(
        "allowed_ecdsa_signers[1]",
      );
      should(await refused({ allowed_ecdsa_signers: Array(11).fill(ADDRESS) })).equal(
        "allowed_ecdsa_signers",
      );
      should(await refused({ wallet_type: "rsa" })).equal("allowed_ecdsa_signers");
      should(await refused({ wallet_type: "multisig" })).equal("wallet_type");
      should(await refused({ wallet_type: " ", configuration: {} })).equal("wallet_type");
      const rsa = {
        wallet_type: "rsa",
        allowed_ecdsa_signers: undefined,
        allowed_rsa_signers: [{ e: "0x01", n: "0x02" }],
      };
      should(await refused(rsa)).equal("allowed_rsa_signers[0]");
      should(asked).be.empty();
    });

    it("are found by name, and refused when of another owner", async () => {
      const { client } = await serve(() => page({ ...wanted, wallet_id: ID, status: "deployed" }));
      should((await client.wallets.createOrFind(wanted)).found).be.true();
      const other = { ...wanted, wallet_owner_address: `0x${"9".repeat(40)}` };
      should((await errorOf(client.wallets.createOrFind(other))).code).equal("WALLET_DIFFERS");
    });

    it("are waited for until deployed", async () => {
      const { client } = await serve(() => [200, { wallet_id: ID, status: "archived" }]);
      should((await errorOf(client.wallets.waitFor(ID, { target: "deployed" }))).code).equal(
        "WALLET_ARCHIVED",
      );
    });
  });

  describe("queries", () => {
    const query = {
      chain_selector: CHAIN,
      params: { contract_address: ADDRESS, call_data: "70A08231", block_selection: { type: "latest" } },
    } as const;

    it("are repeated after a lost answer under one idempotency key", async () => {
      const { client, asked } = await serve(
        () => (asked.length === 1 ? "drop" : [202, { query_id: ID, status: "accepted" }]),
        {
          maxAttempts: 2,
        },
      );
      should((await client.queries.create(ID, query)).query_id).equal(ID);
      const [first, second] = asked;
      should(first?.body.idempotency_key).be.a.String().and.equal(second?.body.idempotency_key);
      should(first?.body).match({ query_kind: "evm_call", params: { call_data: "0x70a08231" } });
    });

    it("refuse bad values before anything is sent", async () => {
      const { client, asked } = await serve(() => [202, {}]);
      const refused = async (changes: object, more: object = {}) =>
        (
          await errorOf(
            client.queries.create(ID, { ...query, ...more, params: { ...query.params, ...changes } }),
          )
        ).path;
      should(await refused({ contract_address: "0x" })).equal("params.contract_address");
      should(await refused({ call_data: "0xabc" })).equal("params.call_data");
      should(await refused({ block_selection: { type: "block_number", block_number: "0x1" } })).equal(
        "params.block_selection",
      );
      should(await refused({}, { idempotency_key: "" })).equal("idempotency_key");
      should(await refused({}, { metadata: { text: "x".repeat(20_000) } })).equal("metadata");
      should(await refused({}, { metadata: { text: "é".repeat(9_000) } })).equal("metadata");
      should(asked).be.empty();
    });

    const failing = (status: string, error?: object) => {
      const text = JSON.stringify({ service: "_crec", name: "ChainQuery", data: { query_id: ID, error } });
      const signed = error ? { verifiable_result: Buffer.from(text).toString("base64") } : {};
      return serve(() => [200, { query_id: ID, status, chain_selector: CHAIN, target: ADDRESS, ...signed }]);
    };

    it("that are over are not waited for, though their last event never comes", async () => {
      const { client } = await serve(({ path }) =>
        path.endsWith("/search")
          ? [200, { events: [], has_more: false }]
          : [200, { query_id: ID, status: "completed" }],
      );
      const pollMs = { min: 5, max: 5 };
      const options = { target: "completed", by: "events", timeoutMs: 2_000, pollMs } as const;
      should((await client.queries.waitFor(ID, ID, options)).status).equal("completed");
    });

    it("that failed tell the signed error with its revert in words", async () => {
      const revert = `0x08c379a0${"20".padStart(64, "0")}${"4".padStart(64, "0")}${Buffer.from("poor").toString("hex").padEnd(64, "0")}`;
      const { client } = await failing("failed", {
        code: "CALL_REVERTED",
        message: "reverted",
        raw_revert_data: revert,
      });
      const error = await errorOf(client.queries.waitFor(ID, ID, { target: "completed" }));
      should(error.code).equal("QUERY_FAILED");
      should(error.reason).match(/^CALL_REVERTED: reverted.*poor/);
      for (const message of ["poor", "execution reverted: poor"]) {
        const said = await failing("failed", { code: "CALL_REVERTED", message, raw_revert_data: revert });
        const once = await errorOf(said.client.queries.waitFor(ID, ID, { target: "completed" }));
        should(once.reason).equal(`CALL_REVERTED: ${message}`);
      }
    });

    it("that failed without a signed error are given a code", async () => {
      const failed = await errorOf(
        (await failing("failed")).client.queries.waitFor(ID, ID, { target: "completed" }),
      );
      should(failed.reason).match(/^CRE_WORKFLOW_FAILED/);
      const expired = await errorOf(
        (await failing("expired")).client.queries.waitFor(ID, ID, { target: "completed" }),
      );
      should(expired.code).equal("QUERY_EXPIRED");
    });
  });

  describe("account", () => {
    const withGraphql = async (reply: (asked: Asked) => Reply) => {
      const service = await serve(reply);
      const { CrecClient } = await import("../../src/resources/index.ts");
      const client = new CrecClient({
        baseUrl: "http://127.0.0.1:1",
        apiKey: KEY,
        graphqlUrl: `${service.server.url}/graphql`,
        maxAttempts: 2,
      });
      open.push({ ...service, client, close: () => client.close() });
      return { ...service, client };
    };

    it("returns the owner of the key", async () => {
      const details = { memberId: "m", displayName: null, emailAddress: "a@b.example" };
      const { client, asked } = await withGraphql(() => [200, { data: { getAccountDetails: details } }]);
      should(await client.account.details()).deepEqual(details);
      should(asked[0]).match({
        method: "POST",
        path: "/graphql",
        headers: { authorization: `Apikey ${KEY}` },
      });
    });

    it("returns null when the service does not say", async () => {
      for (const data of [{ getAccountDetails: null }, {}]) {
        const { client } = await withGraphql(() => [200, { data }]);
        should(await client.account.details()).be.null();
      }
    });

    const failures: Array<[string, Reply, string]> = [
      ["a status", [401, ""], "KEY_REFUSED"],
      [
        "errors with 200",
        [200, { errors: [{ message: "no", extensions: { code: "UNAUTHENTICATED" } }] }],
        "KEY_REFUSED",
      ],
      [
        "errors without a code",
        [200, { data: null, errors: [{ message: "Invalid API key" }] }],
        "KEY_REFUSED",
      ],
      ["both", [401, { errors: [{ message: "Unauthorized" }] }], "KEY_REFUSED"],
      [
        "errors with 200 that say so",
        [200, { errors: [{ message: "Authentication failed" }] }],
        "KEY_REFUSED",
      ],
      [
        "a code with 400",
        [400, { errors: [{ message: "x", extensions: { code: "UNAUTHENTICATED" } }] }],
        "KEY_REFUSED",
      ],
      ["a 403 of whatever kind", [403, { errors: [{ message: "no" }] }], "KEY_REFUSED"],
      [
        "a mistyped field",
        [400, { errors: [{ message: 'Cannot query field "authentication" on type "Query".' }] }],
        "GRAPHQL_ERROR",
      ],
      [
        "a mistyped field with 200",
        [200, { errors: [{ message: 'Cannot query field "unauthorized" on type "Api key".' }] }],
        "GRAPHQL_ERROR",
      ],
      ["errors that are none", [200, { errors: [null] }], "BAD_RESPONSE"],
      ["a wrong query", [400, { errors: [{ message: 'Cannot query field "x"' }] }], "GRAPHQL_ERROR"],
      ["errors beside data", [200, { data: { a: 1 }, errors: [{ message: "boom" }] }], "GRAPHQL_ERROR"],
      ["a proxy's page", [200, "<html>"], "BAD_RESPONSE"],
      ["a login page", [401, "<html>"], "BAD_RESPONSE"],
      ["a firewall", [403, "<html>"], "BAD_RESPONSE"],
      ["no data at all", [200, {}], "BAD_RESPONSE"],
      ["failure", [503, "<html>"], "SERVICE_ERROR"],
    ];
    for (const [what, reply, code] of failures) {
      it(`reads a failure carried by ${what} as ${code}`, async () => {
        const { client } = await withGraphql(() => reply);
        const error = await errorOf(
          client.account.query("query ($s: String) { a(s: $s) }", { variables: { s: "private" } }),
        );
        should(error.code).equal(code);
        should(inspect(error)).not.match(new RegExp(`private|${KEY}`));
      });
    }

    const PARTLY: Reply = [
      200,
      {
        data: { a: 1, b: null },
        errors: [{ message: "no b", path: ["b", 0], extensions: { code: "GONE" } }, { message: "x" }],
      },
    ];
    const problems = [{ message: "no b", path: ["b", 0], code: "GONE" }, { message: "x" }];

    it("gives a part of an answer with what is missing, to who asks for a part", async () => {
      const { client } = await withGraphql(() => PARTLY);
      should(await client.account.queryPartial("{ a b }")).deepEqual({
        data: { a: 1, b: null },
        errors: problems,
      });
      const error = await errorOf(client.account.query("{ a b }"));
      should(error).be.instanceof(GraphqlError);
      should(error).match({ code: "GRAPHQL_ERROR", errors: problems, data: { a: 1, b: null } });
      should(error.message).match(/only a part.*It said: no b \(at b\.0\) \(and 1 more\)$/);
    });

    it("gives a whole answer without errors", async () => {
      const { client } = await withGraphql(() => [200, { data: { a: 1 } }]);
      should(await client.account.queryPartial("{ a }")).deepEqual({ data: { a: 1 }, errors: [] });
    });

    it("does not have the query corrected where the service says that the fault is its own", async () => {
      const errors = [{ message: "oops", extensions: { code: "INTERNAL_SERVER_ERROR" } }];
      const { client } = await withGraphql(() => [200, { data: null, errors }]);
      const { message } = await errorOf(client.account.query("{ a }"));
      should(message)
        .match(/ fault is its own: try again later/)
        .and.not.match(/Correct/);
    });

    it("distinguishes a refused field from a refused key", async () => {
      const errors = [{ message: "no", extensions: { code: "FORBIDDEN" } }];
      const some = await withGraphql(() => [200, { data: { a: 1, b: null }, errors }]);
      should((await some.client.account.queryPartial("{ a b }")).errors).match([{ code: "FORBIDDEN" }]);
      const none = await withGraphql(() => [200, { data: { a: null }, errors }]);
      should((await errorOf(none.client.account.queryPartial("{ a }"))).code).equal("KEY_REFUSED");
    });

    it("names every error of a refused query, and where it is", async () => {
      const errors = Array.from({ length: 30 }, (_, index) => ({
        message: `no ${index}`,
        path: ["a", index],
      }));
      const { client } = await withGraphql(() => [400, { errors }]);
      const error = await errorOf(client.account.queryPartial("{ a }"));
      should(error).have.property("code", "GRAPHQL_ERROR").and.not.have.property("data");
      should(error.errors).have.length(20);
      should((error.errors as object[])[3]).deepEqual({ message: "no 3", path: ["a", 3] });
    });

    it("never repeats a variable, whatever the service quotes", async () => {
      const variables = { secret: 'top "secret"', deep: [{ number: 1234, short: "pw" }] };
      const said = `Variable "$secret" got ${JSON.stringify(variables.secret)}, ${variables.secret}, 1234 and pw (${KEY}), not a pwd.`;
      const { client } = await withGraphql(() => [400, { errors: [{ message: said }] }]);
      const error = await errorOf(client.account.query("{ a }", { variables }));
      should(error.errors).deepEqual([
        { message: 'Variable "$secret" got "***", ***, *** and *** (***), not a pwd.' },
      ]);
      should(inspect(error)).not.match(/top|1234|secret-key/);
      const page = await withGraphql(() => [404, `<html>no ${variables.secret}`]);
      const foreign = await errorOf(page.client.account.query("{ a }", { variables }));
      should(foreign.message).match(/HTTP 404.*It has 21 bytes\b/);
    });

    it("returns what proofs are verified with, where the service knows", async () => {
      const organization = { organizationId: "org_1", tenantId: "1" };
      const known = await withGraphql(() => [200, { data: { getOrganization: organization } }]);
      should(await known.client.account.organization()).deepEqual(organization);
      const unknown = await withGraphql(() => [200, { data: { getOrganization: null } }]);
      should(await unknown.client.account.organization()).be.null();
    });

    it("repeats what reads, never a mutation", async () => {
      const { client, asked } = await withGraphql(() => "drop");
      await errorOf(client.account.query("{ a }"));
      should(asked).have.length(2);
      await errorOf(client.account.query("mutation { b }"));
      should(asked).have.length(3);
      await errorOf(client.account.query("# who\n\n query { a }"));
      should(asked).have.length(5);
      await errorOf(client.account.query("query a { a } mutation b { b }", { operationName: "b" }));
      should(asked).have.length(6);
    });

    it("reports a missing or invalid GraphQL URL", async () => {
      const { client } = await serve(() => [200, {}]);
      should((await errorOf(client.account.details())).code).equal("GRAPHQL_URL_MISSING");
      const { CrecClient } = await import("../../src/resources/index.ts");
      should(() => new CrecClient({ baseUrl: "http://h", apiKey: KEY, graphqlUrl: "h" })).throw({
        path: "graphqlUrl",
      });
    });
  });
});
