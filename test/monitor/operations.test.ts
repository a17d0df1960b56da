import should from "should";
import type { OperationReport } from "../../nodes/common/telemetry/types.ts";
import { ACTIVITY_SETTINGS, reported, reportedWith } from "../support/activity.ts";
import { createWatcherNode, eventsInNode, manageNode, verifyEventNode } from "../support/nodes.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { operationNode, submitNode } from "../support/operation-nodes.ts";
import type { Passing } from "../support/proxy.ts";

const TOO_MUCH = String(10n ** 30n);
/** An amount that is found again in no other number, such as a time or an id. */
const AMOUNT = "739104826517";

/** What the nodes report of operations, watchers and wallets, on the real service. */
describe("the reports of operations", function () {
  this.timeout(120_000);

  let harness: OperationHarness;

  before(async () => {
    harness = await OperationHarness.start({}, { settings: ACTIVITY_SETTINGS });
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(() => harness?.close());

  const ended = (operationId: unknown, accept: (one: OperationReport) => boolean = () => true) =>
    reportedWith(harness.nodeRed, (all) =>
      all.ended.find((one) => one.operationId === operationId && accept(one)),
    );
  const good = { to: RECEIVER, payload: "1" };
  /** Hides how operations end. */
  const hold = () => {
    const isLook = ({ path }: Passing) => path.endsWith("/events/search");
    harness.proxy.harm = (passing) => (isLook(passing) ? { kind: "stall" } : undefined);
  };

  it("go on with the statuses that come later", async () => {
    await harness.deploy([[submitNode({ name: "Pay" }), 2]]);
    const { crec } = await harness.ask("submit", good);
    const found = await ended(crec?.operationId, ({ status }) => status === "confirmed");
    should(found).match({
      ...{ node: "submit", flow: "harness-tab", type: "crec-submit-operation", label: "Pay" },
      ...{ outcome: "reached", isProven: true, wallet: harness.wallet },
      ...{ channelId: crec?.channelId, walletOperationId: crec?.walletOperationId },
    });
    should(found.changedAt).be.above(found.startedAt);
    should((await reported(harness.nodeRed)).underWay).be.empty();
  });

  it("tell why one failed", async () => {
    const { crec } = await harness.refuse("submit", { ...good, payload: TOO_MUCH });
    should(await ended(crec?.operationId)).match({ outcome: "failed", status: "failed" });
    const { reason } = await ended(crec?.operationId);
    should(reason).match(/^\w+$/);
  });

  it("are drafts until a person finalizes them, in one row", async () => {
    await harness.deploy([
      [submitNode({ mode: "draft" }), 2],
      [operationNode("finalize", { waitFor: "confirmed_latest" }), 1],
      [operationNode("cancel"), 1],
    ]);
    const { crec: draft = {} } = await harness.ask("submit", good);
    should(await ended(draft.operationId)).match({ outcome: "draft", status: "pending_signature" });
    const ids = { operationId: draft.operationId, channelId: draft.channelId, digest: draft.digest };
    await harness.ask("finalize", { crec: ids });
    should(await ended(draft.operationId, ({ outcome }) => outcome === "reached")).match({
      ...{ node: "finalize", isProven: true },
    });
    const rows = (await reported(harness.nodeRed)).ended;
    should(rows.filter(({ operationId }) => operationId === draft.operationId)).have.length(1);

    const { crec: other = {} } = await harness.ask("submit", good);
    await harness.ask("cancel", { crec: { operationId: other.operationId, channelId: other.channelId } });
    should(await ended(other.operationId, ({ outcome }) => outcome === "reached")).match({
      status: "cancelled",
    });
  });

  it("are interrupted by a deploy, where the node does not resume them", async () => {
    await harness.deploy([[submitNode({ resume: false }), 2]]);
    hold();
    await harness.nodeRed.press("press-submit", good);
    const { key, status } = await reportedWith(harness.nodeRed, ({ underWay: [one] }) =>
      one && one.status !== "signing" ? one : undefined,
    );
    await harness.deploy([]);
    const all = await reported(harness.nodeRed);
    should(all.underWay).be.empty();
    should(all.ended.find((one) => one.key === key)).match({ outcome: "interrupted", status });
  });

  it("stay under way over a deploy, where the node resumes them", async () => {
    await harness.deploy([[submitNode({ resume: true }), 2]]);
    hold();
    await harness.nodeRed.press("press-submit", good);
    const before = await reportedWith(harness.nodeRed, ({ underWay: [one] }) =>
      one && one.status !== "signing" ? one : undefined,
    );
    await harness.deploy([[submitNode({ resume: true, name: "Again" }), 2]]);
    harness.proxy.harm = () => undefined;
    const { startedAt } = before;
    should(await ended(before.operationId, ({ outcome }) => outcome === "reached")).match({
      ...{ label: "Again", startedAt },
    });
  });

  it("name watchers and wallets as nodes see them", async () => {
    const watcher = createWatcherNode({ contract: "token", events: "", watcherName: "seen" });
    await harness.deploy(
      [
        [{ ...watcher, source: "contract", events: "Transfer", contract: "demo" }, 2],
        [manageNode("wallets.list"), 1],
      ],
      [demoContract()],
    );
    const { crec } = await harness.ask("watcher", {});
    await harness.ask("manage", {});
    const { watchers, wallets } = await reported(harness.nodeRed);
    should(watchers.find(({ id }) => id === crec?.watcherId)).match({
      ...{ name: "seen", status: "active", channelId: crec?.channelId, service: harness.proxy.baseUrl },
      origin: { node: "watcher" },
    });
    should(wallets.find(({ address }) => address === harness.wallet)).match({
      ...{ name: "harness-wallet", status: "deployed", origin: { node: "manage" } },
    });
  });

  it("hold no key and no parameter of an event", async () => {
    const reads = eventsInNode({ start: "beginning", types: ["watcher.event"] });
    await harness.deploy(
      [
        [reads, 2],
        [submitNode(), 2],
        [verifyEventNode(), 3],
      ],
      [demoContract()],
    );
    const canary = `0x${"c0ffee".repeat(6)}beef`;
    await harness.ask("submit", { to: canary, payload: AMOUNT });
    const { value } = await harness.nodeRed.showing(`${reads.id}:0`, (shown) =>
      JSON.stringify(shown).toLowerCase().includes(canary),
    );
    await harness.nodeRed.press("press-verify", value as Record<string, unknown>);
    const all = await reportedWith(harness.nodeRed, (one) =>
      one.events.some(({ name, proof }) => name === "Transfer" && proof === "verified") ? one : undefined,
    );
    const text = JSON.stringify(all).toLowerCase();
    should(text.length).be.above(2_000);
    for (const secret of [harness.service.ready.api_key, harness.key, harness.key.slice(2), canary, AMOUNT])
      should(text.includes(secret.toLowerCase())).be.false(`${secret} is reported`);
  });

  it("have one row for an event that is delivered unchecked, then verified, and none for a test message", async () => {
    const reads = eventsInNode({ verify: false, types: ["watcher.event"] });
    await harness.deploy(
      [[verifyEventNode(), 3]],
      [{ ...reads, z: "harness-tab", x: 1, y: 1, wires: [["verify"], []] }],
    );
    const [row] = await reportedWith(harness.nodeRed, ({ events }) => {
      const rows = events.filter(({ consumer }) => consumer === reads.consumer);
      return rows[0]?.proof === "verified" ? rows : undefined;
    });
    should(row).match({ node: "verify", name: "Transfer", proof: "verified" });
    should(row?.proofMs).be.above(0);
    const { events } = await reported(harness.nodeRed);
    const rows = events.filter(
      ({ offset, channelId }) => offset === row?.offset && channelId === row?.channelId,
    );
    should(rows.filter(({ consumer }) => ["", reads.consumer].includes(consumer))).have.length(1);

    const headers = { "content-type": "application/json" };
    const count = events.length;
    await harness.nodeRed.fetch(`crec/events-in/${reads.id}/last`, { method: "POST", headers, body: "{}" });
    await harness.nodeRed.showing(
      "verify:0",
      (shown) => (shown as { crec: { test?: true } }).crec.test === true,
    );
    should((await reported(harness.nodeRed)).events.length).equal(count);
  });

  function demoContract() {
    const { ready } = harness.service;
    return {
      ...{ id: "demo", type: "crec-contract", chainSelector: ready.chain_selector },
      ...{ address: ready.contracts.DemoToken },
      abi: "event Transfer(address indexed from, address indexed to, uint256 value)",
    };
  }
});
