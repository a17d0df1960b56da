import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { eventsOfFile, readEventFile } from "../../rehearsal/parent/events/event-file.ts";
import type { ChannelEvent } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { RunningExample } from "../support/example.ts";

type Page = { events: ChannelEvent[] };

describe("the example record events to a file", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  let folder: string;
  let file: string;
  let channelId: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-record-"));
    // In a folder that does not exist yet.
    file = join(folder, "recorded", "events.json");
    flow = await RunningExample.start("25-record-events", { env: { CREC_EVENTS_FILE: file } });
    const channel = await flow.call<{ channel_id: string }>("POST", "/channels", { name: "quickstart" });
    channelId = channel.channel_id;
  });
  after(async () => {
    await flow?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("writes all events to a file that a rehearsal reads, and nothing while there are none", async () => {
    // Writes nothing while the channel has no events.
    await flow.press("Record");
    await flow.nodeRed.status(flow.id("crec-search-events"), ({ fill }) => fill === "green");
    should(existsSync(file)).be.false();

    // Writes all events as the service sends them, in a file that a rehearsal reads.
    const { ready } = flow.service;
    const inputs = ["from", "to", "value"].map((name, index) => ({
      name,
      type: index < 2 ? "address" : "uint256",
      internalType: index < 2 ? "address" : "uint256",
      indexed: index < 2,
    }));
    await flow.call("POST", `/channels/${channelId}/watchers`, {
      name: "transfers",
      chain_selector: ready.chain_selector,
      address: ready.contracts.DemoToken,
      events: ["Transfer"],
      abi: [{ type: "event", name: "Transfer", anonymous: false, inputs }],
    });
    const events = async () =>
      (await flow.call<Page>("GET", `/channels/${channelId}/events?offset=0&limit=200`)).events;
    const isActive = ({ payload }: ChannelEvent) => "status" in payload && payload.status === "active";
    await eventually("an active watcher", events, (seen) => seen.some(isActive));
    const to = "0x0000000000000000000000000000000000000D08";
    await flow.call("POST", "/local/faucet", { to, amount: "5" });
    const isFinal = (event: ChannelEvent) => event.headers.type === "watcher.event";
    // In a block, and final.
    await eventually("the event at both levels", events, (seen) => seen.filter(isFinal).length >= 2);
    const sent = await events();

    should(await flow.pressed("Record", "written")).deepEqual({ file, events: sent.length });
    const recorded = await readEventFile(file);
    should(recorded.events).deepEqual(sent.sort((a, b) => a.headers.offset - b.headers.offset));
    should(recorded).match({ channel: { id: channelId, name: "quickstart" }, service: ready.base_url });
    should(eventsOfFile(recorded).span.from).be.above(Date.now() - 3_600_000);

    // Has events of which the time of the block is known, without any other.
    const { channel } = recorded;
    const transfers = recorded.events.filter(({ headers }) => headers.type === "watcher.event");
    const untimed = transfers.map(({ created_at, payload: { timestamp, ...payload }, ...others }) => ({
      ...others,
      payload,
    }));
    const { from } = eventsOfFile({ channel, events: untimed as ChannelEvent[] }).span;
    should(Math.abs(Date.now() - from)).be.below(3_600_000);

    should(flow.values("error")).be.empty();
  });
});
