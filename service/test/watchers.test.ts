import should from "should";
import { verifyEvent } from "../../src/proofs/index.ts";
import type { EventEnvelope, VerifiableEvent, Watcher } from "../../src/protocol/index.ts";
import { startService } from "../src/index.ts";
import { Store } from "../src/store/store.ts";
import { Api, BLOCK_TIME_MS, signedText, startTestService, TRANSFER, temporaryFolder } from "./support.ts";

describe("watchers of the local service", function () {
  this.timeout(120_000);
  let api: Api;
  let dispose: () => Promise<void>;

  before(async () => {
    ({ api, dispose } = await startTestService());
  });
  after(() => dispose());

  const observed = (events: EventEnvelope[], confidence?: string) =>
    events.filter(
      (event) =>
        event.headers.type === "watcher.event" &&
        (confidence === undefined ||
          signedText<VerifiableEvent>(event).chain_event?.confidence === confidence),
    );

  it("report a real transfer, with a proof that verifies", async () => {
    const channelId = await api.channel();
    const watcher = await api.transferWatcher(channelId);
    const to = "0x00000000000000000000000000000000000000A1";
    const paid = await api.ok("POST", "/local/faucet", { to, amount: "1500000000000000000" });
    const events = await api.eventsUntil(channelId, (all) => observed(all).length > 0);

    const [event] = observed(events);
    should(event).be.ok();
    if (event === undefined) return;
    event.payload.should.have.properties({
      watcher_id: watcher.watcher_id,
      chain_selector: api.ready.chain_selector,
    });
    const { chain_event, name } = signedText<VerifiableEvent>(event);
    should(name).equal("Transfer");
    should(chain_event).containDeep({
      chain_id: "31337",
      confidence: "latest",
      tx_hash: paid.transaction_hash,
      address: api.ready.contracts.DemoToken,
      event_signature: "Transfer(address,address,uint256)",
      params: { to, value: "1500000000000000000" },
    });

    const config = {
      orgId: api.ready.org_id,
      creTenantId: api.ready.cre_tenant_id,
      validSigners: api.ready.valid_signers,
      minRequiredSignatures: api.ready.min_required_signatures,
    };
    const verdict = await verifyEvent(event, config);
    should(verdict.verified).be.true();
    const tampered = structuredClone(event);
    tampered.payload.verifiable_event = `A${String(event.payload.verifiable_event).slice(1)}`;
    should(await verifyEvent(tampered, config)).containDeep({ verified: false });
    should(await verifyEvent(event, { ...config, orgId: "org_other" })).containDeep({
      verified: false,
      reason: "workflow_owner_mismatch",
    });
  });

  it("report each log once at latest and once at finalized, with offsets that count from 1 without gaps", async () => {
    const channelId = await api.channel();
    await api.transferWatcher(channelId);
    for (let payment = 0; payment < 3; payment += 1) await api.ok("POST", "/local/faucet", {});
    const events = await api.eventsUntil(channelId, (all) => observed(all, "finalized").length === 3);
    observed(events, "latest").length.should.equal(3);
    observed(events).length.should.equal(6);
    events.map((event) => event.headers.offset).should.eql(events.map((_, index) => index + 1));
    events
      .slice(0, 2)
      .map((event) => event.payload.status)
      .should.eql(["pending", "active"]);
  });

  it("report nothing before they are active or after they are archived", async () => {
    const channelId = await api.channel();
    await api.ok("POST", "/local/faucet", { amount: "1" });
    const watcher = await api.transferWatcher(channelId);
    const path = `/channels/${channelId}/watchers/${watcher.watcher_id}`;
    await api.ok("POST", "/local/faucet", { amount: "2" });
    await api.eventsUntil(channelId, (all) => observed(all, "finalized").length === 1);

    const archiving = await api.call("PATCH", path, { status: "archived" });
    should(archiving.status).equal(202);
    should(archiving.body.status).equal("archiving");
    await api.until(path, "archived");
    await api.ok("POST", "/local/faucet", { amount: "3" });
    await api.ok("POST", "/local/mine", { blocks: 10 });
    const other = await api.channel();
    await api.transferWatcher(other);
    const events = await api.events(channelId);
    observed(events)
      .map((event) => signedText<VerifiableEvent>(event).chain_event?.params?.value)
      .should.eql(["2", "2"]);
    events
      .map((event) => event.payload.status)
      .filter(Boolean)
      .should.eql(["pending", "active", "archiving", "archived"]);

    const again = await api.call("PATCH", path, { status: "archived" });
    should(again.status).equal(409);
    const listed = await api.ok<{ data: unknown[] }>("GET", `/channels/${channelId}/watchers`);
    listed.data.should.eql([]);
    const named = await api.ok<{ data: unknown[] }>("GET", `/channels/${channelId}/watchers?status=archived`);
    named.data.length.should.equal(1);
    named.data[0]?.should.not.have.properties(["events", "abi"]);
  });

  it("report a log again when a reorganization moves it to another block, and only then", async () => {
    const channelId = await api.channel();
    await api.transferWatcher(channelId);
    // Only what waits for a block gets one: the transfer stays in the newest.
    await api.ok("POST", "/local/speed", { blockTimeMs: 60_000 });
    await api.ok("POST", "/local/faucet", { amount: "7" });
    await api.eventsUntil(channelId, (all) => observed(all).length === 1);
    // Its block is replaced by an empty one; the next transfer lands on the new chain.
    await api.ok("POST", "/local/reorg", { depth: 2 });
    await api.ok("POST", "/local/faucet", { amount: "8" });
    await api.ok("POST", "/local/speed", { blockTimeMs: BLOCK_TIME_MS });
    const events = await api.eventsUntil(channelId, (all) => observed(all, "finalized").length === 1);
    const values = (confidence: string) =>
      observed(events, confidence).map(
        (event) => signedText<VerifiableEvent>(event).chain_event?.params?.value,
      );
    values("latest").should.eql(["7", "8"]);
    values("finalized").should.eql(["8"]);
  });

  it("recognize an event in any notation of its types", async () => {
    const channelId = await api.channel();
    const [from, to, value] = TRANSFER.inputs;
    const created = await api.ok<Watcher>("POST", `/channels/${channelId}/watchers`, {
      name: "transfers",
      chain_selector: api.ready.chain_selector,
      address: api.ready.contracts.DemoToken,
      events: ["Transfer"],
      abi: [{ ...TRANSFER, inputs: [from, to, { ...value, type: "uint" }] }],
    });
    should(created.abi?.[0]?.inputs[2]?.type).equal("uint256");
    await api.until<Watcher>(`/channels/${channelId}/watchers/${created.watcher_id}`, "active");
    await api.ok("POST", "/local/faucet", {});
    await api.eventsUntil(channelId, (all) => observed(all).length > 0);
  });

  it("keep their name when one request renames and archives them, and archiving is refused", async () => {
    const channelId = await api.channel();
    const { watcher_id } = await api.transferWatcher(channelId);
    const path = `/channels/${channelId}/watchers/${watcher_id}`;
    await api.ok("PATCH", path, { status: "archived" });
    const answer = await api.call("PATCH", path, { name: "another name", status: "archived" });
    should(answer.status).equal(409);
    should((await api.ok("GET", path)).name).equal("transfers");
  });

  it("do not delay each other, whatever an older version has stored", async () => {
    const folder = temporaryFolder();
    const options = { dataDir: folder.path, blockTimeMs: BLOCK_TIME_MS, local: true };
    const first = await startService(options);
    await first.close();
    const store = new Store(folder.path);
    const { channel_id } = store.channels.create({ name: "old" });
    const id = store.watchers.create({
      channel_id,
      name: "unreadable",
      chain_selector: first.ready.chain_selector,
      address: first.ready.contracts.DemoToken ?? "",
      events: ["Odd"],
      abi: [
        { ...TRANSFER, name: "Odd", inputs: [{ name: "a", type: "tuple", components: [null] }] } as never,
      ],
    });
    store.watchers.setStatus(id, "active");
    store.watchers.setFromBlock(id, 0);
    store.close();
    const second = await startService(options);
    try {
      const other = new Api(second.ready);
      await other.transferWatcher(channel_id);
      await other.ok("POST", "/local/faucet", {});
      await other.eventsUntil(channel_id, (all) => observed(all).length > 0);
    } finally {
      await second.close();
      folder.dispose();
    }
  });

  it("are refused with a sentence that names the error", async () => {
    const channelId = await api.channel();
    const path = `/channels/${channelId}/watchers`;
    const good = {
      name: "transfers",
      chain_selector: api.ready.chain_selector,
      address: api.ready.contracts.DemoToken,
      events: ["Transfer"],
      abi: [TRANSFER],
    };
    const refused = async (change: object) => {
      const { status, body } = await api.call<{ type: string; message: string }>("POST", path, {
        ...good,
        ...change,
      });
      should(status).equal(400);
      should(body.type).equal("VALIDATION_ERROR");
      return body.message;
    };
    (await refused({ address: "0x12" })).should.equal("address must be an address: 0x and 40 hex digits.");
    (await refused({ name: " ab " })).should.match(/^name must be a text of 4 to 255 characters/);
    (await refused({ events: ["Approval"] })).should.match(/"Approval".*not in the abi.*Transfer/);
    (await refused({ events: [] })).should.match(/^events must be a list/);
    (await refused({ abi: [{ ...TRANSFER, type: "function" }] })).should.match(
      /^abi\[0\]\.type must be "event"/,
    );
    const input = (type: string, more: object = {}) => ({
      abi: [{ ...TRANSFER, inputs: [{ name: "a", type, internalType: type, indexed: false, ...more }] }],
    });
    (await refused(input("uint7"))).should.match(
      /^Event Transfer: abi\[0\]\.inputs\[0\]\.type is "uint7", which is not an ABI type/,
    );
    (await refused(input("tuple"))).should.match(/^Event Transfer: .* is a tuple without components/);
    (await refused(input("tuple", { components: [null] }))).should.match(/components\[0\] is not an object/);
    for (const depth of [100, 20_000]) {
      const nested = `${'{"name":"a","type":"tuple","components":['.repeat(depth)}${"]}".repeat(depth)}`;
      const text = JSON.stringify({ ...good, ...input("tuple") }).replace(
        '"type":"tuple"',
        `$&,"components":[${nested}]`,
      );
      const { status, body } = await api.call<{ message: string }>("POST", path, text);
      should(status).equal(400);
      body.message.should.match(/nested too deeply/);
    }
    const elsewhere = await api.call("POST", path, { ...good, chain_selector: "1" });
    elsewhere.should.containDeep({ status: 409, body: { type: "CONFLICT", code: "CHAIN_UNAVAILABLE" } });
    String(elsewhere.body.message).should.match(/^chain_selector 1 is not a network/);
    (await refused({ service: "dvp" })).should.match(/^Either abi or service is required/);
    (await refused({ abi: undefined })).should.match(/^Either abi or service is required/);
    (await refused({ service_config: {} })).should.match(/^service_config is allowed only with a service/);

    await api.transferWatcher(channelId, "transfers");
    const taken = await api.call("POST", path, good);
    taken.should.containDeep({ status: 409, body: { type: "CONFLICT", code: "WATCHER_ALREADY_EXISTS" } });
  });
});
