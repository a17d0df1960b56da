import should from "should";
import { drive, EventQueue } from "../../rehearsal/child/driver.ts";
import { Outcomes } from "../../rehearsal/child/outcomes.ts";
import { MessagePaths } from "../../rehearsal/child/wires.ts";
import { type FlowNode, type PastEvent, REPORT_LIMITS } from "../../rehearsal/shared/job.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import type { ChannelEvent } from "../../src/index.ts";
import { proofCases } from "../proofs/fixtures.ts";
import { jobOf, rehearse, SPAN } from "../support/rehearsal.ts";
import { itWide } from "../support/wide.ts";

const CHANNEL = "7e77863e-8c8d-44b2-a0e0-45cad1325017";
const SNAPSHOT = {
  networks: [],
  wallets: [],
  channels: [
    { channel: { channel_id: CHANNEL, name: "transfers", status: "active" }, watchers: [] },
    { channel: { channel_id: "0b0f0b30-5e0c-4a39-8b0c-9b1f9a3c8d11", name: "empty" }, watchers: [] },
  ],
};

/** A transfer of so many tokens, `second` seconds into the span. */
function transfer(offset: number, second: number, tokens: number): PastEvent {
  const found = proofCases.find(
    ({ why, event }) => why !== "no_proof" && event.headers.type === "watcher.event",
  );
  if (found === undefined) throw new Error("There is no event of a watcher to copy.");
  const event = structuredClone(found.event) as unknown as {
    payload: { verifiable_event: string };
    headers: object;
  };
  const seen = JSON.parse(Buffer.from(event.payload.verifiable_event, "base64").toString()) as {
    chain_event: { tx_hash: string; params: { value: string } };
  };
  seen.chain_event.params.value = `${tokens}${"0".repeat(18)}`;
  seen.chain_event.tx_hash = `0x${offset.toString(16).padStart(64, "0")}`;
  const at = SPAN.from + second * 1_000;
  return {
    channelId: CHANNEL,
    at,
    event: {
      ...event,
      event_id: `event-${offset}`,
      channel_id: CHANNEL,
      created_at: at / 1_000,
      headers: { ...event.headers, offset },
      payload: {
        ...event.payload,
        verifiable_event: Buffer.from(JSON.stringify(seen)).toString("base64"),
      },
    } as unknown as ChannelEvent,
  };
}

const AT_LEAST_200 = {
  ...{ kind: "field", field: "params.value", is: "atLeast" },
  ...{ value: `200${"0".repeat(18)}`, type: "str" },
};

const on = (id: string, type: string, wires: string[][], more: Partial<FlowNode> = {}): FlowNode => ({
  ...{ id, type, z: "tab", x: 1, y: 1, wires },
  ...more,
});

const FLOWS: FlowNode[] = [
  { id: "tab", type: "tab", label: "Large transfers" },
  {
    ...{ id: "connection", type: "crec-connection", baseUrl: "http://service.invalid", graphqlUrl: "" },
    ...{ orgId: "org", workflowOwner: "", creTenantId: "", validSigners: "", minRequiredSignatures: "" },
  },
  {
    id: "channel",
    type: "crec-channel",
    connection: "connection",
    channel: "transfers",
    createMissing: false,
  },
  on("events", "crec-events-in", [["alert"], []], {
    ...{ channel: "channel", consumer: "test", start: "beginning", startValue: "" },
    ...{ types: [], verify: false, pollMin: "1", pollMax: "5" },
  }),
  on("alert", "crec-alert", [["publish"], [], []], {
    ...{ version: 1, match: "all", conditions: [AT_LEAST_200], when: "each" },
    ...{ quiet: "1m", takenBack: false, slack: "0s" },
  }),
  on("publish", "mqtt out", [], { topic: "alerts" }),
  on("tick", "inject", [["ticks"]], { props: [], repeat: "20", once: false }),
  on("ticks", "mqtt out", [], { topic: "tick" }),
];

/** Two parameters have each other's name. */
const EXCHANGED: FlowNode = {
  ...{ id: "contract", type: "crec-contract", chainSelector: "16015286601757825753", decimals: "" },
  address: "0x5b571A50AC6cB524730C8419EBe452703139809A",
  abi: "event Transfer(address indexed from, address indexed value, uint256 to)",
};

/** An alert, one within its quiet time, one that is too small, and one later. */
const EVENTS = [transfer(1, 10, 500), transfer(2, 40, 300), transfer(3, 41, 100), transfer(4, 100, 200)];

