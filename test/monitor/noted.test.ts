import type { Node } from "node-red";
import should from "should";
import { activity } from "../../nodes/common/telemetry/activity.ts";
import { eventReport } from "../../nodes/common/telemetry/event-report.ts";
import type { ActivityEvent, EventReport } from "../../nodes/common/telemetry/types.ts";
import { noteChecked } from "../../nodes/verify-event/noted.ts";
import type { ChannelEvent, VerifyResult } from "../../src/index.ts";

const channelId = "0f8fad5b-d9cb-469f-a165-70867728950e";
const event = {
  event_id: "11111111-2222-3333-4444-555555555555",
  channel_id: channelId,
  headers: { type: "watcher.event", offset: 7 },
  payload: {},
} as unknown as ChannelEvent;
const verification = { verified: true } as unknown as VerifyResult;

describe("a checked event", () => {
  let facts: Array<Extract<ActivityEvent, { kind: "event" }>>;
  let end: () => void;

  beforeEach(() => {
    facts = [];
    end = activity.onFact((fact) => {
      if (fact.kind === "event") facts.push(fact);
    });
  });
  afterEach(() => {
    end();
    for (const { number } of activity.events.all()) activity.events.delete(String(number));
  });

  const deliver = (consumer: string, flow = "tab"): void => {
    const origin = { node: `reads-${consumer}`, flow, type: "crec-events-in", label: consumer };
    const report = eventReport({
      ...{ origin, consumer, channelId, event, decoded: undefined, verification: undefined },
      ...{ isRedelivered: false, isLate: false },
    });
    activity.note({ kind: "event", event: report });
  };
  const check = (id: string, { flow = "tab", consumer }: { flow?: string; consumer?: string } = {}) => {
    const crec = { eventId: event.event_id, channelId, ...(consumer ? { consumer } : {}) };
    const node = { id, z: flow, type: "crec-verify-event" } as Node;
    noteChecked(node, { msg: { crec }, event, verification, proofMs: 1 });
  };
  const checkCopy = () => {
    const rejected = { verified: false, reason: "event_hash_mismatch" } as unknown as VerifyResult;
    const node = { id: "verify-copy", z: "tab", type: "crec-verify-event" } as Node;
    const msg = { crec: { eventId: event.event_id, channelId } };
    noteChecked(node, { msg, event, verification: rejected, proofMs: 1 });
  };
  const checked = () => facts.filter(({ before }) => before).map(({ event: { consumer } }) => consumer);
  const proofs = () =>
    Object.fromEntries(activity.events.all().map(({ consumer, proof }: EventReport) => [consumer, proof]));

  it("is the delivery of each consumer, where two of a flow read the same channel", () => {
    deliver("a");
    deliver("b");
    check("verify-a");
    check("verify-b");
    should(proofs()).deepEqual({ a: "verified", b: "verified" });
    should(checked().sort()).deepEqual(["a", "b"]);
    check("verify-again");
    should(facts).have.length(4);
  });

  it("is the delivery of the consumer that the message names", () => {
    deliver("a");
    deliver("b");
    check("verify", { consumer: "a" });
    should(proofs()).deepEqual({ a: "verified", b: "unchecked" });
  });

  it("is rather a delivery of its own flow", () => {
    deliver("a");
    deliver("b", "other-tab");
    check("verify");
    should(proofs()).deepEqual({ a: "verified", b: "unchecked" });
  });

  it("is no delivery that was verified, where it is a changed copy of it", () => {
    deliver("a");
    check("verify");
    checkCopy();
    should(proofs()).deepEqual({ a: "verified", "": "rejected" });
  });

  it("is the newest delivery of a consumer, also after another one was checked", () => {
    deliver("a");
    check("verify");
    deliver("a");
    check("verify");
    should(activity.events.all().map(({ proof }) => proof)).deepEqual(["verified", "verified"]);
  });
});
