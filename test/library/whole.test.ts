import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import {
  type ChannelEvent,
  CrecClient,
  createVerifier,
  EventConsumer,
  encodeFunctionCall,
  eventFragments,
  eventSource,
  generatePrivateKey,
  localEcdsaSigner,
  MemoryCursorStore,
  type NewOperation,
  type OperationStatusEvent,
  parseAbi,
  signedFacts,
  type Wallet,
} from "../../src/index.ts";
import { errorOf } from "../http/support.ts";
import { startTestService } from "../support/service.ts";

/** One life of everything there is, against the real local service on a real chain. */
describe("the library, from channel to proof", function () {
  this.timeout(120_000);

  const signer = localEcdsaSigner(generatePrivateKey());
  const abi = parseAbi(`
    function add(uint256 amount) payable
    function countOf(address caller) view returns (uint256)
    event Incremented(address indexed by, uint256 amount, uint256 count)
  `);
  let service: RunningService;
  let client: CrecClient;
  let channelId: string;
  let network: string;
  let counter: string;
  let wallet: Wallet;

  const adding = (amount: number, more: Partial<NewOperation> = {}): NewOperation => ({
    chain_selector: network,
    address: wallet.address,
    transactions: [
      {
        to: counter,
        value: "0",
        data: encodeFunctionCall({ abi, function: "add", args: [amount] }).data,
        preview: { function_signature: "add(uint256)" },
      },
    ],
    ...more,
  });
  const watching = (name: string) => ({
    name,
    chain_selector: network,
    address: counter,
    events: ["Incremented"],
    abi: eventFragments(abi, ["Incremented"]),
  });
  const walletNamed = (name: string) => ({
    name,
    chain_selector: network,
    wallet_type: "ecdsa" as const,
    wallet_owner_address: signer.address,
    allowed_ecdsa_signers: [signer.address],
  });

  before(async () => {
    service = await startTestService();
    const { base_url, graphql_url, api_key, chain_selector, contracts } = service.ready;
    client = new CrecClient({ baseUrl: base_url, graphqlUrl: graphql_url, apiKey: api_key });
    network = chain_selector;
    counter = contracts.Counter ?? "";
    channelId = (await client.channels.create({ name: "whole" })).channel_id;
    const { watcher } = await client.watchers.createOrFind(channelId, watching("whole"));
    await client.watchers.waitFor(channelId, watcher.watcher_id, { target: "active" });
    const made = await client.wallets.createOrFind(walletNamed("whole"));
    wallet = await client.wallets.waitFor(made.wallet.wallet_id, { target: "deployed" });
    const { operation } = await client.operations.send(channelId, adding(1), signer);
    await client.operations.waitFor(channelId, operation.operation_id, { target: "confirmed_latest" });
  });
  after(async () => {
    await client?.close();
    await service?.close();
  });

  describe("an operation key", () => {
    it("stands for its calls: once, in whatever form it comes again", async () => {
      const { operation, found } = await client.operations.send(
        channelId,
        adding(5, { operation_key: "a" }),
        signer,
      );
      const again = await client.operations.draft(channelId, adding(5, { operation_key: "a" }));
      should([found, again.found]).deepEqual([false, true]);
      should(again.operation.operation_id).equal(operation.operation_id);
      const other = client.operations.send(channelId, adding(6, { operation_key: "a" }), signer);
      should((await errorOf(other)).code).equal("OPERATION_KEY_REUSED");
      await client.operations.waitFor(channelId, operation.operation_id, { target: "confirmed_latest" });
    });

    it("is refused beside an id, and a deadline that has passed is refused, before anything is sent", async () => {
      const both = adding(1, { operation_key: "b", wallet_operation_id: "1" });
      should((await errorOf(client.operations.draft(channelId, both))).path).equal("operation_key");
      const late = adding(1, { deadline: 1 });
      should((await errorOf(client.operations.draft(channelId, late))).path).equal("deadline");
    });
  });

  it("is followed from its draft to its end, by statuses, lists and proofs", async () => {
    const { operation, digest } = await client.operations.draft(channelId, adding(7));
    const id = operation.operation_id;
    const tooSoon = client.operations.follow(channelId, id, {
      timeoutMs: 5_000,
      pollMs: { min: 50, max: 50 },
    });
    const late = await errorOf(
      (async () => {
        for await (const { status } of tooSoon) should(status).equal("pending_signature");
      })(),
    );
    should([late.code, late.lastStatus]).deepEqual(["WAIT_TIMEOUT", "pending_signature"]);
    await client.operations.finalize(channelId, id, signer, { digest });

    const seen: OperationStatusEvent[] = [];
    for await (const { event } of client.operations.follow(channelId, id)) seen.push(event);
    should(seen.at(-1)?.payload.status).equal("confirmed");
    should(signedFacts(seen.at(-1) as OperationStatusEvent)).match({
      confidence: "finalized",
      chainSelector: network,
    });
    should(signedFacts(seen[0] as OperationStatusEvent)).deepEqual({});
    const { data } = await client.operations.list(channelId, {
      status: ["confirmed"],
      address: wallet.address,
    });
    should(data.map(({ operation_id }) => operation_id)).containEql(id);
  });

  it("hands contract events over with their proof, a program's own clock and store untouched", async () => {
    const { org_id, cre_tenant_id, valid_signers, min_required_signatures } = service.ready;
    const verifier = createVerifier({
      orgId: org_id,
      creTenantId: cre_tenant_id,
      validSigners: valid_signers,
      minRequiredSignatures: min_required_signatures,
    });
    const first = Promise.withResolvers<ChannelEvent>();
    const consumer = new EventConsumer({
      source: eventSource(client.events, channelId),
      store: new MemoryCursorStore(),
      identity: { consumer: "whole", channelId, service: client.baseUrl },
      start: "beginning",
      types: ["watcher.event"],
      verify: (event) => verifier.verify(event),
      deliver: ({ event, verification }) => {
        if (verification?.verified) first.resolve(event);
      },
    });
    consumer.start();
    const event = await first.promise;
    await consumer.stop();
    should(signedFacts(event)).match({
      contract: counter,
      name: "Incremented",
      signature: "Incremented(address,uint256,uint256)",
      chainSelector: network,
      confidence: /latest|finalized/,
    });
    should(signedFacts(event).time).be.approximately(Date.now() / 1000, 3_600);
  });

  it("asks as whom and when it is told to", async () => {
    const question = {
      chain_selector: network,
      address: counter,
      abi,
      function: "countOf",
      args: [wallet.address],
    };
    const { value, query, block } = await client.queries.call(channelId, {
      ...question,
      from_address: signer.address,
      block_selection: { type: "block_number", block_number: "3" },
      // Not given is not given, however it is written.
      idempotency_key: undefined,
      metadata: undefined,
    });
    should(value).equal("0");
    should(block?.number).equal("3");
    const { data } = await client.queries.list(channelId, {
      status: ["completed"],
      query_kind: ["evm_call"],
    });
    should(data.map(({ query_id }) => query_id)).containEql(query.query_id);
  });

  it("renames, finds and archives", async () => {
    const { watcher_id } = await client.watchers.create(channelId, watching("to be renamed"));
    await client.watchers.waitFor(channelId, watcher_id, { target: "active" });
    should((await client.watchers.update(channelId, watcher_id, { name: "renamed" })).name).equal("renamed");
    should((await client.watchers.findByName(channelId, "renamed"))?.watcher_id).equal(watcher_id);
    await client.watchers.archive(channelId, watcher_id);
    await client.watchers.waitFor(channelId, watcher_id, { target: "archived", by: "events" });

    const { wallet_id } = await client.wallets.create(walletNamed("to be renamed"));
    should((await client.wallets.update(wallet_id, { name: "renamed" })).name).equal("renamed");
    should((await client.wallets.archive(wallet_id)).status).equal("archived");
    should((await client.wallets.list({ status: ["archived"] })).data.length).equal(1);
    const dead = client.wallets.waitFor(wallet_id, { target: "deployed" });
    should((await errorOf(dead)).code).equal("WALLET_ARCHIVED");
  });

  it("refuses a header that cannot be sent", async () => {
    const call = { method: "GET", path: "/networks", headers: { "x-note": "a\nb" } } as const;
    should((await errorOf(client.request(call))).path).equal("request");
  });
});
