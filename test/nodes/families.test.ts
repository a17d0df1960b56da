import should from "should";
import type { ChannelEvent } from "../../src/index.ts";
import { familySet, OWNER, ownConfig, signedByFamily, signedEvent } from "../proofs/fixtures.ts";
import { EventHarness, isPoll } from "../support/event-harness.ts";
import { harnessFlow, type Message, refuse } from "../support/flow-harness.ts";
import { type FlowNode, freshId } from "../support/node-red.ts";
import { channelNode, connectionNode, eventsInNode, verifyEventNode } from "../support/nodes.ts";
import type { Passing } from "../support/proxy.ts";

const SELECTOR = "16015286601757825753";
/** Watchers, by their family; the last names none. */
const [A, B, NONE] = [1, 2, 3].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
const FAMILIES: Record<string, string> = { [A ?? ""]: "zone-a", [B ?? ""]: "zone-b" };

const signed = (log: number) => ({
  name: "Transfer",
  chain_event: { chain_id: "11155111", tx_hash: `0x${"ab".repeat(32)}`, log_index: log },
});
const ours = (log: number, watcher_id = A) =>
  signedEvent("watcher.event", signed(log), { watcher_id, chain_selector: SELECTOR });
const theirs = (log: number, watcher_id = B) =>
  signedByFamily("watcher.event", signed(log), { watcher_id, chain_selector: SELECTOR });

const EVENTS = [ours(1), theirs(2), ours(3, B), theirs(4, A), ours(5), theirs(6), theirs(7, NONE)];
const ZONE_B = {
  ...{ family: "zone-b", orgId: "", creTenantId: "" },
  validSigners: familySet.validSigners.join("\n"),
  minRequiredSignatures: String(familySet.minRequiredSignatures),
};

const isWatcher = ({ path }: Passing) => path.includes("/watchers/");

