import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { encodeFunctionCall } from "../../src/abi/index.ts";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import { ask, harnessFlow, type Message } from "../support/flow-harness.ts";
import type { FlowNode, NodeRed } from "../support/node-red.ts";
import {
  apiNode,
  channelNode,
  connectionNode,
  contractNode,
  createWatcherNode,
  eventsInNode,
} from "../support/nodes.ts";
import { type Passing, ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";

const CONNECTED = "connected";
/** A node that waits for what it asked would take its time-out of 10 s, or for ever. */
const CLOSE_MS = 6_000;

/** What becomes of nodes at work when the flow is deployed again, and of events on their way. */
describe("events in and deploys", function () {
  this.timeout(120_000);

  let service: RunningService;
  let proxy: ServiceProxy;
  let borrowed: Borrowed;
  let nodeRed: NodeRed;
  let config: FlowNode[];

  before(async () => {
    [service, borrowed] = await Promise.all([startTestService(), borrowNodeRed()]);
    proxy = await ServiceProxy.before(service.ready.base_url);
    nodeRed = borrowed.nodeRed;
    config = [
      connectionNode(service.ready, { baseUrl: proxy.baseUrl }),
      channelNode({ createMissing: true }),
      contractNode(service.ready),
      contractNode(service.ready, {
        id: "counter",
        address: service.ready.contracts.Counter,
        abi: "event Incremented(address indexed by, uint256 amount, uint256 count)",
      }),
    ];
  });

  afterEach(() => {
    proxy.harm = () => undefined;
  });

  after(async () => {
    await borrowed?.giveBack();
    await proxy?.close();
    await service?.close();
  });

  type DeployType = Parameters<NodeRed["deploy"]>[1];
  const deploy = (nodes: ReadonlyArray<[FlowNode, number]>, type?: DeployType) =>
    nodeRed.deploy(harnessFlow(type === "nodes" ? config.map(asEdited) : config, nodes), type);
  /** As the editor sends a node whose credentials were not touched: with them, it counts as changed. */
  const asEdited = ({ credentials: _, ...node }: FlowNode): FlowNode => node;
  const isPoll = ({ method, path }: Passing) => method === "GET" && path.endsWith("/events");
  const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };

  describe("a deploy", () => {
    it("never leaves a second poller", async () => {
      const node = eventsInNode({ id: "poller", pollMin: "0.25", pollMax: "0.25" });
      for (const [number, type] of (["full", "nodes", "flows", "full", "nodes"] as const).entries()) {
        await deploy([[{ ...node, name: `deploy ${number}` }, 2]], type);
      }
      await nodeRed.status("poller", CONNECTED);
      await proxy.next(1, isPoll);
      const polls = await proxy.next(8, isPoll);
      const gaps = polls.slice(1).map(({ at }, index) => at - (polls[index]?.at ?? 0));
      should(Math.min(...gaps)).be.above(200);
      should(nodeRed.log).not.match(/Close timed out|Error stopping/i);
    });

    it("without the node leaves none at all", async () => {
      const other = await ServiceProxy.before(service.ready.base_url);
      try {
        // Another node that asks as often, by a connection of its own.
        const [connection, channel] = config;
        const apart = [
          { ...connection, id: "other-connection", baseUrl: other.baseUrl },
          { ...channel, id: "other-channel", connection: "other-connection" },
        ] as FlowNode[];
        const node = eventsInNode({
          id: "apart",
          channel: "other-channel",
          pollMin: "0.25",
          pollMax: "0.25",
        });
        await nodeRed.deploy(harnessFlow([...config, ...apart], [[node, 2]]));
        const before = proxy.passed.length;
        await other.next(5, isPoll);
        should(proxy.passed.length).equal(before);
      } finally {
        await deploy([]);
        await other.close();
      }
    });

    it("closes a node at once whose poll is stalled", async () => {
      proxy.harm = (passing) => (isPoll(passing) ? { kind: "stall" } : undefined);
      const polled = proxy.next(1, isPoll);
      await deploy([[eventsInNode({ id: "stalled" }), 2]]);
      await polled;
      should(await timeOf(() => deploy([]))).be.below(CLOSE_MS);
    });

    it("closes a node at once that waits for its channel, or for its service", async () => {
      const nowhere = channelNode({ id: "missing-channel", channel: "nowhere" });
      await nodeRed.deploy(
        harnessFlow([...config, nowhere], [[eventsInNode({ id: "waits", channel: "missing-channel" }), 2]]),
      );
      await nodeRed.status("waits", "waiting-for-channel");
      should(await timeOf(() => deploy([]))).be.below(CLOSE_MS);
      await proxy.goDown();
      await deploy([[eventsInNode({ id: "unserved" }), 2]]);
      await nodeRed.status("unserved", ({ fill }) => fill === "red");
      should(await timeOf(() => deploy([]))).be.below(CLOSE_MS);
      await proxy.comeBack();
    });

    it("ends a call that is stalled with WAIT_INTERRUPTED", async () => {
      proxy.harm = () => ({ kind: "stall" });
      await deploy([[apiNode({ id: "slow" }), 1]]);
      const called = proxy.next(1);
      await nodeRed.press("press-slow", { payload: "/networks", kept: "as it was" });
      await called;
      const time = await timeOf(() => deploy([[apiNode({ id: "slow", name: "changed" }), 1]], "nodes"));
      should(time).be.below(CLOSE_MS);
      const { value } = await nodeRed.shows(
        ({ name, value }) => name === "error" && (value as Message).error?.source.id === "slow",
      );
      should((value as Message).error?.code).equal("WAIT_INTERRUPTED");
      should(value).have.property("kept", "as it was");
    });

    it("of one node does not end what another waits for at the same channel", async () => {
      const isLookUp = ({ path }: Passing) => path.endsWith("/channels");
      proxy.harm = (passing) => (isLookUp(passing) ? { kind: "stall" } : undefined);
      const [first, second] = ["first", "second"].map((id) =>
        createWatcherNode({ id, watcherName: "shared", timeout: "20" }),
      );
      if (!first || !second) throw new Error("There are two.");
      await deploy([
        [first, 2],
        [second, 2],
      ]);
      const looked = proxy.next(1, isLookUp);
      await nodeRed.press("press-first", {});
      await looked;
      const answered = ask(nodeRed, "second", {});
      // Both are under way when this is heard.
      await nodeRed.status("second", "creating");
      proxy.harm = () => undefined;
      await deploy(
        [
          [{ ...first, name: "changed" }, 2],
          [second, 2],
        ],
        "nodes",
      );
      should((await answered).payload).have.properties({ name: "shared", status: "active" });
    });

    const pending = (body: string) => body.replaceAll('"active"', '"pending"');

    it("of the whole flow does not lose the wait for a watcher", async () => {
      proxy.harm = ({ path }) =>
        path.includes("/watchers/") ? { kind: "change", change: pending } : undefined;
      const node = createWatcherNode({ id: "resumed", watcherName: "resumed" });
      await deploy([[node, 2]]);
      await nodeRed.press("press-resumed", { kept: "as it was" });
      await nodeRed.showing("resumed:1");
      await proxy.next(1, ({ path }) => path.includes("/watchers/"));
      await deploy([[node, 2]]);
      should(nodeRed.statuses("resumed").map(({ code }) => code)).containEql("interrupted");
      proxy.harm = () => undefined;
      const { value } = await nodeRed.showing("resumed:0");
      should(value).match({ kept: "as it was", payload: { name: "resumed" } });
      should((value as Message).crec).match({ status: "active", resumed: true, found: false });
    });

    it("ends the wait for a watcher with WAIT_INTERRUPTED where it is not resumed", async () => {
      proxy.harm = ({ path }) =>
        path.includes("/watchers/") ? { kind: "change", change: pending } : undefined;
      const node = createWatcherNode({ id: "waiting", watcherName: "interrupted", resume: false });
      await deploy([[node, 2]]);
      await nodeRed.press("press-waiting", { kept: "as it was" });
      const { value: notice } = await nodeRed.showing("waiting:1");
      const watcherId = (notice as Message).crec?.watcherId;
      await proxy.next(1, ({ path }) => path.includes("/watchers/"));
      should(await timeOf(() => deploy([[{ ...node, name: "changed" }, 2]], "nodes"))).be.below(CLOSE_MS);
      const { value } = await nodeRed.shows(
        ({ name, value }) => name === "error" && (value as Message).error?.source.id === "waiting",
      );
      const { error, crec, kept } = value as Message;
      should(error?.code).equal("WAIT_INTERRUPTED");
      should(crec).have.property("watcherId", watcherId);
      should(kept).equal("as it was");
      // The same message again takes up the wait.
      proxy.harm = () => undefined;
      const again = await ask(nodeRed, "waiting", {});
      should(again.crec).have.properties({ watcherId, status: "active", found: true });
    });
  });

  describe("two nodes of one consumer name", () => {
    const errorsOf = (id: string) =>
      nodeRed.shows(({ name, value }) => {
        const { error } = value as Message;
        return name === "error" && error?.source.id === id && error.code === "CONSUMER_NAME_TAKEN";
      });
    const isRed = ({ fill }: { fill?: string }) => fill === "red";

    it("only the second one is red, and reads once it is renamed", async () => {
      const [one, two] = ["twin-one", "twin-two"].map((id) => eventsInNode({ id, consumer: "twins" }));
      if (!one || !two) throw new Error("There are two.");
      await deploy([
        [one, 2],
        [two, 2],
      ]);
      await errorsOf("twin-two");
      await proxy.next(3, isPoll);
      await Promise.all([nodeRed.status("twin-one", CONNECTED), nodeRed.status("twin-two", isRed)]);
      await deploy(
        [
          [one, 2],
          [{ ...two, consumer: "no-twin" }, 2],
        ],
        "nodes",
      );
      await Promise.all(["twin-one", "twin-two"].map((id) => nodeRed.status(id, CONNECTED)));
    });

    it("on two channels is as wrong: the place is kept in one file", async () => {
      const elsewhere = channelNode({ id: "other-channel", channel: "elsewhere", createMissing: true });
      const [one, two] = [
        eventsInNode({ id: "cousin-one", consumer: "cousins" }),
        eventsInNode({ id: "cousin-two", consumer: "cousins", channel: "other-channel" }),
      ];
      await nodeRed.deploy(
        harnessFlow(
          [...config, elsewhere],
          [
            [one, 2],
            [two, 2],
          ],
        ),
      );
      await errorsOf("cousin-two");
      await nodeRed.status("cousin-two", isRed);
      const polls = await proxy.next(4, isPoll);
      should(new Set(polls.map(({ path }) => path)).size).equal(1);
    });
  });

  describe("what is wanted of a channel", () => {
    type Seen = { payload: { name?: string; confidence?: string }; crec: { eventId: string; type: string } };
    const seen = (id: string): Seen[] => nodeRed.shown(`${id}:0`).map(({ value }) => value as Seen);
    const idsOf = (events: readonly Seen[]) => events.map(({ crec }) => crec.eventId);

    /** Each setting, with what it lets through. */
    const settings: Array<[string, Partial<FlowNode>, (event: Seen) => boolean]> = [
      ["nothing in particular", {}, () => true],
      ["a type", { types: ["watcher.event"] }, ({ crec }) => crec.type === "watcher.event"],
      [
        "two types",
        { types: ["watcher.status", "wallet.status"] },
        ({ crec }) => crec.type === "watcher.status",
      ],
      ["a contract event", { contractEvent: "Incremented" }, ({ payload }) => payload.name === "Incremented"],
      [
        "a contract event by its signature",
        { contractEvent: "Transfer(address,address,uint256)" },
        ({ payload }) => payload.name === "Transfer",
      ],
      [
        "what is final",
        { types: ["watcher.event"], confidence: "finalized" },
        ({ payload }) => payload.confidence === "finalized",
      ],
      [
        "what is final of one event",
        { contractEvent: "Transfer", confidence: "safe" },
        ({ payload }) => payload.name === "Transfer" && payload.confidence === "finalized",
      ],
      ["a start in the past", { start: "time", startValue: "2026-01-31T12:00:00Z" }, () => true],
    ];
    const idOf = (index: number) => `wanted-${index}`;
    let all: Seen[];

    before(async () => {
      await deploy([
        [createWatcherNode({ id: "tokens", watcherName: "tokens" }), 2],
        [
          createWatcherNode({
            ...{ id: "counts", watcherName: "counts", contract: "counter", events: "Incremented" },
          }),
          2,
        ],
        [
          apiNode({
            id: "faucet",
            pathType: "str",
            path: "/local/faucet",
            method: "POST",
            body: "{}",
            bodyType: "json",
          }),
          1,
        ],
        [
          apiNode({
            id: "mine",
            pathType: "str",
            path: "/local/mine",
            method: "POST",
            body: '{"blocks":1}',
            bodyType: "json",
          }),
          1,
        ],
        ...settings.map(([, setting], index): [FlowNode, number] => [
          eventsInNode({ id: idOf(index), verify: false, ...setting }),
          2,
        ]),
      ]);
      await Promise.all([ask(nodeRed, "tokens", {}), ask(nodeRed, "counts", {})]);
      await ask(nodeRed, "faucet", {});
      await increment();
      await ask(nodeRed, "mine", {});
      for (const name of ["Transfer", "Incremented"]) {
        await nodeRed.shows((shown) => {
          const { payload } = shown.value as Seen;
          return shown.name === `${idOf(0)}:0` && payload.name === name && payload.confidence === "finalized";
        });
      }
      all = seen(idOf(0));
    });

    /** A call of the demo counter, straight on the chain. */
    async function increment(): Promise<void> {
      const rpc = async (method: string, params: unknown[]) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
        const headers = { "content-type": "application/json" };
        const answer = await fetch(service.ready.rpc_url, { method: "POST", headers, body });
        return ((await answer.json()) as { result: unknown }).result;
      };
      const [, from] = (await rpc("eth_accounts", [])) as string[];
      const abi = [
        { type: "function", name: "increment", inputs: [], outputs: [], stateMutability: "nonpayable" },
      ];
      const { data } = encodeFunctionCall({ abi: abi as never, function: "increment", args: [] });
      const hash = await rpc("eth_sendTransaction", [{ from, to: service.ready.contracts.Counter, data }]);
      should(hash).match(/^0x/);
    }

    for (const [index, [what, , isWanted]] of settings.entries()) {
      it(what, async () => {
        const expected = idsOf(all.filter(isWanted));
        should(expected).not.be.empty();
        const last = expected.at(-1);
        await nodeRed.shows(
          ({ name, value }) => name === `${idOf(index)}:0` && (value as Seen).crec.eventId === last,
        );
        should(idsOf(seen(idOf(index)).filter(({ crec }) => idsOf(all).includes(crec.eventId)))).deepEqual(
          expected,
        );
        should(seen(idOf(index)).every(isWanted)).be.true();
      });
    }
  });

  describe("events that were changed on the way", () => {
    it("leave by the second output, with the reason, and the true ones by the first", async () => {
      const forge = (body: string) => {
        const page = JSON.parse(body) as {
          events: Array<{ headers: { type: string }; payload: { verifiable_event?: string } }>;
        };
        for (const { payload } of page.events) {
          const signed = Buffer.from(payload.verifiable_event ?? "", "base64").toString();
          if (!signed.includes('"Transfer"')) continue;
          const forged = signed.replace(/"value":"\d/, '"value":"9');
          payload.verifiable_event = Buffer.from(forged).toString("base64");
        }
        return JSON.stringify(page);
      };
      proxy.harm = (passing) => (isPoll(passing) ? { kind: "change", change: forge } : undefined);
      await deploy([
        [eventsInNode({ id: "checks", types: ["watcher.event"] }), 2],
        [eventsInNode({ id: "trusts", types: ["watcher.event"], verify: false }), 2],
      ]);
      const { value } = await nodeRed.showing("checks:1");
      const { payload, topic, crec } = value as Message;
      should(topic).equal("watcher.event/Transfer");
      should(payload).have.property("name", "Transfer");
      should(crec?.verification).have.properties({ verified: false, reason: "event_hash_mismatch" });
      should(crec).have.keys("event", "eventId", "offset", "channelId", "type", "verification");
      await nodeRed.showing("checks:0", (other) => {
        const { payload: one, crec: found } = other as Message;
        const verification = found?.verification as { verified?: boolean } | undefined;
        return (one as { name: string }).name === "Incremented" && verification?.verified === true;
      });
      const names = (port: string) =>
        new Set(
          nodeRed.shown(port).map(({ value: one }) => ((one as Message).payload as { name: string }).name),
        );
      should([...names("checks:0")]).deepEqual(["Incremented"]);
      should([...names("checks:1")]).deepEqual(["Transfer"]);
      await nodeRed.showing(
        "trusts:0",
        (one) => ((one as Message).payload as { name: string }).name === "Transfer",
      );
      should(nodeRed.shown("trusts:1")).be.empty();
    });
  });
});
