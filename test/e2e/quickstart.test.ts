import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { generatePrivateKey } from "../../src/index.ts";
import { cursorStored } from "../support/cursor-file.ts";
import { example, type FlowNode, idOf, NodeRed, UserDir } from "../support/node-red.ts";
import { flowEnvironment, startTestService } from "../support/service.ts";

type Transfer = { transactionHash: string; confidence: string; params: { value: string; to: string } };

const RECEIVER = "0x00000000000000000000000000000000DeaDBeef";
const STATUSES = [
  "accepted",
  "sending",
  "sent",
  "broadcasting",
  "confirmed_latest",
  "confirmed_safe",
  "confirmed",
];

function pick(value: unknown, names: readonly string[]): unknown[] {
  return names.map((name) => (value as Record<string, unknown>)[name]);
}

/** The shipped quickstart, as a newcomer runs it: real chain, real service, real Node-RED, buttons pressed in order. */
describe("the quickstart flow", function () {
  this.timeout(120_000);

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
    environment = { ...flowEnvironment(service.ready), CREC_SIGNER_KEY: generatePrivateKey() } as Record<
      string,
      string
    >;
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
      // The faucet's transfers to the wallet are seen too.
      if (transfer.params?.to !== RECEIVER) return false;
      return transfer.confidence === confidence && !known.has(transfer.transactionHash);
    };

  const placeStored = () => cursorStored(userDir, "quickstart", service.ready);

  it("is offered under Import → Examples, as it is shipped", async () => {
    const offered = await nodeRed.fetch("library/examples/flows/@crec-nodes/node-red-crec/01-quickstart");
    should(await offered.json()).deepEqual(flows);
  });

  it("waits for its channel, and says so", async () => {
    await nodeRed.status(idOf(flows, "crec-events-in"), "events-in.status.waiting-for-channel");
  });

  it("sets up a channel, a watcher and a wallet, and gets the wallet tokens", async () => {
    await press("Set up");
    const { value } = await nodeRed.showing("ready");
    should(value).have.properties({ found: false, status: "active" });
    should((value as { walletAddress: string }).walletAddress).match(/^0x[0-9a-fA-F]{40}$/);
    const statuses = nodeRed.shown("watcher status");
    should(statuses.map((shown) => shown.value)).deepEqual(["pending", "active"]);
    should(statuses.map((shown) => shown.topic)).deepEqual([
      "watcher.status/pending",
      "watcher.status/active",
    ]);
  });

  it("connects as soon as there is a channel, and shows notices apart", async () => {
    await nodeRed.status(idOf(flows, "crec-events-in"), "node-red:common.status.connected");
    const { value } = await nodeRed.showing(
      "notices",
      (shown) => (shown as { status: string }).status === "active",
    );
    should(value).have.property("watcherId");
  });

  it("finds channel, watcher and wallet again when Set up is pressed again", async () => {
    const ids = ["channelId", "watcherId", "walletId", "walletAddress"];
    const first = pick(nodeRed.shown("ready").at(0)?.value, ids);
    await press("Set up");
    const { value } = await nodeRed.showing("ready", (shown) => (shown as { found: boolean }).found);
    should(pick(value, ids)).deepEqual(first);
  });

  it("executes an operation, and shows each of its statuses", async () => {
    await press("Send 1 token");
    const { value, topic } = await nodeRed.showing("operation");
    should(value).have.property("status", "confirmed_latest");
    should((value as { transactionHash: string }).transactionHash).match(/^0x[0-9a-f]{64}$/);
    should(topic ?? "").equal("");
    await nodeRed.showing("operation status", (status) => status === "confirmed");
    should(nodeRed.shown("operation status").map((shown) => shown.value)).deepEqual(STATUSES);
    const texts = nodeRed.statuses(idOf(flows, "crec-submit-operation")).map(({ text }) => text);
    should(texts).deepEqual(["submit-operation.status.signing", ...STATUSES]);
  });

  it("receives a real transfer, verified and decoded, at each confidence", async () => {
    const latest = (await nodeRed.showing("verified", isTransfer("latest"))).value as Transfer;
    should(latest.params).have.properties({
      value: "1000000000000000000",
      to: RECEIVER,
    });
    const finalized = (await nodeRed.showing("verified", isTransfer("finalized"))).value as Transfer;
    should(finalized.transactionHash).equal(latest.transactionHash);
    const { topic } = await nodeRed.showing("verified", isTransfer("finalized"));
    should(topic).equal("watcher.event/Transfer");
  });

  it("has the operation's statuses on the channel too, those above confirmed_latest proven", async () => {
    const statusesOf = (name: string) =>
      nodeRed
        .shown(name)
        .flatMap(({ value, topic }) =>
          topic === "operation.status" ? [(value as { status: string }).status] : [],
        );
    await nodeRed.showing("verified", (value) => (value as { status: string }).status === "confirmed");
    should(statusesOf("notices")).deepEqual(STATUSES.slice(0, 4));
    should(statusesOf("verified")).deepEqual(STATUSES.slice(4));
  });

  it("reads the balance, proven, with the block it was read at", async () => {
    await press("Read balance");
    const { value } = await nodeRed.showing("balance");
    should(value).have.properties({ balance: "1", verified: true });
    const { block } = value as { block: { number: string; hash: string } };
    should(block.number).match(/^\d+$/);
    should(block.hash).match(/^0x[0-9a-f]{64}$/);
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
    await nodeRed.status(idOf(flows, "crec-events-in"), "node-red:common.status.connected");
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
