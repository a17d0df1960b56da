import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { generatePrivateKey } from "../../src/index.ts";
import { cursorStored } from "../support/cursor-file.ts";
import { example, type FlowNode, freshId, idOf, NodeRed, UserDir } from "../support/node-red.ts";
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

/** What the flow itself shows as statuses only: the outputs that the test looks at. */
const OBSERVERS = [
  { of: "crec-create-watcher", output: 0, name: "set up", complete: "crec" },
  { of: "crec-create-watcher", output: 1, name: "watcher status", complete: "payload.status" },
  { of: "crec-submit-operation", output: 0, name: "operation", complete: "payload" },
  { of: "crec-submit-operation", output: 1, name: "operation status", complete: "payload.status" },
];

function observed(flows: readonly FlowNode[]): FlowNode[] {
  const z = idOf(flows, "tab");
  const observers = OBSERVERS.map(({ name, complete }): FlowNode => {
    const shown = { active: true, tosidebar: true, complete, targetType: "msg", wires: [] };
    return { id: freshId(), type: "debug", z, name, ...shown };
  });
  const wiresOf = (node: FlowNode) =>
    (node.wires as string[][] | undefined)?.map((wires, output) => [
      ...wires,
      ...observers.flatMap(({ id }, index) => {
        const observer = OBSERVERS[index];
        return observer?.of === node.type && observer.output === output ? [id] : [];
      }),
    ]);
  return [
    ...flows.map((node) => ({ ...node, ...(node.wires ? { wires: wiresOf(node) } : {}) })),
    ...observers,
  ];
}

function pick(value: unknown, names: readonly string[]): unknown[] {
  return names.map((name) => (value as Record<string, unknown>)[name]);
}

/** The shipped quickstart, as a newcomer runs it: real chain, real service, real Node-RED, buttons pressed in order. */
describe("the quickstart flow", function () {
  this.timeout(120_000);

  let service: RunningService;
  let userDir: UserDir;
  let nodeRed: NodeRed;
  let shipped: FlowNode[];
  let flows: FlowNode[];
  let environment: Record<string, string>;

  before(async () => {
    [service, userDir, shipped] = await Promise.all([
      startTestService(),
      UserDir.make(),
      example("01-quickstart"),
    ]);
    flows = observed(shipped);
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
    (known: ReadonlySet<string> = new Set()) =>
    (value: unknown) => {
      const transfer = value as Transfer;
      // The faucet's transfers to the wallet are seen too.
      if (transfer.params?.to !== RECEIVER) return false;
      return !known.has(transfer.transactionHash);
    };

  const placeStored = () => cursorStored(userDir, "quickstart", service.ready);

  it("is offered under Import → Examples, as it is shipped", async () => {
    const offered = await nodeRed.fetch("library/examples/flows/@crec-nodes/node-red-crec/01-quickstart");
    should(await offered.json()).deepEqual(shipped);
  });

  /** Waits for its channel, and says so. */
  async function waits(): Promise<void> {
    await nodeRed.status(idOf(flows, "crec-events-in"), "waiting-for-channel");
  }

  /** Sets up a channel, a watcher and a wallet, and gets the wallet tokens. */
  async function setsUp(): Promise<void> {
    await press("Set up");
    const { value } = await nodeRed.showing("set up");
    should(value).have.properties({ found: false, status: "active" });
    should((value as { walletAddress: string }).walletAddress).match(/^0x[0-9a-fA-F]{40}$/);
    const statuses = nodeRed.shown("watcher status");
    should(statuses.map((shown) => shown.value)).deepEqual(["pending", "active"]);
    should(statuses.map((shown) => shown.topic)).deepEqual([
      "watcher.status/pending",
      "watcher.status/active",
    ]);
  }

  /** Connects as soon as there is a channel. */
  async function connects(): Promise<void> {
    await nodeRed.status(idOf(flows, "crec-events-in"), "connected");
  }

  /** Executes an operation, and shows each of its statuses. */
  async function executes(): Promise<void> {
    await press("Send 1 token");
    const { value, topic } = await nodeRed.showing("operation");
    should(value).have.property("status", "confirmed_latest");
    should((value as { transactionHash: string }).transactionHash).match(/^0x[0-9a-f]{64}$/);
    should(topic ?? "").equal("");
    await nodeRed.showing("operation status", (status) => status === "confirmed");
    should(nodeRed.shown("operation status").map((shown) => shown.value)).deepEqual(STATUSES);
    const texts = nodeRed.statuses(idOf(flows, "crec-submit-operation")).map(({ code }) => code);
    should(texts).deepEqual(["signing", ...STATUSES]);
  }

  /** Receives the transfer, verified and decoded, when it is final. */
  async function receives(): Promise<void> {
    const { value, topic } = await nodeRed.showing("verified", isTransfer());
    should(value).have.property("confidence", "finalized");
    should((value as Transfer).params).have.properties({ value: "1000000000000000000", to: RECEIVER });
    should(topic).equal("watcher.event/Transfer");
  }

  /** Rejects a copy in which one character was changed, and says why. */
  async function rejects(): Promise<void> {
    await press("Tamper");
    const { value } = await nodeRed.showing("rejected");
    should(value).have.properties({ verified: false, reason: "event_hash_mismatch" });
    should((value as { message: string }).message).match(/changed/);
  }

  /** Reads the balance, proven, with the block it was read at. */
  async function readsBalance(): Promise<void> {
    await press("Read balance");
    const { value } = await nodeRed.showing("balance");
    should(value).have.properties({ balance: "1", verified: true });
    const { block } = value as { block: { number: string; hash: string } };
    should(block.number).match(/^\d+$/);
    should(block.hash).match(/^0x[0-9a-f]{64}$/);
  }

  /** Has shown one message for each of these steps, the balance last. */
  function hasShown(): void {
    const observed = new Set(OBSERVERS.map(({ name }) => name));
    const seen = nodeRed.shown().filter(({ name }) => !observed.has(name));
    should(seen.map(({ name }) => name)).deepEqual(["verified", "rejected", "balance"]);
  }

  /** Finds channel, watcher and wallet again when Set up is pressed again. */
  async function findsAgain(): Promise<void> {
    const ids = ["channelId", "watcherId", "walletId", "walletAddress"];
    const first = pick(nodeRed.shown("set up").at(0)?.value, ids);
    await press("Set up");
    const { value } = await nodeRed.showing("set up", (shown) => (shown as { found: boolean }).found);
    should(pick(value, ids)).deepEqual(first);
  }

  /** Goes on where it was after Node-RED was killed. */
  async function goesOn(): Promise<void> {
    const seen = new Set(nodeRed.shown("verified").map(({ value }) => (value as Transfer).transactionHash));
    await placeStored();
    await nodeRed.kill();
    nodeRed = await NodeRed.start(userDir, environment);
    await nodeRed.status(idOf(flows, "crec-events-in"), "connected");
    await press("Send 1 token");
    await nodeRed.showing("verified", isTransfer(seen));
    const again = nodeRed
      .shown("verified")
      .filter(({ value }) => seen.has((value as Transfer).transactionHash));
    should(again).be.empty();
  }

  it("goes from setting up to a proven balance, again when it is set up twice, and on after Node-RED was killed", async () => {
    await waits();
    await setsUp();
    await connects();
    await executes();
    await receives();
    await rejects();
    await readsBalance();
    hasShown();
    await findsAgain();
    await goesOn();
    should(nodeRed.shown("error")).be.empty();
  });
});
