import should from "should";
import { readerStands } from "../../../plugins/monitor/issues/checks/readers.ts";
import { CHANNEL_ID, NOW, node, sceneOf, TAB } from "./scene.ts";

const MINUTE_MS = 60_000;

describe("the check for readers that stand", () => {
  type Case = {
    ms: number;
    state?: string;
    reads?: Record<string, unknown>;
    signs?: boolean;
  };
  /** A reader with an event in flight for so long, and another one after it. */
  const findings = async ({ ms, state = "connected", reads = {}, signs = false }: Case) => {
    const inFlight = [
      { eventId: "2", offset: 8, since: NOW - 1 },
      { eventId: "1", offset: 7, since: NOW - ms },
    ];
    const identity = { channelId: CHANNEL_ID };
    const scene = await sceneOf({
      nodes: [
        ...[TAB, node("crec-events-in", "events", { name: "02", wires: [["send"], ["no"], []], ...reads })],
        node("crec-submit-operation", "send", { wires: [["ack"]] }),
        ...[node("crec-ack", "ack", { name: "published" }), node("crec-ack", "no", { name: "rejected" })],
        node("crec-ack", "far", { name: "of another" }),
      ],
      running: { events: { reader: { identity, consumer: { state: { kind: state }, inFlight } } } },
    });
    const signing = { node: "send", flow: "tab", type: "crec-submit-operation", label: "", key: "k" };
    const operation = { ...signing, channelId: CHANNEL_ID, startedAt: NOW, changedAt: NOW };
    if (signs) {
      const waits = { ...operation, status: "signing", outcome: "waiting" as const };
      scene.activity.note({ kind: "operation", operation: waits, before: undefined });
    }
    const found = await readerStands.find(scene);
    return found.map(({ case: kind, origin, values = {} }) => ({ kind, node: origin.node, ...values }));
  };
  const onAck = { commit: "on-ack", ackTimeout: "120" };

  it("finds one that has waited longer than its ack timeout, with where, since when and for what", async () => {
    should(await findings({ ms: 2 * MINUTE_MS, reads: onAck })).be.empty();
    should(await findings({ ms: 2 * MINUTE_MS + 1, reads: onAck })).deepEqual([
      {
        ...{ kind: "acks", node: "events", reader: "02", offset: 7 },
        ...{ since: "2026-01-30 23:57:59 UTC", acks: "published" },
      },
    ]);
    const twoMinutes = { ms: 2 * MINUTE_MS, reads: { commit: "on-ack" } };
    should(await findings(twoMinutes)).have.length(1);
  });

  it("finds one whose flow does not end, after ten minutes where it has no timeout", async () => {
    for (const commit of ["on-send", undefined]) {
      should(await findings({ ms: 10 * MINUTE_MS, reads: { commit } })).be.empty();
      const [one] = await findings({ ms: 10 * MINUTE_MS + 1, reads: { commit } });
      should(one).have.properties({ kind: "flow", offset: 7 });
    }
    should(await findings({ ms: 2 * MINUTE_MS, reads: { commit: "on-complete" } })).have.length(1);
  });

  it("finds none that is paused, has stopped, or waits for a key service", async () => {
    const stands = { ms: 60 * MINUTE_MS, reads: onAck };
    for (const state of ["paused", "stopped"]) should(await findings({ ...stands, state })).be.empty();
    should(await findings({ ...stands, signs: true })).be.empty();
  });
});
