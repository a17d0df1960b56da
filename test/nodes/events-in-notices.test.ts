import should from "should";
import type { ChannelEvent } from "../../src/index.ts";
import { configOf, proofCases } from "../proofs/fixtures.ts";
import { type Arrival, ackingNode, ackNode, EventHarness, isPoll } from "../support/event-harness.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { channelNode, connectionNode, contractNode } from "../support/nodes.ts";

const EVENTS = 8;
const [PROVEN, INVISIBLE, FORGED, SPELLED_OUT, ODD_STATUS, EARLY_RUNG, NUMBER, NOTICE] = [
  1, 2, 3, 4, 5, 6, 7, 8,
] as const;
/** What decoding makes of a transfer. */
const DECODED = { name: "Transfer", params: { value: "1" }, confidence: "finalized" };

/** Where the transfer of the worked example happened. */
const OF_EXAMPLE = {
  chainSelector: "16015286601757825753",
  address: "0x5b571A50AC6cB524730C8419EBe452703139809A",
};

/** A status that names no network, so it cannot be decoded. */
const NO_STATUS = { ...DECODED, watcher_id: "w", status: "active" };

type Change = { headers?: object; payload: Record<string, unknown> };

/** With proofs checked, nothing unproven leaves by the first output, whatever a relay makes up. */
describe("notices of events in", function () {
  this.timeout(120_000);
  let harness: EventHarness;

  const proven = proofCases.find(
    ({ event, expect }) => expect === "verified" && event.headers.type === "watcher.event",
  );
  const changes: Record<number, Change> = {
    [PROVEN]: { headers: proven?.event.headers ?? {}, payload: proven?.event.payload ?? {} },
    [INVISIBLE]: { headers: { type: "watcher.event\u200b" }, payload: DECODED },
    [FORGED]: { headers: { type: "watcher.event" }, payload: DECODED },
    [SPELLED_OUT]: { headers: { type: "watcher.event/Transfer" }, payload: DECODED },
    [ODD_STATUS]: { headers: { type: "watcher.status" }, payload: NO_STATUS },
    [NUMBER]: { headers: { type: 5 }, payload: DECODED },
    [EARLY_RUNG]: {
      headers: { type: "operation.status" },
      payload: {
        ...{ status: "sent", status_reason: "", operation_id: "o", wallet_operation_id: "1" },
        ...{ address: `0x${"11".repeat(20)}`, chain_selector: "1", timestamp: 1 },
      },
    },
  };

  before(async () => {
    harness = await EventHarness.start(EVENTS);
    harness.proxy.harm = (passing) =>
      isPoll(passing)
        ? {
            kind: "change",
            change: (body) => {
              const page = JSON.parse(body) as { events: ChannelEvent[] };
              for (const event of page.events) {
                const { offset } = event.headers;
                const { headers = {}, payload = event.payload } = changes[offset] ?? {};
                Object.assign(event, { payload, headers: { ...event.headers, ...headers, offset } });
              }
              return JSON.stringify(page);
            },
          }
        : undefined;
  });
  after(() => harness?.close());

  /** Reads with the signers of the worked example. */
  const deploy = (id: string, properties: object, more: readonly FlowNode[] = []) => {
    const { validSigners, minRequiredSignatures, ...rest } = configOf(
      proven?.config ? { config: proven.config } : {},
    );
    const connection = connectionNode(harness.service.ready, {
      ...{
        baseUrl: harness.proxy.baseUrl,
        ...rest,
        workflowOwner: rest.workflowOwner ?? "",
        orgId: rest.orgId ?? "",
      },
      validSigners: validSigners.join("\n"),
      minRequiredSignatures: String(minRequiredSignatures),
    });
    const node = ackingNode({ id, verify: true, attempts: "", ...properties });
    const channel = channelNode({ channel: harness.service.channelName });
    return harness.nodeRed.deploy(
      harnessFlow(
        [connection, channel, ...more],
        [
          [node, 3],
          [ackNode({ id: "acks-notices" }), 1],
        ],
      ),
    );
  };
  const offsetsOf = (arrivals: readonly Arrival[]) => arrivals.map(({ crec }) => crec.offset);

  for (const commit of ["on-send", "on-complete", "on-ack"]) {
    it(`${commit}: the first output sends what is proven, the second what fails, the third the rest`, async () => {
      const id = `notices-${commit}`;
      // In the last mode only what leaves by the first output is acknowledged.
      const wires = [[`${id}-look-0`, "acks-notices"], [`${id}-look-1`], [`${id}-look-2`]];
      await deploy(id, { commit, wires });
      await harness.report(id, ({ cursor }) => cursor === EVENTS);
      await harness.arrived(id, EVENTS - 3, 2);
      should(offsetsOf(harness.arrivals(id))).deepEqual([PROVEN]);
      should(offsetsOf(harness.arrivals(id, 1))).deepEqual([FORGED, NUMBER]);
      should(offsetsOf(harness.arrivals(id, 2))).deepEqual([
        INVISIBLE,
        SPELLED_OUT,
        ODD_STATUS,
        EARLY_RUNG,
        NOTICE,
      ]);
      for (const { crec } of harness.arrivals(id, 2)) {
        should(crec.verification).have.properties({ verified: false, reason: "not_verifiable" });
        should(crec).not.have.properties(["dedupeKey", "consumer"]);
      }
      should(await harness.report(id, () => true)).have.properties({
        notices: 5,
        unknownTypes: ["watcher.event\\u{200b}", "watcher.event/Transfer", "5"],
      });
    });
  }

  it("what cannot be decoded is wrapped, and has a topic of its own", async () => {
    await deploy("wrapped", { commit: "on-send" });
    const [invisible, spelledOut, oddStatus, earlyRung] = await harness.arrived("wrapped", 5, 2);
    const wrapped = (type: string, undecoded = DECODED) => ({ type, undecoded });
    should(invisible).containDeep({ topic: "unknown", payload: wrapped("watcher.event\u200b") });
    should(spelledOut).containDeep({ topic: "unknown", payload: wrapped("watcher.event/Transfer") });
    should(oddStatus).containDeep({ topic: "watcher.status", payload: wrapped("watcher.status", NO_STATUS) });
    should(earlyRung).containDeep({
      topic: "operation.status",
      payload: { status: "sent", operationId: "o" },
    });
    should(invisible?.payload).have.keys("type", "undecoded");
  });

  it("nobody is left waiting for a notice at a port to which nothing is wired", async () => {
    await deploy("unwired", {
      commit: "on-send",
      types: ["watcher.status"],
      wires: [["unwired-look-0"], [], []],
    });
    await harness.report("unwired", ({ cursor }) => cursor === EVENTS);
    const warnings =
      harness.nodeRed.log.match(/\[crec-events-in:unwired\] An event of type watcher\.status.*/g) ?? [];
    should(warnings).have.length(1);
  });

  it("what its ABI cannot read leaves undecoded, and the status and the log say why", async () => {
    // The names of two parameters are exchanged.
    const abi = "event Transfer(address indexed from, address indexed value, uint256 to)";
    await deploy("unread", { commit: "on-send", contract: "contract" }, [
      contractNode(harness.service.ready, { abi, ...OF_EXAMPLE }),
    ]);
    const [event] = await harness.arrived("unread", 1, 0);
    const reason =
      "The event's params.value is not of type address of Transfer(address,address,uint256); check that the ABI belongs to this contract.";
    should(event?.payload).have.keys("type", "undecoded", "reason").and.have.property("reason", reason);
    await harness.nodeRed.status("unread", "undecoded");
    should(harness.nodeRed.statuses("unread").at(-1)).have.properties({
      fill: "yellow",
      text: "connected, 1 not decoded",
    });
    const said = harness.nodeRed.log.match(/\[crec-events-in:unread\] .*/g) ?? [];
    should(said.filter((line) => line.includes(reason))).have.length(1);
  });

  it("without the check all leave by the first output, and no made-up type looks decoded", async () => {
    await deploy("unchecked", { commit: "on-send", verify: false });
    const all = await harness.arrived("unchecked", EVENTS);
    should(offsetsOf(all)).deepEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    should(all[INVISIBLE - 1]?.payload).deepEqual({ type: "watcher.event\u200b", undecoded: DECODED });
  });
});