/** Two oracle families sign the events of one channel; each event names its watcher. */
describe("a connection with a signer set for an oracle family", function () {
  this.timeout(120_000);
  let harness: EventHarness;
  let isDown = false;
  /** How often the service answers about watcher B as if it were not there. */
  let unshown = 0;

  before(async () => {
    harness = await EventHarness.start(EVENTS.length);
    harness.proxy.harm = (passing) => {
      if (isPoll(passing) || passing.path.endsWith("/events/search"))
        return { kind: "change", change: withEvents };
      if (!isWatcher(passing)) return undefined;
      const watcher_id = passing.path.split("/").at(-1) ?? "";
      if (isDown) return { kind: "answer", status: 503, body: "{}" };
      const isShown = watcher_id !== B || unshown === 0;
      if (!isShown) unshown -= 1;
      const body = isShown
        ? { watcher_id, don_family: FAMILIES[watcher_id] }
        : { type: "NOT_FOUND", code: "WATCHER_NOT_FOUND", message: "unknown" };
      return { kind: "answer", status: isShown ? 200 : 404, body: JSON.stringify(body) };
    };
  });
  beforeEach(() => {
    harness.proxy.passed.length = 0;
    isDown = false;
    unshown = 0;
  });
  after(() => harness?.close());

  function withEvents(body: string): string {
    const page = JSON.parse(body) as { events: ChannelEvent[] };
    for (const event of page.events) {
      const { offset } = event.headers;
      const { payload, headers } = EVENTS[offset - 1] ?? event;
      Object.assign(event, { payload, headers: { ...headers, offset } });
    }
    return JSON.stringify(page);
  }

  const deploy = (node: FlowNode, families?: unknown[], properties: object = {}) => {
    const connection = connectionNode(harness.service.ready, {
      ...{ baseUrl: harness.proxy.baseUrl, orgId: "", workflowOwner: OWNER, timeout: "1" },
      validSigners: ownConfig.validSigners.join("\n"),
      minRequiredSignatures: String(ownConfig.minRequiredSignatures),
      ...(families ? { families } : {}),
      ...properties,
    });
    const channel = channelNode({ channel: harness.service.channelName });
    return harness.nodeRed.deploy(harnessFlow([connection, channel], [[node, 3]]));
  };
  const verificationOf = ({ crec }: Message) => crec?.verification as Record<string, unknown>;
  const asked = () => harness.proxy.passed.filter(isWatcher).map(({ path }) => path.split("/").at(-1));

  it("has each event of events in checked by the set of its watcher's family, asked for once", async () => {
    await deploy(eventsInNode({ id: "reads" }), [ZONE_B]);
    await harness.report("reads", ({ cursor }) => cursor === EVENTS.length);
    const verified = await harness.arrived("reads", 4);
    should(verified.map(({ crec }) => [crec.offset, verificationOf({ crec }).donFamily])).deepEqual([
      [1, undefined],
      [2, "zone-b"],
      [5, undefined],
      [6, "zone-b"],
    ]);
    const rejected = await harness.arrived("reads", 3, 1);
    should(rejected.map(({ crec }) => crec.offset)).deepEqual([3, 4, 7]);
    for (const { crec } of rejected) {
      should(crec.verification).have.properties({ verified: false, reason: "threshold_not_met" });
    }
    should(asked()).deepEqual([A, B, NONE]);
  });

  it("holds an event whose watcher cannot be read, and sends it once it can be", async () => {
    isDown = true;
    await deploy(eventsInNode({ id: "holds" }), [ZONE_B]);
    // Asked for again, after what the client itself repeats.
    await harness.report("holds", ({ state, lastError }) => state === "retrying" && lastError !== undefined);
    for (const port of [0, 1, 2]) should(harness.arrivals("holds", port)).be.empty();
    isDown = false;
    const [first, second] = await harness.arrived("holds", 2);
    should([first?.crec.offset, second?.crec.offset]).deepEqual([1, 2]);
  });

  it("judges no event while its watcher is not shown", async () => {
    unshown = 1;
    await deploy(eventsInNode({ id: "early" }), [ZONE_B]);
    await harness.report("early", ({ cursor }) => cursor === EVENTS.length);
    should((await harness.arrived("early", 4)).map(({ crec }) => crec.offset)).deepEqual([1, 2, 5, 6]);
    should(asked()).deepEqual([A, B, B, NONE]);
  });

  it("asks for no watcher where it has no such sets", async () => {
    await deploy(eventsInNode({ id: "usual" }));
    await harness.report("usual", ({ cursor }) => cursor === EVENTS.length);
    should((await harness.arrived("usual", 3)).map(({ crec }) => crec.offset)).deepEqual([1, 3, 5]);
    should(asked()).be.empty();
  });

  it("has search events check by the set of the family, too", async () => {
    const node = { id: "search", type: "crec-search-events", channel: "channel", verify: true };
    await deploy(node, [ZONE_B]);
    await harness.press("search", {});
    const found = await harness.arrived("search", 4);
    should(found.map(({ crec }) => verificationOf({ crec }).donFamily)).deepEqual([
      ...[undefined, "zone-b"],
      ...[undefined, "zone-b"],
    ]);
    should(asked()).deepEqual([A, B, NONE]);
  });

  it("has search events wait for a watcher that is not shown yet", async () => {
    unshown = 1;
    const node = { id: "patient", type: "crec-search-events", channel: "channel", verify: true };
    await deploy(node, [ZONE_B]);
    await harness.press("patient", {});
    const found = await harness.arrived("patient", 4);
    should(found.filter(({ crec }) => verificationOf({ crec }).donFamily === "zone-b")).have.length(2);
    should(asked()).deepEqual([A, B, B, NONE]);
  });

  describe("in verify event", () => {
    const channelId = "00000000-0000-4000-8000-0000000000c0";
    const message = (event: object, crec: object = { channelId }): Message => ({ crec: { ...crec, event } });
    const portOf = async (msg: Message) => {
      const probe = freshId();
      await harness.press("verify", { ...msg, probe });
      const { name, value } = await harness.nodeRed.shows(
        (shown) => (shown.value as Message).probe === probe,
      );
      return { port: name.split(":").at(-1), ...verificationOf(value as Message) };
    };

    it("checks by the set of the family, and says which it was", async () => {
      await deploy(verifyEventNode(), [ZONE_B]);
      should(await portOf(message(theirs(8)))).have.properties({ port: "0", donFamily: "zone-b" });
      should(await portOf(message(ours(9))))
        .have.property("port", "0")
        .and.not.have.property("donFamily");
      const wrong = { port: "1", reason: "threshold_not_met", donFamily: "zone-b" };
      should(await portOf(message(ours(10, B)))).have.properties(wrong);
      should(asked()).deepEqual([B, A]);
    });

    it("waits for a watcher that is not shown yet", async () => {
      await deploy(verifyEventNode(), [ZONE_B]);
      unshown = 1;
      should(await portOf(message(theirs(8)))).have.properties({ port: "0", donFamily: "zone-b" });
      should(asked()).deepEqual([B, B]);
    });

    it("accepts only the set that is expected, whichever watcher the event names", async () => {
      await deploy(verifyEventNode({ signedBy: "family", expectFamily: "zone-b" }), [ZONE_B]);
      should(await portOf(message(theirs(11)))).have.property("port", "0");
      should(await portOf(message(ours(12)))).have.properties({ port: "1", reason: "unexpected_family" });
      await deploy(verifyEventNode({ signedBy: "default" }), [ZONE_B]);
      should(await portOf(message(ours(13)))).have.property("port", "0");
      should(await portOf(message(theirs(14)))).have.properties({ port: "1", reason: "unexpected_family" });
    });

    it("does not judge what names no channel, or a watcher that cannot be read", async () => {
      await deploy(verifyEventNode(), [ZONE_B]);
      const { error } = await refuse(harness.nodeRed, "verify", message(theirs(15), {}));
      should(error).have.property("code", "CHANNEL_MISSING");
      isDown = true;
      const failed = await refuse(harness.nodeRed, "verify", message(theirs(16)));
      should(failed.error).have.property("code").and.not.equal("CHANNEL_MISSING");
      isDown = false;
      should(await portOf(message(theirs(17)))).have.property("port", "0");
    });
  });

  const unusable: Record<string, [families: object[], code: string]> = {
    "a set without a family": [[{ ...ZONE_B, family: " " }], "CONNECTION_INCOMPLETE"],
    "two sets for one family": [[ZONE_B, { ...ZONE_B, family: "zone-b " }], "CONNECTION_INCOMPLETE"],
    "a variable that is not set": [[{ ...ZONE_B, validSigners: "${NO_SUCH_SIGNERS}" }], "VARIABLE_MISSING"],
  };
  for (const [what, [families, code]] of Object.entries(unusable)) {
    it(`cannot be used with ${what}`, async () => {
      await deploy(verifyEventNode(), families);
      const { error } = await refuse(harness.nodeRed, "verify", { crec: { event: ours(18) } });
      should(error).have.property("code", code);
    });
  }
});
