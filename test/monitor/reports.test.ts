import type { Node } from "node-red";
import should from "should";
import { Activity, activity, Gauges } from "../../nodes/common/telemetry/activity.ts";
import { OperationReports } from "../../nodes/common/telemetry/operation-reports.ts";
import { originOf } from "../../nodes/common/telemetry/origin.ts";
import { noteStatusEvent, noteWatcher } from "../../nodes/common/telemetry/resources.ts";
import { RingBuffer } from "../../nodes/common/telemetry/ring-buffer.ts";
import type { ActivityEvent, OperationReport } from "../../nodes/common/telemetry/types.ts";

type Entry = { key: string; value: number };

const ORIGIN = { node: "n1", flow: "tab", type: "crec-operation", label: "Wait" };

describe("reports", () => {
  const reports = () => new RingBuffer<Entry>({ keyOf: ({ key }) => key, most: 2 });

  it("are the newest, and one that changes is the newest again", () => {
    const kept = reports();
    for (const [key, value] of [
      ["a", 1],
      ["b", 1],
      ["a", 2],
      ["c", 1],
    ] as const)
      kept.set({ key, value });
    should(kept.all()).deepEqual([
      { key: "a", value: 2 },
      { key: "c", value: 1 },
    ]);
    should(kept.get("b")).be.undefined();
  });

  it("have another revision after each change, and only then", () => {
    const kept = reports();
    const seen = [kept.revision];
    kept.set({ key: "a", value: 1 });
    seen.push(kept.revision);
    kept.delete("a");
    seen.push(kept.revision);
    kept.delete("a");
    should(new Set(seen).size).equal(3);
    should(kept.revision).equal(seen[2]);
  });
});

describe("sources", () => {
  it("are asked each time, until they are removed", () => {
    const sources = new Gauges<number>();
    let value = 1;
    const remove = sources.add(() => value);
    value = 2;
    should(sources.reports()).deepEqual([2]);
    remove();
    should(sources.reports()).be.empty();
  });
});

describe("the origin of a node", () => {
  const origin = (node: object) => originOf(node as Node);

  it("is its tab, and its name or else its type in words", () => {
    should(origin({ id: "a", z: "tab", type: "crec-ack", name: "Mine" })).deepEqual({
      ...{ node: "a", flow: "tab", type: "crec-ack", label: "Mine" },
    });
    should(origin({ id: "a", z: "tab", type: "crec-ack", name: "" }).label).equal("ack");
  });

  it("has no flow where it is a config node", () => {
    should(origin({ id: "a", type: "crec-connection" }).flow).equal("");
  });

  it("is the template's node, and the outermost tab, in a subflow", () => {
    const node = { id: "x-a", z: "x", _alias: "a", type: "crec-ack", _flow: { path: "tab/outer/x" } };
    should(origin(node)).match({ node: "a", flow: "tab" });
  });
});

describe("the activity of a process", () => {
  const operation = (outcome: OperationReport["outcome"]): ActivityEvent => ({
    kind: "operation",
    operation: {
      ...ORIGIN,
      ...{ key: "k", channelId: "c", status: "sent", outcome, startedAt: 1, changedAt: 2 },
    },
    before: undefined,
  });

  it("has an operation either under way or ended", () => {
    const one = new Activity();
    one.note(operation("waiting"));
    should([one.underWay.all().length, one.ended.all().length]).deepEqual([1, 0]);
    one.note(operation("reached"));
    should([one.underWay.all().length, one.ended.all().length]).deepEqual([0, 1]);
    one.note(operation("waiting"));
    should([one.underWay.all().length, one.ended.all().length]).deepEqual([1, 0]);
  });

  it("goes on when a listener throws, and tells the others", () => {
    const one = new Activity();
    const told: ActivityEvent[] = [];
    one.onFact(() => {
      throw new Error("It cannot count.");
    });
    const end = one.onFact((fact) => told.push(fact));
    one.note(operation("waiting"));
    end();
    one.note(operation("reached"));
    should(told).have.length(1);
  });
});

