import { randomUUID } from "node:crypto";
import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import { ask, harnessFlow, type Message, refuse } from "../support/flow-harness.ts";
import type { FlowNode, NodeRed } from "../support/node-red.ts";
import {
  apiNode,
  channelNode,
  connectionNode,
  contractNode,
  createWatcherNode,
  eventsInNode,
  manageNode,
  TRANSFER_ABI,
  verifyEventNode,
} from "../support/nodes.ts";
import { type Harm, ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";
import { TRANSFER } from "../support/transfer.ts";

const RIGHT_KEY = `right-${randomUUID()}`;
const WRONG_KEY = `wrong-${randomUUID()}`;
const NOBODY = "00000000-0000-4000-8000-000000000000";

/** What a flow author relies on when something is wrong: a code for the flow, a sentence for people, and no harm. */
describe("errors of the nodes", function () {
  this.timeout(120_000);

  let service: RunningService;
  let proxy: ServiceProxy;
  let borrowed: Borrowed;
  let nodeRed: NodeRed;

  before(async () => {
    [service, borrowed] = await Promise.all([startTestService({ apiKey: RIGHT_KEY }), borrowNodeRed()]);
    proxy = await ServiceProxy.before(service.ready.base_url);
    nodeRed = borrowed.nodeRed;
    const created = await fetch(`${service.ready.base_url}/channels`, {
      method: "POST",
      headers: { authorization: `Apikey ${RIGHT_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "harness" }),
    });
    should(created.status).equal(201);
    // So that there is an event at which a node can start.
    const { channel_id } = (await created.json()) as { channel_id: string };
    const watched = await fetch(`${service.ready.base_url}/channels/${channel_id}/watchers`, {
      method: "POST",
      headers: { authorization: `Apikey ${RIGHT_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({
        ...{ name: "makes events", chain_selector: service.ready.chain_selector, events: ["Transfer"] },
        ...{ address: service.ready.contracts.DemoToken, abi: [TRANSFER] },
      }),
    });
    should(watched.status).equal(201);
  });

  after(async () => {
    await borrowed?.giveBack();
    await proxy?.close();
    await service?.close();
  });

  const connection = (properties: Partial<FlowNode> = {}) =>
    connectionNode(service.ready, { baseUrl: proxy.baseUrl, ...properties });
  const contract = (properties?: Partial<FlowNode>) => contractNode(service.ready, properties);

  const isRed = ({ fill }: { fill?: string }) => fill === "red";
  const isFine = ({ fill }: { fill?: string }) => fill === "green" || fill === "blue";

  function checkError(msg: Message, id: string, code: string): void {
    should(msg.error).be.ok();
    const { error = { message: "", code: "", source: { id: "" } } } = msg;
    should(error.code).equal(code, error.message);
    should(error.source.id).equal(id);
    // Node-RED writes the error's class before the sentence.
    const sentence = error.message.replace(/^\w+: /, "");
    // What the service itself said may follow, as it said it.
    should(sentence).match(/^["A-Z0-9].*\.( It said: .*)?$/s);
    should(sentence.length).be.below(400);
    should(sentence).not.match(/undefined|\[object|TypeError/);
    should(msg).have.property("kept", "as it was");
  }

  /** Sends what is refused, then what is good, through one and the same node. */
  async function refusedThenFine(id: string, code: string, bad: Message, good: Message): Promise<void> {
    checkError(await refuse(nodeRed, id, { kept: "as it was", ...bad }), id, code);
    await nodeRed.status(id, isRed);
    should(nodeRed.statuses(id).at(-1)).have.properties({ fill: "red", shape: "ring" });
    await ask(nodeRed, id, good);
    await nodeRed.status(id, isFine);
  }

  const deployGood = () =>
    nodeRed.deploy(
      harnessFlow(
        [connection(), connection({ id: "hasty", timeout: "0.4" }), channelNode(), contract()],
        [
          [manageNode("channels.get", { id: "get-channel" }), 1],
          [manageNode("watchers.get", { id: "get-watcher" }), 1],
          [createWatcherNode({ id: "events-by-message", events: "payload", eventsType: "msg" }), 2],
          [createWatcherNode({ id: "name-by-message", watcherName: "payload", watcherNameType: "msg" }), 2],
          [
            createWatcherNode({
              id: "differs",
              watcherName: "payload.name",
              watcherNameType: "msg",
              events: "payload.events",
              eventsType: "msg",
              contract: "two-events",
            }),
            2,
          ],
          [createWatcherNode({ id: "impatient", timeout: "0.5" }), 2],
          [apiNode(), 1],
          [apiNode({ id: "hasty-api", connection: "hasty" }), 1],
          [apiNode({ id: "jsonata", path: "$substring(payload, 0)", pathType: "jsonata" }), 1],
          [verifyEventNode(), 3],
        ],
      ).concat(contract({ id: "two-events", abi: `${TRANSFER_ABI}\nevent Approval(address owner)` })),
    );

  describe("by what a message holds: the next message works", () => {
    before(deployGood);

    it("an unknown channel, by name", () =>
      refusedThenFine("get-channel", "CHANNEL_NOT_FOUND", { payload: "nowhere" }, { payload: "harness" }));

    it("an unknown channel, by id", () =>
      refusedThenFine("get-channel", "CHANNEL_NOT_FOUND", { payload: NOBODY }, { payload: "harness" }));

    it("an unknown channel, by msg.crec.channelId", () =>
      refusedThenFine(
        "events-by-message",
        "CHANNEL_NOT_FOUND",
        { payload: "Transfer", crec: { channelId: NOBODY } },
        { payload: "Transfer" },
      ));

    it("an empty required field", () =>
      refusedThenFine("get-channel", "MISSING_VALUE", { payload: "" }, { payload: "harness" }));

    it("a required field that the message lacks", () =>
      refusedThenFine("get-channel", "MISSING_VALUE", {}, { payload: "harness" }));

    it("a field that came to an object", () =>
      refusedThenFine(
        "get-channel",
        "INVALID_FIELD",
        { payload: { name: "harness" } },
        { payload: "harness" },
      ));

    it("no event named", () =>
      refusedThenFine("events-by-message", "MISSING_VALUE", { payload: " , " }, { payload: "Transfer" }));

    it("an event that is not in the ABI", () =>
      refusedThenFine(
        "events-by-message",
        "EVENT_NOT_IN_ABI",
        { payload: "Transfers" },
        { payload: "Transfer" },
      ));

    it("a watcher's name that is too short", () =>
      refusedThenFine("name-by-message", "INVALID_ARGUMENT", { payload: "abc" }, { payload: "abcd" }));

    it("a watcher of that name which watches something else", async () => {
      await ask(nodeRed, "differs", { payload: { name: "taken", events: ["Transfer"] } });
      await refusedThenFine(
        "differs",
        "WATCHER_DIFFERS",
        { payload: { name: "taken", events: ["Approval"] } },
        { payload: { name: "taken", events: ["Transfer"] } },
      );
    });

    it("an unknown watcher, by name and by id", async () => {
      const { crec } = await ask(nodeRed, "name-by-message", { payload: "there-is-one" });
      should(crec).have.property("status", "active");
      const good = { payload: "there-is-one" };
      await refusedThenFine("get-watcher", "WATCHER_NOT_FOUND", { payload: "there-is-none" }, good);
      await refusedThenFine("get-watcher", "WATCHER_NOT_FOUND", { payload: NOBODY }, good);
    });

    it("a path that the service does not know", () =>
      refusedThenFine("api", "NOT_FOUND", { payload: "/nothing/here" }, { payload: "/networks" }));

    it("a path without its slash", () =>
      refusedThenFine("api", "INVALID_FIELD", { payload: "networks" }, { payload: "/networks" }));

    it("a path with a space", () =>
      refusedThenFine("api", "INVALID_ARGUMENT", { payload: "/net works" }, { payload: "/networks" }));

    it("an expression that cannot be evaluated", () =>
      refusedThenFine("jsonata", "INVALID_FIELD", { payload: 1 }, { payload: "/networks" }));

    it("no event to verify", async () => {
      checkError(await refuse(nodeRed, "verify", { kept: "as it was" }), "verify", "EVENT_MISSING");
      await nodeRed.status("verify", isRed);
      const notice = {
        event_id: NOBODY,
        headers: { type: "watcher.status", offset: 1, proofs: [] },
        payload: {
          ...{ watcher_id: NOBODY, status: "active", status_reason: "" },
          ...{ chain_selector: "1", timestamp: 1 },
        },
      };
      await ask(nodeRed, "verify", { crec: { event: notice } }, 2);
      await nodeRed.status("verify", isFine);
    });
  });

  describe("by what the service does: the next message works once it is well again", () => {
    before(deployGood);

    const whileHarmed = async (harm: Harm, work: () => Promise<unknown>) => {
      proxy.harm = () => harm;
      await work().finally(() => {
        proxy.harm = () => undefined;
      });
    };
    const fails = (id: string, code: string) => async () => {
      const bad = { kept: "as it was", payload: "/networks" };
      checkError(await refuse(nodeRed, id, bad), id, code);
      await nodeRed.status(id, isRed);
    };
    const works = async (id: string) => {
      await ask(nodeRed, id, { payload: "/networks" });
      await nodeRed.status(id, isFine);
    };

    it("a service that is down", async () => {
      await proxy.goDown();
      await fails("api", "SERVICE_UNREACHABLE")();
      await proxy.comeBack();
      await works("api");
    });

    it("a key that is refused", async () => {
      const body = JSON.stringify({ type: "UNAUTHORIZED", message: `no such key: ${RIGHT_KEY}` });
      await whileHarmed({ kind: "answer", status: 401, body }, fails("api", "KEY_REFUSED"));
      await works("api");
    });

    it("a rate limit", async () => {
      const body = JSON.stringify({ type: "VALIDATION_ERROR", message: "slow down" });
      await whileHarmed({ kind: "answer", status: 429, body }, fails("api", "RATE_LIMITED"));
      await works("api");
    });

    it("an error of the service", async () => {
      const body = JSON.stringify({ type: "INTERNAL_ERROR", message: "it broke" });
      await whileHarmed({ kind: "answer", status: 500, body }, fails("api", "SERVICE_ERROR"));
      await works("api");
    });

    it("an answer that is no JSON", async () => {
      const page = { kind: "answer", status: 200, body: "<h1>Welcome</h1>", type: "text/html" } as const;
      await whileHarmed(page, fails("api", "BAD_RESPONSE"));
      await works("api");
    });

    it("no answer in time", async () => {
      await whileHarmed({ kind: "stall" }, fails("hasty-api", "TIMEOUT"));
      await works("hasty-api");
    });

    it("a watcher that does not become active in time", async () => {
      const pending = (body: string) => body.replaceAll('"active"', '"pending"');
      await whileHarmed({ kind: "change", change: pending }, async () => {
        const msg = await refuse(nodeRed, "impatient", { kept: "as it was" });
        checkError(msg, "impatient", "WAIT_TIMEOUT");
        await nodeRed.status("impatient", isRed);
      });
      await ask(nodeRed, "impatient", {});
      await nodeRed.status("impatient", isFine);
    });

    it("a watcher that fails", async () => {
      const failed = (body: string) => body.replaceAll(/"(active|pending)"/g, '"failed"');
      await whileHarmed({ kind: "change", change: failed }, async () => {
        const msg = await refuse(nodeRed, "name-by-message", { kept: "as it was", payload: "will-fail" });
        checkError(msg, "name-by-message", "WATCHER_FAILED");
        await nodeRed.status("name-by-message", isRed);
      });
      await ask(nodeRed, "name-by-message", { payload: "will-fail" });
      await nodeRed.status("name-by-message", isFine);
    });
  });

  describe("by how a node is set up: it works once that is fixed and deployed", () => {
    /** Each broken node, with the code it must give and what it is once it is fixed. */
    type Case = {
      what: string;
      code: string;
      config?: () => FlowNode | FlowNode[];
      bad: FlowNode;
      good: FlowNode;
      ports?: number;
    };
    const cases: Case[] = (() => {
      const withConnection = (id: string, properties: Partial<FlowNode>) => ({
        config: () => connection({ id: `${id}-connection`, ...properties }),
        bad: apiNode({ id, connection: `${id}-connection` }),
        good: apiNode({ id }),
      });
      const withContract = (id: string, properties: Partial<FlowNode>) => ({
        config: () => contract({ id: `${id}-contract`, ...properties }),
        bad: createWatcherNode({ id, contract: `${id}-contract` }),
        good: createWatcherNode({ id }),
        ports: 2,
      });
      const withChannel = (id: string, properties: Partial<FlowNode>) => ({
        config: () => channelNode({ id: `${id}-channel`, ...properties }),
        bad: createWatcherNode({ id, channel: `${id}-channel` }),
        good: createWatcherNode({ id }),
        ports: 2,
      });
      return [
        {
          what: "a wrong API key",
          code: "KEY_REFUSED",
          ...withConnection("wrong-key", { credentials: { apiKey: WRONG_KEY } }),
        },
        {
          what: "no API key",
          code: "CONNECTION_INCOMPLETE",
          ...withConnection("no-key", { credentials: {} }),
        },
        {
          what: "a timeout that is not a number",
          code: "INVALID_FIELD",
          ...withConnection("no-time", { timeout: "soon" }),
        },
        { what: "no base URL", code: "CONNECTION_INCOMPLETE", ...withConnection("no-url", { baseUrl: " " }) },
        {
          what: "a base URL that is none",
          code: "CONNECTION_INCOMPLETE",
          ...withConnection("bad-url", { baseUrl: "crec" }),
        },
        {
          what: "a base URL of another protocol",
          code: "INVALID_ARGUMENT",
          ...withConnection("ftp", { baseUrl: "ftp://127.0.0.1/v1" }),
        },
        {
          what: "no connection",
          code: "CONNECTION_MISSING",
          bad: apiNode({ id: "alone", connection: "" }),
          good: apiNode({ id: "alone" }),
        },
        {
          what: "a connection that was deleted",
          code: "CONFIG_NODE_DELETED",
          bad: verifyEventNode({ id: "orphan", connection: "gone" }),
          good: apiNode({ id: "orphan" }),
        },
        {
          what: "a disabled connection",
          code: "CONFIG_NODE_DISABLED",
          ...withConnection("off", { d: true }),
        },
        {
          what: "a channel of a disabled tab",
          code: "CONFIG_NODE_DISABLED",
          ...withChannel("elsewhere", { z: "disabled-tab" }),
          config: () => [
            { id: "disabled-tab", type: "tab", label: "Plant", disabled: true },
            channelNode({ id: "elsewhere-channel", z: "disabled-tab" }),
          ],
        },
        {
          what: "a TLS configuration that is not there",
          code: "CONFIG_NODE_DELETED",
          ...withConnection("no-tls", { tls: "gone" }),
        },
        {
          what: "no channel",
          code: "CHANNEL_MISSING",
          bad: createWatcherNode({ id: "no-channel", channel: "" }),
          good: createWatcherNode({ id: "no-channel" }),
          ports: 2,
        },
        {
          what: "no channel for watchers",
          code: "CHANNEL_MISSING",
          bad: manageNode("watchers.list", { id: "list", channel: "" }),
          good: manageNode("watchers.list", { id: "list" }),
        },
        {
          what: "a channel without name",
          code: "CHANNEL_INCOMPLETE",
          ...withChannel("nameless", { channel: "" }),
        },
        {
          what: "a channel that is not there",
          code: "CHANNEL_NOT_FOUND",
          ...withChannel("nowhere", { channel: "nowhere" }),
        },
        {
          what: "a channel whose connection is missing",
          code: "CONNECTION_MISSING",
          ...withChannel("unconnected", { connection: "" }),
        },
        {
          what: "no contract",
          code: "CONTRACT_MISSING",
          bad: createWatcherNode({ id: "no-contract", contract: "" }),
          good: createWatcherNode({ id: "no-contract" }),
          ports: 2,
        },
        {
          what: "a contract without network",
          code: "CONTRACT_INCOMPLETE",
          ...withContract("no-network", { chainSelector: "" }),
        },
        {
          what: "a malformed address",
          code: "INVALID_ADDRESS",
          ...withContract("short-address", { address: "0x1234" }),
        },
        {
          what: "an address with a mistyped letter, as its checksum shows",
          code: "INVALID_ADDRESS",
          ...withContract("mistyped", {
            address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD".replace("5aA", "5AA"),
          }),
        },
        {
          what: "an ABI that does not parse",
          code: "ABI_INVALID",
          ...withContract("bad-abi", { abi: "event Transfer(address indexed" }),
        },
        {
          what: "an ABI that is broken JSON",
          code: "ABI_INVALID",
          ...withContract("bad-json", { abi: '[{"type":"event",' }),
        },
        { what: "no ABI", code: "ABI_INVALID", ...withContract("no-abi", { abi: "" }) },
        {
          what: "a malformed address of a service's watcher",
          code: "INVALID_ADDRESS",
          bad: createWatcherNode({
            id: "by-service",
            ...{ source: "service", service: "ccip", serviceType: "str" },
            ...{ chainSelector: "1", address: "0x12" },
          }),
          good: createWatcherNode({ id: "by-service" }),
          ports: 2,
        },
        {
          what: "an action of a newer version",
          code: "UNKNOWN_ACTION",
          bad: manageNode("channels.polish", { id: "newer" }),
          good: manageNode("channels.list", { id: "newer" }),
        },
      ];
    })();

    before(async () => {
      await nodeRed.deploy(
        harnessFlow(
          [connection(), channelNode(), contract(), ...cases.flatMap(({ config }) => config?.() ?? [])],
          cases.map(({ bad, ports = 1 }) => [bad, ports]),
        ),
      );
    });

    for (const { what, code, bad } of cases) {
      it(what, async () => {
        const message = { kept: "as it was", payload: "/networks" };
        checkError(await refuse(nodeRed, bad.id, message), bad.id, code);
        await nodeRed.status(bad.id, isRed);
      });
    }

    describe("after the deploy that fixes them", () => {
      it("all of them work", async () => {
        await nodeRed.deploy(
          harnessFlow(
            [connection(), channelNode(), contract()],
            cases.map(({ good, ports = 1 }) => [good, ports]),
          ),
        );
        await Promise.all(
          cases.map(async ({ good }) => {
            await ask(nodeRed, good.id, { payload: "/networks" });
            await nodeRed.status(good.id, isFine);
          }),
        );
      });
    });
  });

  describe("of events in, which no message starts", () => {
    const errorOf = async (id: string, code: string) => {
      const { value } = await nodeRed.shows(({ name, value }) => {
        const { error } = value as Message;
        return name === "error" && error?.source.id === id && error.code === code;
      });
      checkError({ kept: "as it was", ...(value as Message) }, id, code);
    };
    const deploy = (config: readonly FlowNode[], node: FlowNode) =>
      nodeRed.deploy(harnessFlow(config, [[node, 2]]));

    it("a wrong key is shown as refused, and connected once it is right", async () => {
      const node = eventsInNode({ id: "refused" });
      await deploy([connection({ credentials: { apiKey: WRONG_KEY } }), channelNode()], node);
      await errorOf("refused", "KEY_REFUSED");
      const status = await nodeRed.status("refused", "key-refused");
      should(status.fill).equal("red");
      await deploy([connection(), channelNode()], node);
      await nodeRed.status("refused", "connected");
    });

    it("a wrong key is shown as refused, too, where the channel is given by its id", async () => {
      const node = eventsInNode({ id: "refused-by-id" });
      const byId = channelNode({ channel: NOBODY });
      await deploy([connection({ credentials: { apiKey: WRONG_KEY } }), byId], node);
      await errorOf("refused-by-id", "KEY_REFUSED");
      await nodeRed.status("refused-by-id", "key-refused");
    });

    it("a service that is down is tried again by itself", async () => {
      await proxy.goDown();
      await deploy([connection({ timeout: "0.5" }), channelNode()], eventsInNode({ id: "patient" }));
      await errorOf("patient", "SERVICE_UNREACHABLE");
      await nodeRed.status("patient", isRed);
      await proxy.comeBack();
      await nodeRed.status("patient", "connected");
    });

    it("no channel, and a start that is none", async () => {
      await deploy([connection(), channelNode()], eventsInNode({ id: "no-channel-in", channel: "" }));
      await errorOf("no-channel-in", "CHANNEL_MISSING");
      await nodeRed.status("no-channel-in", isRed);
      const node = eventsInNode({ id: "bad-start", start: "offset", startValue: "soon" });
      await deploy([connection(), channelNode()], node);
      await errorOf("bad-start", "INVALID_FIELD");
      await nodeRed.status("bad-start", isRed);
      await deploy([connection(), channelNode()], { ...node, startValue: "1" });
      await nodeRed.status("bad-start", "connected");
    });
  });

  describe("after all that", () => {
    before(deployGood);

    it("Node-RED runs, and met nothing that was not foreseen", () => {
      should(nodeRed.running).be.true();
      should(nodeRed.log).not.match(/uncaught|unhandled|INTERNAL_ERROR|MaxListeners/i);
    });

    it("no key was ever shown", async () => {
      const flows = await (await nodeRed.fetch("flows")).text();
      const captured = [nodeRed.log, nodeRed.heard, flows].join("\n");
      should(captured.length).be.above(10_000);
      for (const key of [RIGHT_KEY, WRONG_KEY]) {
        for (const form of [key, Buffer.from(key).toString("base64"), Buffer.from(key).toString("hex")]) {
          should(captured.includes(form)).be.false();
        }
      }
    });
  });
});
