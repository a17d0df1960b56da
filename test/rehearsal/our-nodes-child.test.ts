import should from "should";
import type { FlowNode, PastEvent } from "../../rehearsal/shared/job.ts";
import type { ChannelEvent } from "../../src/index.ts";
import { configOf, proofCases } from "../proofs/fixtures.ts";
import { jobOf, rehearse, SPAN } from "../support/rehearsal.ts";

const CHANNEL = "7e77863e-8c8d-44b2-a0e0-45cad1325017";
const SEPOLIA = "16015286601757825753";
const TOKEN = "0x5b571A50AC6cB524730C8419EBe452703139809A";
const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/** One event a minute. The first four are of transfers, with proofs that hold. */
const EVENTS: PastEvent[] = proofCases
  .filter(({ name, expect }) => name.startsWith("watcher.event, ") && expect === "verified")
  .map(({ event }, index) => {
    const at = SPAN.from + (index + 1) * 60_000;
    const headers = { ...event.headers, offset: index + 1 };
    return {
      channelId: CHANNEL,
      at,
      event: { ...event, headers, created_at: at / 1000 } as unknown as ChannelEvent,
    };
  });

const { orgId, workflowOwner, creTenantId, validSigners, minRequiredSignatures } = configOf();
const CONFIGURATION = [
  {
    ...{ id: "connection", type: "crec-connection", baseUrl: "http://127.0.0.1:1/v1", orgId: orgId ?? "" },
    ...{ workflowOwner: workflowOwner ?? "", creTenantId, validSigners: validSigners.join("\n") },
    minRequiredSignatures: String(minRequiredSignatures),
  },
  { id: "channel", type: "crec-channel", connection: "connection", channel: "rehearsed" },
  {
    ...{ id: "contract", type: "crec-contract", name: "Token", chainSelector: SEPOLIA, address: TOKEN },
    abi: "event Transfer(address indexed from, address indexed to, uint256 value)",
  },
  { id: "signer", type: "crec-signer", kind: "local" },
  {
    ...{ id: "wallet", type: "crec-wallet", connection: "connection", signer: "signer", wallet: WALLET },
    chainSelector: SEPOLIA,
  },
] as unknown as FlowNode[];

function on(id: string, type: string, wires: string[][], properties: Record<string, unknown>): FlowNode {
  return { id, type, z: "tab", x: 1, y: 1, wires, ...properties };
}

const OPERATION = {
  ...{ channel: "channel", wallet: "wallet", mode: "send", onceFor: "event", deadline: "0", timeout: "1" },
  calls: [{ kind: "raw", to: { value: TOKEN, type: "str" }, data: { value: "0x", type: "str" } }],
};

/** As they run in the process of a rehearsal, on its clock and without network. */
describe("our nodes in the process of a rehearsal", () => {
  it("send events with their times, raise alerts, say what they would do, and settle events", async () => {
    const events = { channel: "channel", consumer: "one", types: [], verify: true, ackTimeout: "30" };
    const flows = [
      { id: "tab", type: "tab", label: "Tab" } as FlowNode,
      ...CONFIGURATION,
      on("events", "crec-events-in", [["alert", "operate", "later"], ["rejected"], []], {
        ...{ ...events, commit: "on-ack", inFlight: "1", attempts: "2" },
      }),
      on("alert", "crec-alert", [["people"], [], []], {
        ...{ version: 1, match: "all", conditions: [], when: "each", takenBack: false, slack: "0s" },
      }),
      on("operate", "crec-submit-operation", [["people"], []], OPERATION),
      on("later", "delay", [["ack"]], { pauseType: "delay", timeout: "10", timeoutUnits: "seconds" }),
      on("ack", "crec-ack", [[], []], { action: "ack" }),
      on("never", "crec-events-in", [["people"], ["rejected"], []], {
        ...{ ...events, consumer: "two", commit: "on-ack", inFlight: "10", attempts: "1" },
      }),
      on("people", "mqtt out", [], { topic: "people", broker: "broker" }),
      on("rejected", "mqtt out", [], { topic: "rejected", broker: "broker" }),
    ];
    const snapshot = {
      networks: [{ chain_selector: SEPOLIA, chain_id: "11155111", name: "sepolia" }],
      wallets: [],
      channels: [{ channel: { channel_id: CHANNEL, name: "rehearsed", status: "active" }, watchers: [] }],
    };
    const report = await rehearse(jobOf(flows, { snapshot }), EVENTS);
    const at = (kind: string, node: string) =>
      report.outcomes
        .filter((one) => one.kind === kind && one.node === node)
        .map((one) => [(one.at - SPAN.from) / 1000, one.event?.offset]);
    const minutes = EVENTS.map((_, index) => [(index + 1) * 60, index + 1]);
    const later = (seconds: number) => minutes.map(([time, offset]) => [(time ?? 0) + seconds, offset]);
    should(report.outcomes.filter(({ kind }) => kind === "error")).deepEqual([]);
    should(minutes.length).be.above(3);
    should(at("alert", "alert")).deepEqual(minutes);
    should(at("operation", "operate")).deepEqual(minutes);
    should(at("ack", "ack")).deepEqual(later(10));
    // Nobody acknowledges these: they are rejected when their time is over.
    should(at("ack", "never")).deepEqual(later(30));
    should(at("sent", "rejected")).deepEqual(later(30));
    const { text, message } = report.outcomes.find(({ kind }) => kind === "operation") ?? {};
    should(text).startWith("sign and send an operation of 1 call: ");
    should(message).have.property("digest");
  });
});
