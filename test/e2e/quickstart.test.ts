import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { example, type FlowNode, idOf, NodeRed, UserDir } from "../support/node-red.ts";
import { flowEnvironment, startTestService } from "../support/service.ts";

type Transfer = { transactionHash: string; confidence: string; params: { value: string; to: string } };

/** The shipped quickstart, as a newcomer runs it: real chain, real service, real Node-RED, buttons pressed in order. */
describe("the quickstart flow", function () {
  this.timeout(90_000);

  let service: RunningService;
  let userDir: UserDir;
  let nodeRed: NodeRed;
  let flows: FlowNode[];
  let environment: Record<string, string>;

  before(async () => {
    [service, userDir, flows] = await Promise.all([
      startTestService(),
      UserDir.make(),
      example("01-quickstart"),
    ]);
    environment = flowEnvironment(service.ready) as Record<string, string>;
    nodeRed = await NodeRed.start(userDir, environment);
    await nodeRed.deploy(flows);
  });

  after(async () => {
    await nodeRed?.kill();
    await service?.close();
    await userDir?.remove();
  });

  const press = (name: string) => nodeRed.press(idOf(flows, "inject", name));
  const isTransfer =
    (confidence: string, known: ReadonlySet<string> = new Set()) =>
    (value: unknown) => {
      const transfer = value as Transfer;
      return transfer.confidence === confidence && !known.has(transfer.transactionHash);
    };

  /** The place is written at most once a second: only what was handed over since may come again. */
  const placeStored = async () => {
    const file = join(userDir.path, "crec-cursors", "quickstart.json");
    const stored = async () => JSON.parse(await readFile(file, "utf8")) as { state: { cursor: number } };
    const { base_url, api_key } = service.ready;
    const headers = { Authorization: `Apikey ${api_key}` };
    const channels = await (await fetch(`${base_url}/channels`, { headers })).json();
    const newest = `${base_url}/channels/${channels.data[0].channel_id}/events?limit=1`;
    const end = (await (await fetch(newest, { headers })).json()).events[0].headers.offset as number;
    while ((await stored()).state.cursor < end) await sleep(50);
  };

  it("waits for its channel, and says so", async () => {
    await nodeRed.status(idOf(flows, "crec-events-in"), "events-in.status.waiting-for-channel");
  });

  it("sets up a channel and a watcher, which becomes active", async () => {
    await press("Set up");
    const { value } = await nodeRed.showing("watcher is ready");
    should(value).have.properties({ status: "active", name: "quickstart-transfers" });
    const statuses = nodeRed.shown("watcher status").map((shown) => shown.value);
    should(statuses).deepEqual(["pending", "active"]);
    should(nodeRed.shown("watcher status").map((shown) => shown.topic)).deepEqual([
      "watcher.status/pending",
      "watcher.status/active",
    ]);
  });

  it("connects as soon as there is a channel, and shows notices as unsigned", async () => {
    await nodeRed.status(idOf(flows, "crec-events-in"), "events-in.status.connected");
    const { value } = await nodeRed.showing(
      "unsigned",
      (shown) => (shown as { status: string }).status === "active",
    );
    should(value).have.property("watcherId");
  });

  it("finds the same channel and watcher when Set up is pressed again", async () => {
    const first = nodeRed.shown("watcher is ready").at(0)?.value as { watcher_id: string };
    const before = nodeRed.shown("watcher is ready").length;
    await press("Set up");
    const isSecond = () => nodeRed.shown("watcher is ready").length > before;
    const { value } = await nodeRed.showing("watcher is ready", isSecond);
    should((value as { watcher_id: string }).watcher_id).equal(first.watcher_id);
  });

  it("receives a real transfer, verified and decoded, at each confidence", async () => {
    await press("Send 1 token");
    const latest = (await nodeRed.showing("verified", isTransfer("latest"))).value as Transfer;
    should(latest.params).have.properties({
      value: "1000000000000000000",
      to: "0x00000000000000000000000000000000DeaDBeef",
    });
    const finalized = (await nodeRed.showing("verified", isTransfer("finalized"))).value as Transfer;
    should(finalized.transactionHash).equal(latest.transactionHash);
    should(nodeRed.shown("verified").at(0)?.topic).equal("watcher.event/Transfer");
  });

  it("rejects a copy in which one character was changed, and says why", async () => {
    await press("Tamper");
    const { value } = await nodeRed.showing("rejected");
    should(value).have.properties({ verified: false, reason: "event_hash_mismatch" });
    should((value as { message: string }).message).match(/changed/);
  });

  it("goes on where it was after Node-RED was killed", async () => {
    const seen = new Set(nodeRed.shown("verified").map(({ value }) => (value as Transfer).transactionHash));
    await placeStored();
    await nodeRed.kill();
    nodeRed = await NodeRed.start(userDir, environment);
    await nodeRed.status(idOf(flows, "crec-events-in"), "events-in.status.connected");
    await press("Send 1 token");
    await nodeRed.showing("verified", isTransfer("latest", seen));
    const again = nodeRed
      .shown("verified")
      .filter(({ value }) => seen.has((value as Transfer).transactionHash));
    should(again).be.empty();
  });

  it("met no error on the way", () => {
    should(nodeRed.shown("error")).be.empty();
  });
});
