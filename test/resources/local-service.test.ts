import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { CrecClient, createVerifier, parseAbi, VERIFY_REASONS } from "../../src/index.ts";
import { errorOf } from "../http/support.ts";
import { startTestService } from "../support/service.ts";

/** The client against the real local service on a real chain. */
describe("the client and the local service", function () {
  this.timeout(30_000);

  let service: RunningService;
  let client: CrecClient;
  let channelId: string;

  before(async () => {
    service = await startTestService();
    const { base_url, graphql_url, api_key } = service.ready;
    client = new CrecClient({ baseUrl: base_url, graphqlUrl: graphql_url, apiKey: api_key });
    channelId = (await client.channels.create({ name: "library" })).channel_id;
  });
  after(async () => {
    await client?.close();
    await service?.close();
  });

  const verifier = () => {
    const { org_id, cre_tenant_id, valid_signers, min_required_signatures } = service.ready;
    return createVerifier({
      orgId: org_id,
      creTenantId: cre_tenant_id,
      validSigners: valid_signers,
      minRequiredSignatures: min_required_signatures,
    });
  };

  it("is well", async () => {
    should((await client.health()).status).be.a.String();
  });

  describe("a question to a contract", () => {
    const abi = parseAbi([
      "function balanceOf(address account) view returns (uint256)",
      "function decimals() view returns (uint8)",
      "function failWithReason(string reason)",
    ]);
    const question = (contract: string, name: string, args: unknown[] | Record<string, unknown> = []) => ({
      chain_selector: service.ready.chain_selector,
      address: service.ready.contracts[contract] ?? "",
      abi,
      function: name,
      args,
    });

    it("is answered with its value, its block and a proof", async () => {
      const account = service.ready.contracts.Counter ?? "";
      const { value, block, verification, query } = await client.queries.call(
        channelId,
        question("DemoToken", "balanceOf", { account }),
        { verifier: verifier() },
      );
      should(value).equal("0");
      should(block?.number).match(/^\d+$/);
      should(verification?.verified).be.true();
      should(query.status).equal("completed");
    });

    it("is only claimed without a verifier, and none at all with a wrong one", async () => {
      const asked = question("DemoToken", "decimals");
      const { value, verification } = await client.queries.call(channelId, asked);
      should(value).equal("18");
      should(verification).be.undefined();
      const wrong = createVerifier({
        orgId: "another",
        creTenantId: service.ready.cre_tenant_id,
        validSigners: service.ready.valid_signers,
        minRequiredSignatures: 1,
      });
      const error = await errorOf(client.queries.call(channelId, asked, { verifier: wrong }));
      should(error.code).equal("QUERY_NOT_VERIFIED");
      should(VERIFY_REASONS.some((reason) => error.message.includes(reason))).be.true();
    });

    it("that the contract refuses fails with its reason", async () => {
      const asked = question("Counter", "failWithReason", ["too hot"]);
      const error = await errorOf(client.queries.call(channelId, asked));
      should(error.code).equal("QUERY_FAILED");
      should(error.reason).match(/^CALL_REVERTED.*too hot/);
    });

    it("with a value of the wrong type is not asked", async () => {
      const asked = question("DemoToken", "balanceOf", ["0x12"]);
      should((await errorOf(client.queries.call(channelId, asked))).path).equal("args.account");
    });
  });
});
