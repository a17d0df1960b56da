import should from "should";
import { splitNames } from "../../nodes/common/shared/text.ts";
import { timeOf } from "../../nodes/common/shared/times.ts";
import { Sequence } from "../../nodes/search-events/sequence.ts";
import { type Arrival, ackingNode, ackNode, EventHarness, isPoll } from "../support/event-harness.ts";
import { eventually } from "../support/eventually.ts";
import { functionNode, type Message } from "../support/flow-harness.ts";
import { type FlowNode, freshId } from "../support/node-red.ts";
import { channelNode, contractNode, eventsInNode, manageNode, verifyEventNode } from "../support/nodes.ts";
import type { Passing } from "../support/proxy.ts";
import { TRANSFER } from "../support/transfer.ts";
import { itWide } from "../support/wide.ts";

/** More than two pages. */
const NOTICES = 450;
const RECEIVER = "0x00000000000000000000000000000000DeaDBeef";

type Parts = { id: string; type: string; index: number; count?: number; parts?: unknown };
type Found = { events: Array<Arrival & { parts: Parts }>; errors: Message[]; ended: boolean };

const isSearch = ({ path }: Passing) => path.endsWith("/events/search");

describe("search events", function () {
  this.timeout(120_000);

  let harness: EventHarness;
  let probe: string;

  before(async () => {
    harness = await EventHarness.start(NOTICES);
    await watchTransfers();
  });
  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });
  after(() => harness?.close());

  /** A watcher that has seen three transfers to an address of their own. */
  async function watchTransfers(): Promise<void> {
    const { chain_selector, contracts } = harness.service.ready;
    const channel = await channelId();
    const watcher = await harness.call("POST", `/channels/${channel}/watchers`, {
      name: "transfers",
      chain_selector,
      address: contracts.DemoToken,
      events: ["Transfer"],
      abi: [TRANSFER],
    });
    const path = `/channels/${channel}/watchers/${watcher.watcher_id}`;
    await eventually(
      "an active watcher",
      () => harness.call("GET", path),
      ({ status }) => status === "active",
    );
    for (const amount of ["1", "2", "12345678901234567891"]) {
      await harness.call("POST", "/local/faucet", { to: RECEIVER, amount });
    }
    const query = `/channels/${channel}/events/search?type=watcher.event`;
    await eventually(
      "three events",
      () => harness.call("GET", query),
      ({ events }) => (events as unknown[]).length >= 3,
    );
  }

  async function channelId(): Promise<string> {
    const { data } = await harness.call("GET", `/channels?name=${harness.service.channelName}`);
    return String((data as Array<{ channel_id: string }>)[0]?.channel_id);
  }

  const searchNode = (properties: Partial<FlowNode> = {}): FlowNode => ({
    id: "search",
    type: "crec-search-events",
    channel: "channel",
    types: [],
    limit: "",
    verify: true,
    ...properties,
  });

  /** The node under test, and what tells that it is done: behind so many hops that its messages are there first. */
  const deploy = (node: FlowNode, more: readonly FlowNode[] = []) => {
    const hop = (id: string, to: string) => functionNode(id, "return msg;", [to]);
    const done: FlowNode[] = [
      {
        id: "complete",
        z: "harness-tab",
        type: "complete",
        x: 1,
        y: 1,
        scope: ["search"],
        wires: [["hop-1"]],
      },
      ...[hop("hop-1", "hop-2"), hop("hop-2", "hop-3"), hop("hop-3", "done")],
      {
        id: "done",
        z: "harness-tab",
        type: "debug",
        x: 1,
        y: 1,
        name: "done",
        active: true,
        complete: "true",
        targetType: "full",
        wires: [],
      },
    ];
    return harness.deploy(
      [[{ name: freshId(), ...node }, 1]],
      [...done, contractNode(harness.service.ready), ...more],
    );
  };

  /** What a search gives, until it is done or broke off. */
  async function search(node: Partial<FlowNode> = {}, message: Message = {}): Promise<Found> {
    await deploy(searchNode(node));
    return again(message);
  }
  async function again(message: Message = {}): Promise<Found> {
    probe = freshId();
    await harness.press("search", { ...message, probe });
    const mine = (value: unknown) => (value as Message).probe === probe;
    const isEnd = (name: string, value: unknown) =>
      mine(value) &&
      (name === "done" || (name === "error" && (value as Message).error?.code !== "EVENT_REJECTED"));
    await harness.nodeRed.shows(({ name, value }) => isEnd(name, value));
    const shown = (name: string) =>
      harness.nodeRed
        .shown(name)
        .map(({ value }) => value)
        .filter(mine);
    return {
      events: shown("search:0") as Found["events"],
      errors: shown("error") as Message[],
      ended: shown("done").length > 0,
    };
  }
  const failure = async (node: Partial<FlowNode>, message: Message = {}) => {
    const { errors, ended, events } = await search(node, message);
    should(ended).be.false();
    should(events).be.empty();
    return errors[0]?.error;
  };
  const status = () => harness.nodeRed.statuses("search").at(-1);

  it("sends the events of all pages, each message with its index, the last with the count", async () => {
    const before = harness.proxy.passed.filter(isSearch).length;
    const { events, errors } = await search({ types: ["watcher.status"] }, { extra: "kept" });
    // The two of the watcher made above, too.
    const count = NOTICES + 2;
    should(events).have.length(count);
    should(errors).be.empty();
    should(harness.proxy.passed.filter(isSearch).length - before).equal(3);
    const offsets = events.map(({ crec }) => crec.offset);
    should(offsets).deepEqual([...offsets].sort((a, b) => a - b));
    should(new Set(events.map(({ parts }) => parts.id)).size).equal(1);
    should(events.map(({ parts }) => parts.index)).deepEqual([...Array(count).keys()]);
    should(events.map(({ parts }) => parts.count)).deepEqual([...Array(count - 1).fill(undefined), count]);
    should(
      events.every(
        ({ parts, extra, odd }) => parts.type === "array" && extra === "kept" && odd?.length === 0,
      ),
    ).be.true();
    should(status()).have.properties({ fill: "green", text: `${count} found` });
  });

  it("says how many events their ABI cannot read, and why, once", async () => {
    // The names of two parameters are exchanged.
    const abi = "event Transfer(address indexed from, address indexed value, uint256 to)";
    await deploy(searchNode({ types: ["watcher.event"], contract: "exchanged" }), [
      contractNode(harness.service.ready, { id: "exchanged", abi }),
    ]);
    const { events } = await again({});
    should(events.length).be.above(2);
    for (const { payload } of events) should(payload).have.keys("type", "undecoded", "reason");
    should(status()).have.properties({
      fill: "yellow",
      text: `${events.length} found, ${events.length} not decoded`,
    });
    await again({});
    const said = harness.nodeRed.log.match(/\[crec-search-events:.*params\.value is not of type address/g);
    should(said).have.length(1);
  });

  it("is joined to one list by its parts, and written to a CSV", async () => {
    const node = searchNode({ types: ["watcher.status"], limit: "250", wires: [["join", "search-look-0"]] });
    await deploy(node, [
      { id: "join", z: "harness-tab", type: "join", x: 1, y: 1, mode: "auto", wires: [["csv"]] },
      {
        ...{
          id: "csv",
          z: "harness-tab",
          type: "csv",
          x: 1,
          y: 1,
          name: "",
          sep: ",",
          hdrin: "",
          hdrout: "once",
        },
        ...{
          multi: "one",
          ret: "\\n",
          temp: "status,watcherId,time",
          skip: "0",
          strings: true,
          wires: [["joined"]],
        },
      },
      {
        id: "joined",
        z: "harness-tab",
        type: "debug",
        x: 1,
        y: 1,
        name: "joined",
        active: true,
        complete: "true",
        targetType: "full",
        wires: [],
      },
    ]);
    const { events } = await again();
    const { value } = await harness.nodeRed.showing("joined", (shown) => (shown as Message).probe === probe);
    const lines = String((value as Message).payload)
      .trim()
      .split("\n");
    should(lines).have.length(251);
    should(lines[0]).equal("status,watcherId,time");
    const { status: state, watcherId, time } = (events[249]?.payload ?? {}) as Record<string, unknown>;
    should(lines[250]).equal(`${state},${watcherId},${time}`);
  });

  it("sends no more than the limit, and says that there are more", async () => {
    const { events } = await search({ limit: "3" });
    should(events.map(({ parts }) => parts.count)).deepEqual([undefined, undefined, 3]);
    should(status()?.text).equal("3 found, there are more");
  });

  it("sends only events that match the conditions, and counts these for the limit", async () => {
    const above = (value: string, more: object = {}) => ({
      ...{ kind: "field", field: "params.value", is: "above", value, type: "str" },
      ...more,
    });
    const values = ({ events }: Found) =>
      events.map(({ payload }) => (payload as { params: { value: unknown } }).params.value);
    // Each transfer is found once more when its block is final.
    const once = { kind: "field", field: "confidence", is: "equals", value: "latest", type: "str" };
    const transfers = { types: ["watcher.event"], contract: "contract" };
    const large = await search({ ...transfers, conditions: [above("2"), once] });
    should(values(large)).deepEqual(["12345678901234567891"]);
    should(large.events.map(({ parts }) => parts.count)).deepEqual([1]);
    should(status()?.text).equal("1 found");
    const first = await search({ ...transfers, conditions: [above("1"), once], limit: "1" });
    should(values(first)).deepEqual(["2"]);
    should(status()?.text).equal("1 found, limit reached");
    const some = [above("1", { not: true }), above("limit", { type: "msg" })];
    const found = await search({ ...transfers, match: "any", conditions: some }, { limit: "2" });
    should(new Set(values(found))).deepEqual(new Set(["1", "12345678901234567891"]));
    const expression = {
      kind: "expression",
      value: 'payload.params.value = "2" and crec.verification.verified',
    };
    should(values(await search({ ...transfers, conditions: [expression, once] }))).deepEqual(["2"]);
  });

  itWide("sends no event whose conditions cannot be decided, and warns once", async () => {
    const conditions = [{ kind: "field", field: "params.value", is: "above", value: "1", unit: "token" }];
    const { events, errors, ended } = await search({ types: ["watcher.event"], conditions });
    should([events, errors]).deepEqual([[], []]);
    should(ended).be.true();
    // Compared as one value: the log is long.
    const warned =
      /cannot be decided for \d+ of the events.* Condition 1: params\.value cannot be compared: the decimals/;
    should(warned.test(harness.nodeRed.log)).be.true();
  });

  itWide("refuses a condition that is wrong", async () => {
    const conditions = [{ kind: "field", field: "params.value", is: "above", value: "many" }];
    should(await failure({ conditions })).match({
      code: "INVALID_FIELD",
      message: /^Condition 1: value must be a decimal/,
    });
  });

  itWide("ends without a message where nothing is found", async () => {
    const { events, errors, ended } = await search({ types: ["wallet.status"] });
    should(events).be.empty();
    should(errors).be.empty();
    should(ended).be.true();
    should(status()).have.properties({ fill: "green", text: "0 found" });
  });

  itWide("sends an event as events in does, with the names of the ABI", async () => {
    await harness.deploy([[eventsInNode({ id: "events", types: ["watcher.event"] }), 2]]);
    const [received] = await harness.arrived("events", 1);
    const stale = {
      consumer: "other",
      reader: "other",
      redelivered: true,
      attempt: 3,
      rejection: "of another",
      keep: "me",
    };
    const { events } = await search(
      { types: ["watcher.event"], contractEvent: "Transfer(address,address,uint256)", contract: "contract" },
      { topic: "mine", crec: stale },
    );
    const [found] = events.filter(({ crec }) => crec.eventId === received?.crec.eventId);
    should(found).have.properties({ topic: "watcher.event/Transfer", payload: received?.payload });
    const eventParts = found?.parts.id;
    // No reader has sent it.
    const { reader, ...its }: Record<string, unknown> = { ...received?.crec };
    should(reader).be.a.String();
    should(found?.crec).deepEqual({ keep: "me", ...its, eventParts });
    should(found?.crec.verification).have.property("verified", true);
    const values = events.map(({ payload }) => (payload as { params: { value: string } }).params.value);
    should(values).containEql("12345678901234567891");
  });

  itWide(
    "finds, receives, verifies and acknowledges events that are flat, in data, and without ids",
    async () => {
      type Sent = { headers: { type: string; offset: number; proofs: unknown[] }; [field: string]: unknown };
      const change = (body: string) => {
        const { events, has_more } = JSON.parse(body) as { events: Sent[]; has_more: boolean };
        const data = events.map(({ headers, payload, created_at }) => ({ ...headers, payload, created_at }));
        return JSON.stringify({ data, has_more });
      };
      harness.proxy.harm = (passing) =>
        isSearch(passing) || isPoll(passing) ? { kind: "change", change } : undefined;
      const reader = {
        id: "flat",
        types: ["watcher.event"],
        inFlight: "1",
        wires: [["flat-verify"], ["flat-look-1"]],
      };
      await harness.deploy([
        [ackingNode(reader), 2],
        [verifyEventNode({ id: "flat-verify", wires: [["flat-ack"], ["flat-verify-look-1"], []] }), 2],
        [ackNode({ id: "flat-ack" }), 1],
      ]);
      const received = await harness.arrived("flat-ack", 3);
      const offsets = received.map(({ crec }) => crec.offset);
      await harness.report("flat", ({ cursor }) => Number(cursor) >= Number(offsets[2]));
      should(received.map(({ crec }) => crec.eventId)).eql(offsets.map((offset) => `offset:${offset}`));
      should(received.every(({ crec }) => (crec.verification as { verified: boolean }).verified)).be.true();
      for (const [id, port] of [
        ["flat", 1],
        ["flat-verify", 1],
      ] as const)
        should(harness.arrivals(id, port)).be.empty();

      const { events, errors } = await search({ types: ["watcher.event"] });
      should(errors).be.empty();
      const found = events.filter(({ crec }) => offsets.includes(crec.offset));
      const byOffset = (arrivals: readonly Arrival[]) =>
        arrivals
          .map(({ crec, payload }) => ({ id: crec.eventId, key: crec.dedupeKey, payload }))
          .sort((a, b) => a.id.localeCompare(b.id));
      should(byOffset(found)).eql(byOffset(received));
    },
  );

  itWide("acknowledges an event without an id in its own channel only", async () => {
    const change = (body: string) => {
      const page = JSON.parse(body) as { events: Array<{ event_id?: string }> };
      for (const event of page.events) delete event.event_id;
      return JSON.stringify(page);
    };
    harness.proxy.harm = (passing) => (isPoll(passing) ? { kind: "change", change } : undefined);
    await harness.deploy([
      [ackingNode({ id: "own" }), 2],
      [ackNode({ id: "own-ack" }), 1],
    ]);
    const [first] = await harness.arrived("own", 1);
    const { eventId, channelId } = first?.crec ?? { eventId: "", channelId: "" };
    await harness.press("own-ack", { crec: { eventId, channelId: "another" } });
    await harness.arrived("own-ack", 1);
    should((await harness.panel("own")).body).have.properties({ delivered: 1, inFlight: 1 });
    await harness.press("own-ack", { crec: { eventId, channelId } });
    await harness.arrived("own", 2);
  });

  itWide("accepts ids in capitals, as the channel and the manage node do", async () => {
    const ofChannel = (await channelId()).toUpperCase();
    const { data } = await harness.call(
      "GET",
      `/channels/${ofChannel.toLowerCase()}/watchers?name=transfers`,
    );
    const watcherId = String((data as Array<{ watcher_id: string }>)[0]?.watcher_id).toUpperCase();
    const channel = channelNode({ id: "capitals", channel: ofChannel });
    await deploy(
      searchNode({ channel: "capitals", watcher: watcherId, types: ["watcher.event"], limit: "1" }),
      [channel],
    );
    const { events, errors } = await again({ crec: { eventId: "offset:1", channelId: ofChannel } });
    should(errors).be.empty();
    should(events[0]?.crec).have.properties({ channelId: ofChannel.toLowerCase() });
    const reader = eventsInNode({ id: "capital", channel: "capitals", watcher: watcherId });
    await harness.deploy(
      [
        [reader, 2],
        [manageNode("watchers.get", { channel: "capitals" }), 1],
      ],
      [channel],
    );
    const [received] = await harness.arrived("capital", 1);
    should(received?.payload).have.property("watcherId", watcherId.toLowerCase());
    await harness.press("manage", { payload: watcherId });
    should((await harness.arrived("manage", 1))[0]?.payload).have.property("name", "transfers");
  });

  itWide("reports an event that fails verification to Catch, with the reason, and continues", async () => {
    const change = (body: string) => {
      const page = JSON.parse(body) as { events: Array<{ payload: Record<string, unknown> }> };
      if (page.events[1]) page.events[1].payload.chain_selector = "1";
      return JSON.stringify(page);
    };
    harness.proxy.harm = (passing) => (isSearch(passing) ? { kind: "change", change } : undefined);
    const { events, errors, ended } = await search(
      { types: ["watcher.event"], limit: "3" },
      { extra: "kept" },
    );
    should(ended).be.true();
    should(errors).have.length(1);
    should(errors[0]?.error).have.property("code", "EVENT_REJECTED");
    should(errors[0]?.error?.message).match(/^(\w+: )?Failed verification: /);
    should(errors[0]).have.property("extra", "kept");
    should(errors[0]?.crec?.verification).have.properties({
      verified: false,
      reason: "unsigned_field_mismatch",
    });
    should(errors[0]?.crec?.event).be.an.Object();
    should(events.at(-1)?.parts).have.properties({ index: events.length - 1, count: events.length });
    should(events.map(({ crec }) => crec.eventId)).not.containEql(errors[0]?.crec?.eventId);
    should(status()).have.properties({ fill: "red", text: `${events.length} found, 1 rejected` });
    harness.proxy.harm = () => undefined;
    should((await again()).errors).be.empty();
    should(status()).have.property("fill", "green");
  });

  it("finds by each filter, by name or id, as text or from the message", async () => {
    const counts = async (node: Partial<FlowNode>, message: Message = {}) => {
      const { events, errors } = await search({ limit: "5", ...node }, message);
      should(errors.map(({ error }) => error?.message)).be.empty();
      return events.length;
    };
    const { chain_selector, contracts } = harness.service.ready;
    const ofContract = { types: ["watcher.event"], address: contracts.DemoToken };
    should(await counts(ofContract)).be.aboveOrEqual(3);
    should(await counts({ ...ofContract, address: "list", addressType: "msg" }, { list: [RECEIVER] })).equal(
      0,
    );
    should(await counts({ watcher: "transfers", statuses: "active" })).equal(1);
    should(await counts({ statuses: "active, pending", watcher: "transfers", from: "24h" })).equal(2);
    should(await counts({ watcher: "transfers", to: "1h" })).equal(0);
    should(
      await counts({ watcher: "transfers", from: "when", fromType: "msg" }, { when: Date.now() - 60_000 }),
    ).equal(5);
    should(await counts({ network: `1, ${chain_selector}`, types: ["watcher.event"] })).be.aboveOrEqual(3);
    should(await counts({ environment: "mainnet" })).equal(0);
    const fromMessage = { operation: "one", operationType: "msg" };
    should(await counts(fromMessage, { one: "" })).equal(5);
    for (const message of [{}, { one: null }]) {
      const { events, errors } = await search({ limit: "5", ...fromMessage }, message);
      should(events).be.empty();
      should(errors[0]?.error?.message).match(/^"Operation" is empty/);
    }
    for (const [name, field] of [
      ["from", "Created from"],
      ["address", "Address"],
    ]) {
      const { errors } = await search({ [`${name}`]: "one", [`${name}Type`]: "msg" });
      should(errors[0]?.error?.code).equal("MISSING_VALUE", field);
    }
  });

  itWide("finds a contract event once where it searches for final events only", async () => {
    const isTransfer = { types: ["watcher.event"], contractEvent: "Transfer", confidence: "finalized" };
    const levelsOf = ({ events }: Found) =>
      events.map(({ payload }) => (payload as { confidence: string }).confidence);
    // Blocks become final some seconds after the transfers.
    const final = await eventually(
      "three final events",
      () => search(isTransfer),
      ({ events }) => events.length >= 3,
    );
    should(levelsOf(final)).deepEqual(["finalized", "finalized", "finalized"]);
    // The service states that it reports up to finalized; a service that states nothing gets all levels through.
    should(levelsOf(await search({ ...isTransfer, confidence: "highest" }))).deepEqual(levelsOf(final));
    harness.proxy.harm = ({ path }) =>
      path.endsWith("/networks") || path.includes("/watchers")
        ? {
            kind: "change",
            change: (body) =>
              body.replaceAll(/"(default_)?confidence_level":"\w+",?/g, "").replaceAll(",}", "}"),
          }
        : undefined;
    should(levelsOf(await search({ ...isTransfer, confidence: "highest" }))).containDeep([
      "latest",
      "finalized",
    ]);
    harness.proxy.harm = () => undefined;
    const any = await search({ ...isTransfer, confidence: "" });
    should(levelsOf(any)).containDeep(["latest", "finalized"]);
    // Events that do not pass do not count.
    const { events } = await search({ ...isTransfer, limit: "1" });
    should(events.map(({ parts }) => parts.count)).deepEqual([1]);
    should(status()?.text).equal("1 found, there are more");
  });

  itWide("refuses filters that the service would refuse, and says how to correct them", async () => {
    should(await failure({ types: ["watcher.event"], statuses: "active" })).have.properties({
      code: "INVALID_FIELD",
      message:
        '"Status" cannot be "active". Events of type watcher.event do not have this field. Clear it, or untick watcher.event.',
    });
    const codes: Array<[string, Partial<FlowNode>]> = [
      ["INVALID_FIELD", { from: "yesterday" }],
      ["INVALID_FIELD", { from: "1h", to: "2h" }],
      ["INVALID_FIELD", { limit: "0" }],
      ["INVALID_ADDRESS", { address: "0x12" }],
      ["WATCHER_NOT_FOUND", { watcher: "nobody" }],
      ["WALLET_NOT_FOUND", { wallet: "nobody" }],
      ["CHANNEL_MISSING", { channel: "" }],
    ];
    for (const [code, node] of codes) should(await failure(node)).have.property("code", code);
  });

  itWide("finds the events of a query where the service refuses to search by it", async () => {
    harness.proxy.harm = (passing) =>
      isSearch(passing) && /[?&](query_id|operation_id)=/.test(passing.query)
        ? { kind: "answer", status: 400, body: '{"type":"VALIDATION_ERROR","message":"not supported"}' }
        : undefined;
    const { chain_selector, contracts } = harness.service.ready;
    const ask = async () => {
      const { query_id } = await harness.call("POST", `/channels/${await channelId()}/queries`, {
        idempotency_key: freshId(),
        query_kind: "evm_call",
        chain_selector,
        params: {
          contract_address: contracts.DemoToken,
          call_data: "0x313ce567",
          block_selection: { type: "latest" },
        },
      });
      const path = `/channels/${await channelId()}/queries/${query_id}`;
      await eventually(
        "a completed query",
        () => harness.call("GET", path),
        ({ status }) => status === "completed",
      );
      return String(query_id);
    };
    const [query] = [await ask(), await ask()];
    const { events, errors } = await search({ query, limit: "3" });
    should(errors).be.empty();
    should(events.map(({ payload }) => payload)).match([
      { queryId: query, status: "accepted" },
      { queryId: query, status: "sending" },
      { queryId: query, status: "sent" },
    ]);
    should(status()?.text).equal("3 found, there are more");
    should(await failure({ query: "not an id" })).have.property("code", "INVALID_ARGUMENT");
  });

  itWide("sends the events found before an error, without a count", async () => {
    // A page that is asked for twice is no other page.
    harness.proxy.harm = (passing) =>
      isSearch(passing) && passing.query.includes("offset=398")
        ? { kind: "answer", status: 400, body: '{"type":"VALIDATION_ERROR","message":"no"}' }
        : undefined;
    const { events, errors, ended } = await search({ types: ["watcher.status"], verify: false });
    should(ended).be.false();
    should(errors[0]?.error).have.property("code", "VALIDATION_ERROR");
    should(events).have.length(399);
    should(events.some(({ parts }) => parts.count !== undefined)).be.false();
    should(events[0]?.crec).not.have.property("verification");
  });

  itWide("ends at a deploy", async () => {
    await deploy(searchNode());
    harness.proxy.harm = (passing) => (passing.query.includes("offset=199") ? { kind: "stall" } : undefined);
    const asked = harness.proxy.next(1, ({ query }) => query.includes("offset=199"));
    await harness.press("search", { probe: freshId() });
    await asked;
    const begun = performance.now();
    await deploy(searchNode({ name: "another" }));
    should(performance.now() - begun).be.below(8_000);
  });
});

