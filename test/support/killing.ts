import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import { type Arrival, arrivals, collectingFlow } from "./collector.ts";
import { eventually } from "./eventually.ts";
import { NodeRedWithChannel } from "./node-red-with-channel.ts";

export type Killing = {
  /** How many events the channel holds. */
  events: number;
  /** How often Node-RED is killed, and how often the service beside it, while they are drained. */
  nodeRedKills: number;
  serviceKills: number;
};

/**
 * Tests of the promise: at least once, in order, across kills of the real Node-RED and restarts of the real service.
 * Each has a consumer of its own.
 */
export function testsOfThePromise({ events, nodeRedKills, serviceKills }: Killing): void {
  let stage: NodeRedWithChannel;

  before(async () => {
    stage = await NodeRedWithChannel.prepare(events);
  });
  after(() => stage?.close());

  const running = async () => stage.nodeRed ?? stage.launch();

  /** Waits until so many different events have arrived, and gives all arrivals. */
  const until = async (file: string, count: number): Promise<Arrival[]> => {
    const different = (seen: readonly Arrival[]) => new Set(seen.map(({ eventId }) => eventId)).size;
    return eventually(
      `${count} different events`,
      () => arrivals(file),
      (seen) => different(seen) >= count,
    );
  };

  /** How far the stored cursor of a consumer is. */
  const cursorOf = async (consumer: string): Promise<number> => {
    const file = join(stage.userDir.path, "crec-cursors", `${consumer}.json`);
    const { state } = JSON.parse(await readFile(file, "utf8")) as { state: { cursor: number } };
    return state.cursor;
  };

  it("loses none in ack mode; repeats are marked, first arrivals in order, and a stop in order repeats none", async () => {
    const file = join(stage.userDir.path, "acknowledged.txt");
    const flow = collectingFlow(file, stage.service.channelName, {
      commit: "on-ack",
      inFlight: "8",
      consumer: "acks",
    });
    await (await running()).deploy(flow);

    // biome-ignore lint/plugin: kills at random moments
    for (let kill = 1; kill <= nodeRedKills; kill += 1) {
      // Somewhere within the next stretch of the channel, so that every kill falls into the draining.
      const stretch = events / (nodeRedKills + 1);
      await until(file, Math.floor((kill - 1 + Math.random()) * stretch));
      await sleep(Math.random() * 50);
      if (kill % Math.ceil(nodeRedKills / serviceKills) === 0) {
        await stage.service.kill();
        await stage.service.launch();
      }
      await stage.nodeRed?.kill();
      await stage.launch();
    }
    const seen = await until(file, events);

    should([...new Set(seen.map(({ eventId }) => eventId))]).deepEqual(stage.service.eventIds);
    const known = new Set<string>();
    const unmarked = seen.filter(({ eventId, marked }) => {
      const repeated = known.has(eventId);
      known.add(eventId);
      return repeated && !marked;
    });
    should(unmarked).be.empty();
    // At most what was in flight, and what a cursor written at most once a second had not seen, comes again.
    should(stage.nodeRed?.statuses("collect-in").some(({ fill }) => fill === "red")).be.false();

    // The last event is acknowledged after it was written: a stop before that would repeat it.
    await eventually(
      `a cursor of ${events}`,
      () => cursorOf("acks"),
      (cursor) => cursor >= events,
    );
    const before = (await arrivals(file)).length;
    await stage.nodeRed?.stop();
    await stage.launch();
    await stage.nodeRed?.status("collect-in", "connected");
    should((await arrivals(file)).length).equal(before);
  });

  it("in send mode loses at most what was handed over at the moment of the kill", async () => {
    const file = join(stage.userDir.path, "sent.txt");
    const flow = collectingFlow(file, stage.service.channelName, { commit: "on-send", consumer: "sends" });
    await (await running()).deploy(flow);
    await until(file, events / 3);
    await stage.nodeRed?.kill();
    const written = (await arrivals(file)).at(-1)?.offset ?? 0;
    const cursor = await cursorOf("sends");
    await stage.launch();
    // On a slow machine all of them were handed over before the kill: then nothing more comes.
    const isOver = async () => cursor >= events || (await arrivals(file)).at(-1)?.offset === events;
    await eventually("the last event", isOver);
    const seen = await arrivals(file);

    const offsets = [...new Set(seen.map(({ offset }) => offset))];
    const lost = stage.service.eventIds
      .map((_id, index) => index + 1)
      .filter((offset) => !offsets.includes(offset));
    const withinReach = lost.filter((offset) => offset < (offsets.at(-1) ?? 0));
    // What is missing lies in one piece right behind the last line that was written before the kill.
    should(withinReach).deepEqual(withinReach.map((_offset, index) => written + 1 + index));
  });
}
