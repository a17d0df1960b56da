import should from "should";
import { NODE } from "../../nodes/events-in/fields.ts";
import { positionOf } from "../../nodes/events-in/reader/commands.ts";
import { startOf } from "../../nodes/events-in/reader/settings.ts";
import { type Arrival, EventHarness, isPoll } from "../support/event-harness.ts";
import { readerOf } from "../support/field-reader.ts";
import type { Message } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { contractNode, eventsInNode } from "../support/nodes.ts";

const EVENTS = 12;
const CONNECTED = "connected";
const TOKEN = "0xAb00000000000000000000000000000000000001";
const OTHER = "0x0000000000000000000000000000000000000002";
const TRANSFER = "Transfer(address,address,uint256)";

type WireEvent = {
  headers: { offset: number; type: string; proofs?: unknown[] };
  payload: Record<string, unknown>;
};

/** Which events a node lets through; and that it never loses some because its form asks for what cannot be. */
describe("the filters of events in", function () {
  this.timeout(120_000);

  let harness: EventHarness;

  before(async () => {
    harness = await EventHarness.start(EVENTS);
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(() => harness?.close());

  const reading = (id: string, properties: Partial<FlowNode> = {}): [FlowNode, number] => [
    eventsInNode({ id, verify: false, pollMin: "0.1", pollMax: "0.1", ...properties }),
    2,
  ];
  const offsetsOf = (arrivals: readonly Arrival[]) => arrivals.map(({ crec }) => crec.offset);
  const errorsOf = (id: string) =>
    harness.nodeRed
      .shown("error")
      .map(({ value }) => (value as Message).error)
      .filter((error) => error?.source.id === id);

  /** Offsets 1, 2 and 3 are contract events, the rest statuses. */
  const withContractEvents = () => {
    const events = [
      { name: "Transfer", event_signature: TRANSFER, address: TOKEN, confidence: "finalized" },
      { name: "Approval", event_signature: "Approval(address)", address: TOKEN, confidence: "latest" },
      { name: "Filled", event_signature: "Filled((address,uint256)[],bool)", address: OTHER },
    ];
    const change = (body: string) => {
      const page = JSON.parse(body) as { events: WireEvent[] };
      for (const { headers, payload } of page.events) {
        const { name, ...chain } = events[headers.offset - 1] ?? {};
        if (name === undefined) continue;
        headers.type = "watcher.event";
        // Without one it is read again, as the service has it.
        headers.proofs = [{}];
        const signed = JSON.stringify({ name, timestamp: "2026-01-31T12:00:00Z", chain_event: chain });
        payload.verifiable_event = Buffer.from(signed).toString("base64");
      }
      return JSON.stringify(page);
    };
    harness.proxy.harm = (passing) => (isPoll(passing) ? { kind: "change", change } : undefined);
  };

  it("take names, signatures and addresses as people write them, and count what they pass over", async () => {
    withContractEvents();
    const rows: Record<string, [Partial<FlowNode>, number[]]> = {
      name: [{ contractEvent: " Transfer " }, [1]],
      several: [{ contractEvent: "Transfer, Approval" }, [1, 2]],
      blanks: [{ contractEvent: "Transfer(address, address, uint256)" }, [1]],
      copied: [
        { contractEvent: "event Transfer(address indexed from, address indexed to, uint value);, Approval" },
        [1, 2],
      ],
      tuple: [{ contractEvent: "Filled((address maker, uint256 amount)[] orders, bool last)" }, [3]],
      listed: [{ contractEvent: '["Transfer", "Filled"]', contractEventType: "json" }, [1, 3]],
      stored: [{ contractEvent: ["Transfer", "Filled"] }, [1, 3]],
      address: [{ address: ` ${TOKEN.toLowerCase()} ` }, [1, 2]],
      addresses: [{ address: `${TOKEN},${OTHER}` }, [1, 2, 3]],
      types: [{ types: "watcher.event, query.status" }, [1, 2, 3]],
      confidence: [{ types: ["watcher.event", "query.status"], confidence: "safe" }, [1]],
      contract: [{ contract: "token" }, [1, 2]],
      "its-event": [{ contract: "token", contractEvent: "Transfer" }, [1]],
      "other-address": [{ contract: "token", address: OTHER }, [3]],
      "other-network": [{ contract: "elsewhere" }, []],
    };
    const { ready } = harness.service;
    const contracts = [
      contractNode(ready, { id: "token", address: TOKEN }),
      contractNode(ready, { id: "elsewhere", address: TOKEN, chainSelector: "1" }),
    ];
    await harness.deploy(
      Object.entries(rows).map(([id, [properties]]) => reading(id, properties)),
      contracts,
    );
    for (const [id, [, wanted]] of Object.entries(rows)) {
      const report = await harness.report(id, ({ cursor }) => cursor === EVENTS);
      should(offsetsOf(harness.arrivals(id))).deepEqual(wanted, id);
      should(report).have.property("filtered", EVENTS - wanted.length);
    }
  });

  it("are refused where nothing could meet them: red, and nothing is read", async () => {
    const rows: Record<string, Partial<FlowNode>> = {
      Address: { address: TOKEN.slice(0, -1) },
      "Address ": { address: `${TOKEN}, 12` },
      Event: { contractEvent: "Transfer(address" },
      "Event ": { contractEvent: "Transfer Approval" },
      "Event  ": { contractEvent: "Filled(Order order)" },
      "Event types": { types: ["watcher.evnt"] },
      Confidence: { confidence: "finalised" },
      Start: { start: "today" },
      "Start at": { start: "time", startValue: "someday" },
      "Start at ": { start: "time", startValue: "" },
      "On failed proof": { unverified: "dropp" },
      Acknowledge: { commit: "onack" },
      Watcher: { watcher: '{"id": 7}', watcherType: "json" },
    };
    const ids = Object.keys(rows).map((label) => label.replaceAll(" ", "_"));
    // Nothing of a deploy before is left that asks.
    await harness.deploy([]);
    const passed = harness.proxy.passed.length;
    await harness.deploy(Object.values(rows).map((row, index) => reading(ids[index] ?? "", row)));
    for (const [index, label] of Object.keys(rows).entries()) {
      const id = ids[index] ?? "";
      await harness.nodeRed.status(id, ({ fill }) => fill === "red");
      await harness.nodeRed.shows(() => errorsOf(id).length > 0);
      const [error] = errorsOf(id);
      should(error?.code).equal("INVALID_FIELD", label);
      should(error?.message).startWith(`"${label.trim()}" `);
    }
    for (const id of ids) should((await harness.panel(id)).body).have.property("deployed", false);
    should(harness.proxy.passed).have.length(passed);
  });

  it("say so where a variable that is to hold them is empty", async () => {
    await harness.deploy([reading("unset", { contractEvent: "CREC_NOT_SET", contractEventType: "env" })]);
    await harness.nodeRed.shows(() => errorsOf("unset").length > 0);
    should(errorsOf("unset")[0]).have.property("code", "MISSING_VALUE");
  });

  describe("by watcher", () => {
    it("take names and ids", async () => {
      const first = await harness.addEvents("first watcher");
      const second = await harness.addEvents("second watcher");
      const ofWatcher = ({ crec }: Arrival) => (crec.event as WireEvent).payload.watcher_id;
      await harness.deploy([reading("all")]);
      // Its second event is the last one of the channel.
      const isLast = (one: Arrival) =>
        ofWatcher(one) === second && (one.payload as { status?: string }).status === "active";
      const { offset: last } = (await harness.arrival("all", isLast)).crec;
      const all = harness.arrivals("all");
      const offsetsIn = (...ids: unknown[]) => offsetsOf(all.filter((one) => ids.includes(ofWatcher(one))));
      should(offsetsIn(first, second)).have.length(4);
      await harness.deploy([
        reading("by-name", { watcher: " first watcher " }),
        reading("by-id", { watcher: second }),
        reading("by-both", { watcher: `first watcher, ${second}` }),
      ]);
      for (const [id, wanted] of Object.entries({
        "by-name": offsetsIn(first),
        "by-id": offsetsIn(second),
        "by-both": offsetsIn(first, second),
      })) {
        await harness.report(id, ({ cursor }) => cursor === last);
        should(offsetsOf(harness.arrivals(id))).deepEqual(wanted);
      }
    });

    it("take a whole name, that of an archived watcher too", async () => {
      await harness.addEvents("gone watcher");
      await harness.addEvents("gone watcher's neighbour");
      await harness.deploy([reading("sees")]);
      const { channelId } = (await harness.arrival("sees", () => true)).crec;
      const watchers = `/channels/${channelId}/watchers`;
      const named = await harness.call("GET", `${watchers}?name=gone%20watcher`);
      const gone = (named.data as Array<{ name: string; watcher_id: string }>).find(
        ({ name }) => name === "gone watcher",
      );
      await harness.call("PATCH", `${watchers}/${gone?.watcher_id}`, { status: "archived" });
      await harness.arrival("sees", ({ payload }) => (payload as { status?: string }).status === "archived");
      await harness.deploy([reading("reads-gone", { watcher: "gone watcher" })]);
      const arrivals = await harness.arrived("reads-gone", 4);
      should(arrivals.map(({ crec }) => (crec.event as WireEvent).payload.watcher_id)).deepEqual(
        Array(4).fill(gone?.watcher_id),
      );
    });

    it("take another one, too, that was given the name later", async () => {
      await harness.addEvents("namesake");
      await harness.deploy([reading("follows", { watcher: "namesake" })]);
      const [msg] = await harness.arrived("follows", 2);
      if (!msg) throw new Error("It has arrived.");
      const { channelId, event } = msg.crec;
      const first = (event as WireEvent).payload.watcher_id;
      await harness.call("PATCH", `/channels/${channelId}/watchers/${first}`, { name: "former namesake" });
      await harness.addEvents("namesake");
      const ids = (await harness.arrived("follows", 4)).map(
        ({ crec }) => (crec.event as WireEvent).payload.watcher_id,
      );
      should(new Set(ids).size).equal(2);
    });

    it("wait for one that is not there yet, lose none of its events, and tell nobody of an error", async () => {
      await harness.deploy([
        reading("awaits", { watcher: "later watcher", start: "now" }),
        reading("awaits-all", { watcher: "later watcher" }),
      ]);
      for (const id of ["awaits", "awaits-all"]) {
        const status = await harness.nodeRed.status(id, "waiting-for-watcher");
        should(status).have.properties({ fill: "yellow", shape: "ring" });
        const { lastError } = await harness.report(id, (report) => report.lastError !== undefined);
        should(lastError).match(/"later watcher"/);
      }
      should((await harness.panel("awaits-all", "/cursor")).body).have.property("cursor", -1);
      await harness.addEvents("later watcher");
      for (const id of ["awaits", "awaits-all"]) {
        await harness.arrived(id, 2);
        await harness.nodeRed.status(id, CONNECTED);
        should(errorsOf(id)).be.empty();
      }
      should(offsetsOf(harness.arrivals("awaits"))).deepEqual(offsetsOf(harness.arrivals("awaits-all")));
    });
  });

  it("leave no room for a consumer that cannot be stored: red, not a node that is not there", async () => {
    await harness.deploy([reading("half", { consumer: "half \ud83d" })]);
    await harness.nodeRed.status("half", ({ fill }) => fill === "red");
    await harness.nodeRed.shows(() => errorsOf("half").length > 0);
    should(errorsOf("half")[0]).have.property("code", "INVALID_FIELD");
  });

  it("of twelve nodes are no reason for Node-RED to warn", async () => {
    const ids = [...Array(12).keys()].map((number) => `twelve-${number}`);
    await harness.deploy(ids.map((id) => reading(id)));
    for (const id of ids) await harness.arrived(id, 1);
    should(harness.nodeRed.log).not.match(/MaxListeners/);
  });
});

describe("where events in begins", () => {
  const now = () => Math.floor(Date.now() / 1000);
  const def = (startValue: string) => readerOf(NODE, { start: "time", startValue });
  const timeOf = (position: unknown) => (position as { time: number }).time;

  it("is a time as in every node", () => {
    should(startOf(def("1780000000"))).deepEqual({ time: 1_780_000_000 });
    should(startOf(def("2026-01-31T12:00:00Z"))).deepEqual({ time: 1_769_860_800 });
    should(timeOf(startOf(def("24h")))).be.approximately(now() - 86_400, 2);
    should(timeOf(positionOf("7d"))).be.approximately(now() - 604_800, 2);
    should(positionOf({ time: 1_780_000_000 })).deepEqual({ time: 1_780_000_000 });
    should(positionOf(new Date(1_780_000_000_000))).deepEqual({ time: 1_780_000_000 });
  });

  it("is an offset where a number stands alone", () => {
    should(positionOf("1780000000")).deepEqual({ offset: 1_780_000_000 });
    should(positionOf(12)).deepEqual({ offset: 12 });
  });
});
