import should from "should";
import { watcherKey } from "../../../plugins/monitor/issues/answer-cache.ts";
import { watcherState } from "../../../plugins/monitor/issues/checks/watchers.ts";
import { CHANNEL, CHANNEL_ID, found, NOW, node, reader, resource, sceneOf, TAB } from "./scene.ts";

const OTHER_ID = "11111111-2222-3333-4444-555555555555";
const nodes = [
  TAB,
  ...CHANNEL,
  node("crec-events-in", "events", { channel: "channel", watcher: "transfers" }),
];
const WAITING = {
  kind: "retrying",
  error: { code: "WATCHER_NOT_FOUND", message: 'There is no watcher named "transfers" in this channel yet.' },
};

describe("the check for watchers that events in names", () => {
  const scene = async (state?: object) => sceneOf({ nodes, running: { events: reader(state) } });
  const withWatcher = async (...statuses: string[]) => {
    const made = await scene();
    statuses.forEach((status, index) => {
      const report = { id: `watcher-${index}`, name: "transfers", channelId: CHANNEL_ID, status };
      made.activity.watchers.set(resource({ ...report, seenAt: NOW + index }));
    });
    return found(watcherState, made);
  };

  it("finds one that is failed, archiving or archived", async () => {
    should(await withWatcher("failed")).deepEqual(["failed events transfers"]);
    should(await withWatcher("archiving")).deepEqual(["archived events transfers"]);
    should(await withWatcher("archived")).deepEqual(["archived events transfers"]);
  });

  it("says why one failed, where that is known", async () => {
    const made = await scene();
    const report = { name: "transfers", channelId: CHANNEL_ID, status: "failed", reason: "no code" };
    made.activity.watchers.set(resource(report));
    should(await found(watcherState, made)).deepEqual(["failed-reason events transfers"]);
  });

  it("finds one that is missing, as the node or the service says", async () => {
    should(await found(watcherState, await scene(WAITING))).deepEqual(["missing events transfers"]);
    const made = await scene({ kind: "connecting" });
    made.answers.watchers.set(watcherKey(CHANNEL_ID, "transfers"), false);
    should(await found(watcherState, made)).deepEqual(["missing events transfers"]);
  });

  it("finds nothing where it works, or another one of its name does, or nothing is known", async () => {
    should(await withWatcher("active")).be.empty();
    should(await withWatcher("pending")).be.empty();
    should(await withWatcher("active", "archived")).be.empty();
    should(await withWatcher()).be.empty();
  });

  it("finds nothing while the node has not found a new one yet", async () => {
    const made = await scene(WAITING);
    made.activity.watchers.set(resource({ name: "transfers", channelId: CHANNEL_ID }));
    should(await found(watcherState, made)).be.empty();
  });

  it("finds nothing once the node has found its name, whatever the service answered before", async () => {
    const made = await scene({ kind: "connected" });
    made.answers.watchers.set(watcherKey(CHANNEL_ID, "transfers"), false);
    should(await found(watcherState, made)).be.empty();
  });

  it("finds one that is missing by its id, for which the node does not wait", async () => {
    const named = [...nodes.slice(0, -1), node("crec-events-in", "events", { watcher: OTHER_ID })];
    const made = await sceneOf({ nodes: named, running: { events: reader() } });
    made.answers.watchers.set(watcherKey(CHANNEL_ID, OTHER_ID), false);
    should(await found(watcherState, made)).deepEqual([`missing events ${OTHER_ID}`]);
  });

  it("finds nothing by a watcher of another channel, nor by an old answer", async () => {
    const made = await scene();
    made.activity.watchers.set(resource({ name: "transfers", channelId: OTHER_ID, status: "failed" }));
    should(await found(watcherState, made)).be.empty();
    made.answers.watchers.set(watcherKey(CHANNEL_ID, "transfers"), false);
    const created = { id: "new", name: "transfers", channelId: CHANNEL_ID, seenAt: Date.now() + 1_000 };
    made.activity.watchers.set(resource(created));
    should(await found(watcherState, made)).be.empty();
  });
});