describe("an operation that a node follows", () => {
  it("is failed where it was not sent, and interrupted where the service may have it", () => {
    const outcomeAfter = (code: string) => {
      const node = { ...ORIGIN, id: "n1", z: "tab", on: () => undefined } as never;
      const followed = new OperationReports(node, () => true).begin({
        ...{ channelId: "c", walletOperationId: code, status: "signing" },
      });
      followed.fail(Object.assign(new Error("No."), { code }), new AbortController().signal);
      const outcome = activity.ended.get(`c/${code}`.toLowerCase())?.outcome;
      activity.ended.delete(`c/${code}`.toLowerCase());
      return outcome;
    };
    for (const code of ["SIGNER_REFUSED", "KEY_REFUSED", "OPERATION_KEY_REUSED"])
      should(outcomeAfter(code)).equal("failed");
    for (const code of ["TIMEOUT", "SERVICE_UNREACHABLE", "OPERATION_EXECUTED_NOT_FOUND"])
      should(outcomeAfter(code)).equal("interrupted");
  });

  it("has failed, where it fails after its wait has ended", () => {
    const reports = new OperationReports(
      { ...ORIGIN, id: "n1", z: "tab", on: () => undefined } as never,
      () => true,
    );
    const counted: Array<OperationReport["outcome"]> = [];
    const end = activity.onFact((fact) => {
      if (fact.kind === "operation" && fact.operation.outcome !== fact.before?.outcome)
        counted.push(fact.operation.outcome);
    });
    const followed = reports.begin({ channelId: "c", operationId: "late-failure", status: "sent" });
    followed.end("reached");
    followed.seen({ status: "failed", reason: "InsufficientBalance" });
    end();
    const [report] = activity.ended.all().filter(({ operationId }) => operationId === "late-failure");
    should(report).match({ outcome: "failed", status: "failed", reason: "InsufficientBalance" });
    should(counted).deepEqual(["waiting", "reached", "failed"]);
    activity.ended.delete(report?.key ?? "");
  });
});

describe("the reports of watchers", () => {
  const id = "b0000000-0000-4000-8000-000000000001";
  const seen = { service: "http://host/v1", origin: ORIGIN };

  afterEach(() => activity.watchers.delete(id));

  it("keep the name that was seen before, when an event tells a new status", () => {
    const watcher = { watcher_id: id, name: "mine", channel_id: "c", chain_selector: "1", address: "0x" };
    noteWatcher({ ...watcher, status: "pending", created_at: 1 }, seen);
    const decoded = { status: "failed", reason: "No such contract", watcherId: id, chainSelector: "1" };
    noteStatusEvent("watcher.status", decoded, { ...seen, channelId: "c" });
    should(activity.watchers.get(id)).match({ name: "mine", status: "failed", reason: "No such contract" });
    noteWatcher({ ...watcher, status: "failed", created_at: 1 }, seen);
    should(activity.watchers.get(id)).have.property("reason", "No such contract");
    noteWatcher({ ...watcher, status: "active", created_at: 1 }, seen);
    should(activity.watchers.get(id)).not.have.property("reason");
  });

  it("keep a status that is newer than an event that is read again", () => {
    const decoded = (status: string) => ({ status, watcherId: id, chainSelector: "1" });
    const read = { ...seen, channelId: "c" };
    const longAgo = Date.now() - 3_600_000;
    noteStatusEvent("watcher.status", decoded("pending"), { ...read, createdAt: longAgo - 100_000 });
    noteStatusEvent("watcher.status", decoded("active"), { ...read, createdAt: longAgo });
    should(activity.watchers.get(id)).have.property("status", "active");
    const watcher = { watcher_id: id, name: "mine", channel_id: "c", chain_selector: "1", address: "0x" };
    noteWatcher({ ...watcher, status: "archived", created_at: 1 }, seen);
    noteStatusEvent("watcher.status", decoded("active"), { ...read, createdAt: longAgo });
    should(activity.watchers.get(id)).match({ name: "mine", status: "archived" });
    noteStatusEvent("watcher.status", decoded("archive_failed"), { ...read, createdAt: Date.now() - 1_000 });
    should(activity.watchers.get(id)).have.property("status", "archive_failed");
  });

  it("are not made of events of other types, or that could not be decoded", () => {
    noteStatusEvent("query.status", { status: "sent", watcherId: id }, { ...seen, channelId: "c" });
    noteStatusEvent("watcher.status", { undecoded: {} }, { ...seen, channelId: "c" });
    should(activity.watchers.get(id)).be.undefined();
  });
});