describe("events of a rehearsal", () => {
  let report: Report;
  before(async () => {
    const span = { from: SPAN.from, to: SPAN.from + 120_000 };
    report = await rehearse(jobOf(FLOWS, { snapshot: SNAPSHOT, span }), EVENTS);
  });

  const of = (id: string) =>
    report.outcomes
      .filter(({ node }) => node === id)
      .map(({ kind, at, event, why }) => [kind, (at - SPAN.from) / 1_000, event?.offset, why]);

  it("are an error, once, where the ABI of the contract cannot read them", async () => {
    const flows = FLOWS.map((node) => (node.id === "events" ? { ...node, contract: "contract" } : node));
    const span = { from: SPAN.from, to: SPAN.from + 120_000 };
    const job = jobOf([...flows, EXCHANGED], { snapshot: SNAPSHOT, span });
    const { outcomes } = await rehearse(job, EVENTS);
    const errors = outcomes.filter(({ kind }) => kind === "error");
    should(errors.map(({ node }) => node)).deepEqual(["events"]);
    should(errors[0]?.text).match(/params\.value is not of type address/);
    should(outcomes.some(({ kind }) => kind === "alert")).be.false();
  });

  it("come in order at their times, with timers in between", () => {
    should(report.events).deepEqual({ read: 4, delivered: 4 });
    should(report.channels).match([
      { id: CHANNEL, name: "transfers", events: 4, firstOffset: 1, lastOffset: 4 },
      { name: "empty", events: 0 },
    ]);
    const order = report.outcomes
      .filter(({ kind }) => kind === "sent")
      .map(({ text, at }) => [text, at - SPAN.from]);
    should(order).deepEqual([
      ["alerts", 10_000],
      ["tick", 20_000],
      ["tick", 40_000],
      ["tick", 60_000],
      ["tick", 80_000],
      ["tick", 100_000],
      ["alerts", 100_000],
      ["tick", 120_000],
    ]);
  });

  it("become alerts, or say why not", () => {
    should(of("alert")).deepEqual([
      ["alert", 10, 1, undefined],
      ["suppressed", 40, 2, "quiet"],
      ["alert", 100, 4, undefined],
    ]);
    const alert = report.nodes.find(({ id }) => id === "alert");
    should(alert).match({ received: 4, sent: [2, 0, 2], reasons: { quiet: 1 } });
    should(alert?.outcomes).deepEqual({ alert: 2, suppressed: 1 });
    should(of("ticks").every(([, , offset]) => offset === undefined)).be.true();
  });

  it("are followed to where their messages would have left", () => {
    const sent = report.outcomes.find(({ node }) => node === "publish");
    should(sent?.event).deepEqual({ channelId: CHANNEL, offset: 1 });
    should(report.paths[sent?.path ?? -1]).deepEqual([
      { from: "events", port: 0, to: "alert" },
      { from: "alert", port: 0, to: "publish" },
    ]);
    should(report.wires).match([
      { from: "events", port: 0, to: "alert", count: 4 },
      { from: "alert", port: 0, to: "publish", count: 2 },
      { from: "tick", port: 0, to: "ticks", count: 6 },
    ]);
  });

  itWide("are all counted where the report keeps few", async () => {
    const limits = { ...REPORT_LIMITS, outcomesPerNode: 1, messageBytes: 500 };
    const cut = await rehearse(jobOf(FLOWS, { snapshot: SNAPSHOT, limits }), EVENTS);
    should(cut.outcomes.filter(({ kind }) => kind === "alert")).have.length(1);
    should(cut.nodes.find(({ id }) => id === "alert")?.outcomes).deepEqual({ alert: 2, suppressed: 1 });
    should(cut.outcomes.find(({ kind }) => kind === "alert")?.isCut).be.true();
    for (const { message } of cut.outcomes) should(JSON.stringify(message).length).be.below(1_000);
    should(cut.notes.filter(({ kind }) => kind === "cut")).have.length(1);
  });

  itWide("are no more than one message to the parent can hold, in any script, with their paths", () => {
    const kept = (letter: string, node: string): number => {
      const paths = new MessagePaths();
      const limits = { ...REPORT_LIMITS, outcomesPerNode: 40_000, messageBytes: 4_096 };
      const outcomes = new Outcomes(limits, paths);
      for (let port = 0; port < 30_000; port += 1) {
        let pathId = paths.extend(0, `${port}`, port, node);
        for (let wire = 1; node !== "" && wire < 20; wire += 1)
          pathId = paths.extend(pathId, node, port, node);
        const message = letter.repeat(1_000);
        outcomes.add({ kind: "sent", node, at: 0, text: "", message, pathId: node === "" ? 0 : pathId });
      }
      should(outcomes.left).be.above(0);
      return Buffer.byteLength(JSON.stringify([outcomes.kept, outcomes.paths]));
    };
    should(kept("語", "")).be.below(28 * 2 ** 20);
    should(kept("a", "n".repeat(100))).be.below(28 * 2 ** 20);
  });

  it("do not come, and no timer runs, after the rehearsal is cancelled between two of them", async () => {
    const [happened, timers] = [[] as string[], [10, 20, 30]];
    const events = new EventQueue(() => {});
    events.add([{ ...transfer(1, 0, 1), at: 100 }], true);
    await drive(
      {
        clock: {
          now: () => 0,
          nextTimer: () => timers[0],
          runNextTimer: () => happened.push(`timer ${timers.shift()}`),
          moveTo: (at) => happened.push(`moved to ${at}`),
        },
        events,
        publish: () => happened.push("event"),
        settle: async () => {},
        moved: () => {},
        isCancelled: () => timers.length < 2,
      },
      200,
    );
    should(happened).deepEqual(["timer 10", "timer 20"]);
  });
});
