import should from "should";
import { askNewestBlock } from "../../rehearsal/parent/queries.ts";
import { readSnapshot } from "../../rehearsal/parent/snapshot.ts";
import type { RunningService } from "../../service/src/index.ts";
import { CrecClient, createVerifier, encodeFunctionCall, eventFragments, parseAbi } from "../../src/index.ts";
import { startTestService } from "../support/service.ts";

const ABI = parseAbi([
  "function decimals() view returns (uint8)",
  "function transfer(address to, uint256 value) returns (bool)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);

describe("what a rehearsal asks the service", function () {
  this.timeout(120_000);

  let service: RunningService;
  let client: CrecClient;
  let channelId: string;
  before(async () => {
    service = await startTestService();
    client = new CrecClient({ baseUrl: service.ready.base_url, apiKey: service.ready.api_key });
    channelId = (await client.channels.create({ name: "rehearsed" })).channel_id;
  });
  after(async () => {
    await client?.close();
    await service?.close();
  });

  const signal = new AbortController().signal;
  const call = (name: string, args: unknown[]) => ({
    channelId,
    chainSelector: service.ready.chain_selector,
    to: service.ready.contracts.DemoToken ?? "",
    data: encodeFunctionCall({ abi: ABI, function: name, args }).data,
  });
  const verifier = (orgId: string) =>
    createVerifier({
      orgId,
      creTenantId: service.ready.cre_tenant_id,
      validSigners: service.ready.valid_signers,
      minRequiredSignatures: service.ready.min_required_signatures,
    });

  it("is a call of today, with its block and a proof", async () => {
    const ask = askNewestBlock(client, verifier(service.ready.org_id));
    const answer = await ask(call("decimals", []), signal);
    should(answer).have.property("result", `0x${"12".padStart(64, "0")}`);
    should(answer).have.property("block").match(/^\d+$/);
  });

  it("is answered with the reason where the call fails, pays, or is not proven", async () => {
    const ask = askNewestBlock(client, verifier(service.ready.org_id));
    const { DemoToken: to = "" } = service.ready.contracts;
    const transfer = { ...call("transfer", [to, 1n]), from: to, value: "0" };
    should(await ask(transfer, signal))
      .have.property("error")
      .match(/\S/);
    should(await ask({ ...transfer, value: "1" }, signal))
      .have.property("error")
      .match(/pays an amount/);
    const unproven = askNewestBlock(client, verifier("another"));
    should(await unproven(call("decimals", []), signal))
      .have.property("error")
      .match(/Not proven/);
  });

  it("ends with the signal", async () => {
    const ask = askNewestBlock(client);
    await should(ask(call("decimals", []), AbortSignal.abort())).be.rejectedWith({ code: "ABORTED" });
  });

  it("is what exists: networks, wallets, and channels with whole watchers, archived ones too", async () => {
    const watcher = {
      chain_selector: service.ready.chain_selector,
      address: service.ready.contracts.DemoToken ?? "",
      events: ["Transfer"],
      abi: eventFragments(ABI, ["Transfer"]),
    };
    const created = await Promise.all(
      ["watcher a", "watcher b", "watcher c"].map((name) =>
        client.watchers.create(channelId, { ...watcher, name }),
      ),
    );
    const [first = { watcher_id: "" }] = created;
    await client.watchers.waitFor(channelId, first.watcher_id, { target: "active" });
    await client.watchers.archive(channelId, first.watcher_id);
    await client.watchers.waitFor(channelId, first.watcher_id, { target: "archived" });
    const snapshot = await readSnapshot(client, [channelId], signal);
    should(snapshot.networks).not.be.empty();
    should(snapshot.wallets).be.an.Array();
    const [{ channel, watchers } = { channel: {}, watchers: [] }] = snapshot.channels;
    should(channel).match({ channel_id: channelId, name: "rehearsed" });
    should(watchers.map(({ name }) => String(name)).sort()).deepEqual([
      "watcher a",
      "watcher b",
      "watcher c",
    ]);
    for (const one of watchers) should(one).have.property("abi").length(1);
    should(JSON.parse(JSON.stringify(snapshot))).deepEqual(snapshot);
  });
});
