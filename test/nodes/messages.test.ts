import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import {
  ask,
  functionNode,
  harnessFlow,
  type Message,
  refuse,
  withoutTimes,
} from "../support/flow-harness.ts";
import type { NodeRed } from "../support/node-red.ts";
import {
  apiNode,
  channelNode,
  connectionNode,
  contractNode,
  createWatcherNode,
  eventsInNode,
  manageNode,
  verifyEventNode,
} from "../support/nodes.ts";
import { startTestService } from "../support/service.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const RECEIVER = "0x00000000000000000000000000000000DeaDBeef";
/** Above 2^53, and no number that a double holds. */
const AMOUNT = "12345678901234567891";

/** What comes with every message here, and must go out again as it was. */
const COMPANY = {
  topic: "mine",
  extra: { nested: [1, { two: "2" }] },
  crec: { keep: "me", status: "of before" },
};

function checkCompany(msg: Message): void {
  should(msg.extra).deepEqual(COMPANY.extra);
  should(msg.crec).have.property("keep", "me");
  should(msg._msgid).be.a.String();
  should(msg.odd).deepEqual([]);
}

/** Messages exactly as flows rely on them, made by the real service. */
describe("messages of the nodes", function () {
  this.timeout(120_000);

  let service: RunningService;
  let borrowed: Borrowed;
  let nodeRed: NodeRed;

  before(async () => {
    [service, borrowed] = await Promise.all([startTestService(), borrowNodeRed()]);
    nodeRed = borrowed.nodeRed;
    const changes = `
      msg.payload.status = msg.crec.status = "changed on the other way";
      if (msg.extra) msg.extra.nested = "changed, too";
      delete msg.crec.watcherId;
      return msg;`;
    const flows = harnessFlow(
      [connectionNode(service.ready), channelNode({ createMissing: true }), contractNode(service.ready)],
      [
        [manageNode("networks.list", { id: "networks" }), 1],
        [manageNode("channels.list", { id: "list-channels" }), 1],
        [manageNode("channels.get", { id: "get-channel" }), 1],
        [
          manageNode("channels.create-or-find", {
            ...{ id: "make-channel", description: "description", descriptionType: "msg" },
          }),
          1,
        ],
        [
          manageNode("channels.rename", {
            ...{ id: "rename-channel", newName: "newName", newNameType: "msg" },
          }),
          1,
        ],
        [manageNode("channels.archive", { id: "archive-channel" }), 1],
        [manageNode("watchers.list", { id: "list-watchers" }), 1],
        [manageNode("watchers.get", { id: "get-watcher" }), 1],
        [
          manageNode("watchers.rename", {
            ...{ id: "rename-watcher", newName: "newName", newNameType: "msg" },
          }),
          1,
        ],
        [manageNode("watchers.archive", { id: "archive-watcher" }), 1],
        [createWatcherNode(), 2],
        [createWatcherNode({ id: "other", watcherName: "payload", watcherNameType: "msg", timeout: "0" }), 2],
        [
          apiNode({ pathType: "str", path: "/local/faucet", method: "POST", body: "body", bodyType: "msg" }),
          1,
        ],
        [apiNode({ id: "get" }), 1],
        [eventsInNode({ id: "checked", verify: true }), 3],
        [eventsInNode({ id: "unchecked", verify: false }), 2],
        [verifyEventNode({ contract: "contract" }), 3],
      ],
    );
    // The second way out of "watcher" changes what it gets.
    const spoil = functionNode("spoil", changes, []);
    for (const node of flows) {
      if (node.id !== "watcher" || !Array.isArray(node.wires)) continue;
      node.wires = [
        ["watcher-look-0", "spoil"],
        ["spoil", "watcher-look-1"],
      ];
    }
    await nodeRed.deploy([...flows, spoil]);
  });

  after(async () => {
    await borrowed?.giveBack();
    await service?.close();
  });

  describe("manage", () => {
    const good = async (id: string, message: Message) => {
      const msg = await ask(nodeRed, id, { ...COMPANY, ...message });
      checkCompany(msg);
      should(msg.topic).equal("mine");
      return msg;
    };

    it("lists networks, with chain selectors as text", async () => {
      const { payload, crec } = await good("networks", {});
      should(payload).be.an.Array();
      const [network] = payload as Array<Record<string, unknown>>;
      should(network).have.property("chain_selector", service.ready.chain_selector);
      should(crec).deepEqual(COMPANY.crec);
    });

    it("creates a channel, then finds it", async () => {
      const message = { payload: "made", description: "by a test" };
      const first = await good("make-channel", message);
      should(first.payload).have.properties({ name: "made", description: "by a test", status: "active" });
      const { channel_id: channelId } = first.payload as Record<string, unknown>;
      should(channelId).match(UUID);
      should(withoutTimes(first)).deepEqual({ keep: "me", channelId, status: "active", found: false });
      const second = await good("make-channel", message);
      should(withoutTimes(second)).deepEqual({ keep: "me", channelId, status: "active", found: true });
    });

    it("gets, lists, renames and archives a channel", async () => {
      const { crec } = await good("make-channel", { payload: "moving", description: "d" });
      const channelId = crec?.channelId;
      should((await good("get-channel", { payload: channelId })).payload).have.property("name", "moving");
      const listed = (await good("list-channels", {})).payload as Array<Record<string, unknown>>;
      should(listed.map(({ name }) => name)).containEql("moving");
      const renamed = await good("rename-channel", { payload: "moving", newName: "moved" });
      should(renamed.payload).have.properties({ channel_id: channelId, name: "moved" });
      const archived = await good("archive-channel", { payload: "moved" });
      should(withoutTimes(archived)).deepEqual({ keep: "me", channelId, status: "archived" });
    });

    it("lists all pages of a list", async () => {
      const made = [...Array(25).keys()].map((number) => `page-${number}`);
      await Promise.all(made.map((payload) => good("make-channel", { payload, description: "d" })));
      const listed = (await good("list-channels", {})).payload as Array<{ name: string }>;
      should(made.filter((name) => !listed.some((channel) => channel.name === name))).be.empty();
    });

    it("gets, lists, renames and archives a watcher", async () => {
      const made = await ask(nodeRed, "other", { payload: "wandering" });
      const { watcherId, channelId } = made.crec ?? {};
      const got = await good("get-watcher", { payload: "wandering" });
      should(got.payload).have.property("watcher_id", watcherId);
      should(got.crec).have.properties({ keep: "me", watcherId, channelId });
      const listed = (await good("list-watchers", {})).payload as Array<{ name: string }>;
      should(listed.map(({ name }) => name)).containEql("wandering");
      const renamed = await good("rename-watcher", { payload: watcherId, newName: "settled" });
      should(renamed.payload).have.properties({ watcher_id: watcherId, name: "settled" });
      const archived = await good("archive-watcher", { payload: "settled" });
      should(archived.payload).have.property("status", "archived");
      should(withoutTimes(archived)).deepEqual({ keep: "me", watcherId, channelId, status: "archived" });
    });

    it("takes the channel of watchers from msg.crec.channelId", async () => {
      const { crec } = await good("make-channel", { payload: "empty one", description: "d" });
      const { payload } = await good("list-watchers", {
        crec: { ...COMPANY.crec, channelId: crec?.channelId },
      });
      should(payload).deepEqual([]);
    });
  });

  describe("create watcher", () => {
    /** A message for a channel that has no watcher yet. */
    const toNewChannel = async (payload: string): Promise<Message> => {
      const { crec } = await ask(nodeRed, "make-channel", { payload, description: "d" });
      return { ...COMPANY, crec: { ...COMPANY.crec, channelId: crec?.channelId } };
    };

    it("sends each status out of the second output, and the watcher out of the first", async () => {
      const probe = "each status";
      await nodeRed.press("press-watcher", { ...(await toNewChannel("for each status")), probe });
      const { value } = await nodeRed.shows(
        (shown) => shown.name === "watcher:0" && (shown.value as Message).probe === probe,
      );
      const ready = value as Message;
      checkCompany(ready);
      should(ready.topic).equal("mine");
      const { watcher_id: watcherId, channel_id: channelId } = ready.payload as Record<string, unknown>;
      should(watcherId).match(UUID);
      should(ready.payload).have.properties({
        status: "active",
        name: "harness-transfers",
        events: ["Transfer"],
      });
      should(withoutTimes(ready)).deepEqual({
        keep: "me",
        watcherId,
        channelId,
        status: "active",
        found: false,
      });

      const statuses = nodeRed
        .shown("watcher:1")
        .map((shown) => shown.value as Message)
        .filter((msg) => msg.probe === probe);
      should(statuses.map(({ topic }) => topic)).deepEqual([
        "watcher.status/pending",
        "watcher.status/active",
      ]);
      for (const [index, status] of ["pending", "active"].entries()) {
        const msg = statuses[index] ?? {};
        checkCompany(msg);
        should(msg.payload).have.properties({ watcher_id: watcherId, status });
        should(withoutTimes(msg)).deepEqual({ keep: "me", watcherId, channelId, status, found: false });
      }
    });

    it("finds it the second time", async () => {
      const message = await toNewChannel("to find it in");
      const first = await ask(nodeRed, "watcher", message);
      const { crec } = await ask(nodeRed, "watcher", message);
      should(crec).deepEqual({ ...first.crec, found: true });
    });

    it("does not wait when told so", async () => {
      const { crec, payload } = await ask(nodeRed, "other", { payload: "not awaited" });
      should(crec).have.properties({ status: "pending", found: false });
      should(payload).have.property("status", "pending");
    });

    it("goes to another channel when the message says which", async () => {
      const { crec = {} } = await ask(nodeRed, "make-channel", { payload: "elsewhere", description: "d" });
      const { channelId } = crec;
      const { payload } = await ask(nodeRed, "watcher", { crec: { channelId } });
      should(payload).have.property("channel_id", channelId);
    });
  });

  describe("api call", () => {
    it("answers with the body and the HTTP status", async () => {
      const msg = await ask(nodeRed, "get", { ...COMPANY, payload: "/networks" });
      checkCompany(msg);
      should(msg.crec).deepEqual({ keep: "me", status: 200 });
      should(msg.payload).have.property("data").which.is.an.Array();
      should(msg.topic).equal("mine");
    });

    it("sends a body from the message", async () => {
      const body = { to: RECEIVER, amount: AMOUNT };
      const msg = await ask(nodeRed, "api", { ...COMPANY, body });
      checkCompany(msg);
      should(msg.payload).have.properties({ to: RECEIVER, amount: AMOUNT });
    });

    it("leaves the message as it was when the call fails", async () => {
      const msg = await refuse(nodeRed, "get", { ...COMPANY, payload: "/nothing" });
      should(msg).have.properties(COMPANY);
      should(msg.payload).equal("/nothing");
    });
  });

  describe("events in and verify event", () => {
    const isTransfer =
      (port: string, confidence: string) =>
      ({ name, value }: { name: string; value: unknown }) => {
        const { payload } = value as { payload?: { confidence?: string; params?: { value?: string } } };
        return name === port && payload?.confidence === confidence && payload.params?.value === AMOUNT;
      };
    const transfer = async (port: string, confidence = "latest") =>
      (await nodeRed.shows(isTransfer(port, confidence))).value as Message;

    before(async () => {
      await ask(nodeRed, "watcher", {});
      await ask(nodeRed, "api", { body: { to: RECEIVER, amount: AMOUNT } });
    });

    it("a contract event, checked: decoded, with where it stands and that it is true", async () => {
      const msg = await transfer("checked:0");
      should(msg.odd).deepEqual([]);
      should(msg.topic).equal("watcher.event/Transfer");
      should(msg.payload).have.properties({
        name: "Transfer",
        contract: service.ready.contracts.DemoToken,
        chainSelector: service.ready.chain_selector,
        confidence: "latest",
      });
      const { params, transactionHash, blockNumber, blockTime, logIndex, watcherId } = msg.payload as Record<
        string,
        unknown
      >;
      should(params).have.properties({ to: RECEIVER, value: AMOUNT });
      should(transactionHash).match(/^0x[0-9a-f]{64}$/);
      should(watcherId).match(UUID);
      for (const number of [blockNumber, blockTime, logIndex]) should(number).be.a.Number();

      const { crec = {} } = msg;
      const event = crec.event as { event_id: string; headers: { offset: number; type: string } };
      should(crec).have.properties({
        eventId: event.event_id,
        offset: event.headers.offset,
        type: "watcher.event",
      });
      should(crec.channelId).match(UUID);
      should(crec.dedupeKey).be.a.String().and.not.be.empty();
      should(crec.verification).have.property("verified", true);
      should((crec.verification as { signers: string[] }).signers.length).be.aboveOrEqual(
        service.ready.min_required_signatures,
      );
      should(crec).not.have.property("redelivered");
    });

    it("the same event at another confidence has another key", async () => {
      const [latest, finalized] = await Promise.all([
        transfer("checked:0", "latest"),
        transfer("checked:0", "finalized"),
      ]);
      should(latest.crec?.dedupeKey).not.equal(finalized.crec?.dedupeKey);
    });

    it("a contract event, not checked: without verification and key", async () => {
      const { crec } = await transfer("unchecked:0");
      should(crec).not.have.properties("verification", "dedupeKey");
      should(crec).have.keys("event", "eventId", "offset", "channelId", "type");
    });

    it("a notice leaves by the third output when checked, else by the first", async () => {
      for (const port of ["checked:2", "unchecked:0"]) {
        const { value } = await nodeRed.shows(
          (shown) => shown.name === port && (shown.value as Message).topic === "watcher.status",
        );
        const msg = value as Message;
        should(msg.payload).have.properties({
          status: "pending",
          chainSelector: service.ready.chain_selector,
        });
        should(msg.crec).have.property("type", "watcher.status");
        should(msg.odd).deepEqual([]);
      }
    });

    it("nothing true is rejected", () => {
      should(nodeRed.shown("checked:1")).be.empty();
      should(nodeRed.shown("unchecked:1")).be.empty();
    });

    it("verify event says the same of what events in received", async () => {
      const { crec = {}, payload } = await transfer("checked:0");
      const msg = await ask(nodeRed, "verify", { ...COMPANY, crec: { ...COMPANY.crec, event: crec.event } });
      checkCompany(msg);
      should(msg.topic).equal("mine");
      should(msg.payload).deepEqual(payload);
      const { event, verification, dedupeKey } = crec;
      should(msg.crec).deepEqual({ ...COMPANY.crec, event, verification, dedupeKey });
    });

    it("verify event leaves the payload of what it rejects", async () => {
      const { crec = {} } = await transfer("checked:0");
      const event = structuredClone(crec.event) as { payload: { chain_selector: string } };
      event.payload.chain_selector = "1";
      const message = { ...COMPANY, payload: "as it came", crec: { ...COMPANY.crec, event } };
      const msg = await ask(nodeRed, "verify", message, 1);
      checkCompany(msg);
      should(msg).have.properties({ topic: "mine", payload: "as it came" });
      should(msg.crec).have.keys("keep", "status", "event", "verification");
      should(msg.crec?.verification).have.properties({ verified: false, reason: "unsigned_field_mismatch" });
    });

    it("verify event sends notices out of its third output, decoded", async () => {
      const { value } = await nodeRed.shows(({ value }) => (value as Message).topic === "watcher.status");
      const { crec = {}, payload } = value as Message;
      const msg = await ask(nodeRed, "verify", { ...COMPANY, crec: { keep: "me", event: crec.event } }, 2);
      checkCompany(msg);
      should(msg.payload).deepEqual(payload);
      should(msg.crec?.verification).have.properties({ verified: false, reason: "not_verifiable" });
    });
  });
});
