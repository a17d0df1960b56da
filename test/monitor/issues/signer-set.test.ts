import should from "should";
import type { EventReport } from "../../../nodes/common/telemetry/types.ts";
import { signerSet } from "../../../plugins/monitor/issues/checks/connections.ts";
import { CHANNEL, CHANNEL_ID, found, NOW, node, runningChannel, sceneOf, TAB } from "./scene.ts";

const nodes = [TAB, ...CHANNEL, node("crec-events-in", "events", { channel: "channel", verify: true })];

describe("the check for a signer set that no event meets", () => {
  let number = 0;
  const event = (proof: EventReport["proof"], reason?: string, properties: Partial<EventReport> = {}) => ({
    ...{ node: "events", flow: "tab", type: "watcher.event", label: "events", consumer: "payments" },
    ...{
      number: ++number,
      seenAt: NOW,
      channelId: CHANNEL_ID,
      offset: 1,
      isRedelivered: false,
      isLate: false,
    },
    ...{ proof, ...(reason ? { reason } : {}), ...properties },
  });
  const findWith = async (...events: EventReport[]) => {
    const scene = await sceneOf({ nodes, running: runningChannel() });
    for (const one of events) scene.activity.events.set(one);
    return found(signerSet, Object.assign(scene, { startedAt: NOW }));
  };

  it("finds it by each reason that a wrong set has", async () => {
    should(await findWith(event("rejected", "threshold_not_met"))).deepEqual(["threshold connection"]);
    should(await findWith(event("rejected", "workflow_owner_mismatch"))).deepEqual(["owner connection"]);
    should(await findWith(event("rejected", "not_configured"))).deepEqual(["not-configured connection"]);
  });

  it("finds nothing where an event was verified, nor by an event that was changed", async () => {
    should(await findWith(event("verified"), event("rejected", "threshold_not_met"))).be.empty();
    should(await findWith(event("rejected", "event_hash_mismatch"))).be.empty();
    should(await findWith(event("unsigned"), event("unchecked"))).be.empty();
  });

  it("finds nothing by events of another node, or of before the settings were deployed", async () => {
    should(await findWith(event("rejected", "threshold_not_met", { node: "other" }))).be.empty();
    should(await findWith(event("rejected", "threshold_not_met", { seenAt: NOW - 1 }))).be.empty();
  });
});