describe("times of a search", () => {
  const NOW = 1_780_000_000.9;
  const time = (value: unknown) => timeOf("From", value, NOW);

  it("can be text, numbers and dates", () => {
    should(time("2026-01-31T12:00:00Z")).equal(1_769_860_800);
    should(time("2026-01-31")).equal(1_769_817_600);
    should([time("24h"), time("7d"), time("1.5 h ago"), time("90s"), time("2w")]).deepEqual(
      [86_400, 604_800, 5400, 90, 1_209_600].map((ago) => Math.floor(NOW - ago)),
    );
    should([
      time(1_700_000_000),
      time("1700000000"),
      time(1_700_000_000_123),
      time(new Date(1.7e12)),
    ]).deepEqual(Array(4).fill(1_700_000_000));
    should(time("now")).equal(1_780_000_000);
    should([time(0), time("24")]).deepEqual([0, 24]);
  });

  it("are undefined when empty", () => {
    for (const nothing of [undefined, null, "", "  "]) should(time(nothing)).be.undefined();
  });

  it("are refused when invalid", () => {
    for (const wrong of [
      "yesterday",
      "-5",
      -5,
      "7 days ago",
      "2026-13-99",
      true,
      {},
      Number.NaN,
      "offset 12",
    ]) {
      should(() => time(wrong)).throw(/^"From" must be a time such as/);
    }
  });
});

describe("a sequence of messages", () => {
  it("keeps the parts of the message that started it", () => {
    const sent: Message[] = [];
    const outer = { id: "outer", index: 1 };
    const sequence = new Sequence("inner", { _msgid: "1", parts: outer }, (msg) => sent.push(msg as Message));
    sequence.push({ _msgid: "1", payload: "a" });
    should(sent).be.empty();
    sequence.end();
    should(sent[0]?.parts).deepEqual({ id: "inner", type: "array", index: 0, count: 1, parts: outer });
  });

  it("names are split at commas outside of brackets", () => {
    should(splitNames("A, B(address,(uint256,bool)) ,, C")).deepEqual([
      "A",
      "B(address,(uint256,bool))",
      "C",
    ]);
    should(splitNames(" ")).be.empty();
  });
});
