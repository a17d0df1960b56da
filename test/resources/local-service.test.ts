import should from "should";
import { Agent } from "undici";
import type { RunningService } from "../../service/src/index.ts";
import {
  CrecClient,
  createVerifier,
  eventFragments,
  generatePrivateKey,
  type HttpDispatcher,
  localEcdsaSigner,
  parseAbi,
  VERIFY_REASONS,
} from "../../src/index.ts";
import { errorOf } from "../http/support.ts";
import { startTestService } from "../support/service.ts";

/** The client against the real local service on a real chain. */
describe("the client and the local service", function () {
  this.timeout(120_000);

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

  it("gives each channel once to a loop that archives it, and creates another now and then", async () => {
    const create = async (name: string) => (await client.channels.create({ name })).channel_id;
    const names = Array.from({ length: 130 }, (_, at) => `listed ${at}`);
    const ids = await Promise.all(names.map(create));
    const archived: string[] = [];
    for await (const { channel_id } of client.channels.list({ name: "listed" })) {
      await client.channels.archive(channel_id);
      archived.push(channel_id);
      if (archived.length % 30 === 0 && archived.length < 130)
        await create(`listed later ${archived.length}`);
    }
    should(new Set(archived).size).equal(archived.length);
    should(archived.filter((id) => ids.includes(id)).sort()).eql(ids.toSorted());
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
      should(error).match({ code: "QUERY_NOT_VERIFIED", verification: { verified: false } });
      should(error).have.propertyByPath("query", "status").eql("completed");
      should(VERIFY_REASONS.some((reason) => error.message.includes(reason))).be.true();
    });

    it("runs with call data of the caller, and reports its id before its answer", async () => {
      const reported: string[] = [];
      const { data, block, query, verification } = await client.queries.run(
        channelId,
        {
          chain_selector: service.ready.chain_selector,
          params: {
            contract_address: service.ready.contracts.DemoToken ?? "",
            call_data: "0x313ce567",
            block_selection: { type: "latest" },
          },
        },
        {
          verifier: verifier(),
          by: "events",
          onCreated: ({ query_id }) => reported.push(query_id),
          onStatus: ({ status }) => reported.push(status),
        },
      );
      should(Number(data)).equal(18);
      should(block?.number).match(/^\d+$/);
      should(verification?.verified).be.true();
      should(reported).deepEqual([query.query_id, "accepted", "sending", "sent", "completed"]);
    });

    it("is not answered by the proven answer to another question, which a relay has asked", async () => {
      const agent = new Agent();
      const { base_url: baseUrl, api_key: apiKey } = service.ready;
      const [own, other] = [service.ready.contracts.Counter, service.ready.contracts.DemoToken].map(
        (address) => String(address).slice(2).toLowerCase(),
      );
      const dispatcher: HttpDispatcher = {
        request: ({ body = null, ...request }) =>
          agent.request({ ...request, body: body ? body.replace(String(own), String(other)) : null }),
      };
      const misled = new CrecClient({ baseUrl, apiKey, dispatcher });
      const account = service.ready.contracts.Counter ?? "";
      const asked = question("DemoToken", "balanceOf", { account });
      const error = await errorOf(misled.queries.call(channelId, asked, { verifier: verifier() }));
      should(error.code).equal("QUERY_NOT_VERIFIED");
      await misled.close();
      await agent.close();
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

  describe("a wait by events", () => {
    const wallet = (more: object) => {
      const { address } = localEcdsaSigner(generatePrivateKey());
      return {
        name: `wallet-${address}`,
        chain_selector: service.ready.chain_selector,
        wallet_type: "ecdsa" as const,
        wallet_owner_address: address,
        allowed_ecdsa_signers: [address],
        ...more,
      };
    };

    it("misses no status of a wallet, and gives the wallet as it is then", async () => {
      const { wallet_id } = await client.wallets.create(wallet({ status_channel_id: channelId }));
      const seen: string[] = [];
      const deployed = await client.wallets.waitFor(wallet_id, {
        target: "deployed",
        by: "events",
        onStatus: ({ status }) => seen.push(status),
      });
      should(seen).deepEqual(["pending", "deploying", "deployed"]);
      should(deployed.address).match(/^0x[0-9a-fA-F]{40}$/);
    });

    it("is refused where the wallet writes no events", async () => {
      const { wallet_id } = await client.wallets.create(wallet({}));
      const error = await errorOf(client.wallets.waitFor(wallet_id, { target: "deployed", by: "events" }));
      should(error.path).equal("by");
    });

    it("shows every status of a query and of a watcher", async () => {
      const { DemoToken = "" } = service.ready.contracts;
      const { chain_selector } = service.ready;
      const { query_id } = await client.queries.create(channelId, {
        chain_selector,
        params: { contract_address: DemoToken, call_data: "0x313ce567", block_selection: { type: "latest" } },
      });
      const statuses: string[] = [];
      const onStatus = ({ status }: { status: string }) => statuses.push(status);
      await client.queries.waitFor(channelId, query_id, { target: "completed", by: "events", onStatus });
      should(statuses).deepEqual(["accepted", "sending", "sent", "completed"]);

      const abi = parseAbi("event Transfer(address indexed from, address indexed to, uint256 value)");
      const { watcher_id } = await client.watchers.create(channelId, {
        name: "by events",
        chain_selector,
        address: DemoToken,
        events: ["Transfer"],
        abi: eventFragments(abi, ["Transfer"]),
      });
      statuses.length = 0;
      await client.watchers.waitFor(channelId, watcher_id, { target: "active", by: "events", onStatus });
      should(statuses).deepEqual(["pending", "active"]);
    });

    it("notices immediately that the resource does not exist", async () => {
      const unknown = "0f8fad5b-d9cb-469f-a165-70867728950e";
      const options = { target: "completed", by: "events", unknownForMs: 0 } as const;
      should((await errorOf(client.queries.waitFor(channelId, unknown, options))).code).equal(
        "QUERY_NOT_FOUND",
      );
    });
  });
});
