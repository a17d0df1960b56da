import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import { alertNode } from "../support/alert-harness.ts";
import { collectingFlow } from "../support/collector.ts";
import { eventually } from "../support/eventually.ts";
import type { FlowNode } from "../support/node-red.ts";
import { NodeRedWithChannel } from "../support/node-red-with-channel.ts";

const EVENTS = 150;
const KILLS = 8;
const TIMES = 3;

/** Every third event of a channel is an alert, whenever Node-RED is killed. */
describe("alerts over kills", function () {
  this.timeout(300_000);

  let stage: NodeRedWithChannel;
  before(async () => {
    stage = await NodeRedWithChannel.prepare(EVENTS);
  });
  after(() => stage?.close());

  /** One line for each message that left, as `<event> <alert>`, or `<event> -` for what raised none. */
  const lines = async (): Promise<Array<{ event: string; alert: string }>> => {
    const text = await readFile(file(), "utf8").catch(() => "");
    const whole = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
    return whole.flatMap((line) => {
      const [event, alert] = line.split(" ");
      return event && alert ? [{ event, alert }] : [];
    });
  };
  const file = () => join(stage.userDir.path, "left.txt");
  const left = async () => new Set((await lines()).map(({ event }) => event)).size;
  const flow = (): FlowNode[] => {
    const settings = { commit: "on-ack", inFlight: "4", consumer: "kills" };
    const z = "collect-tab";
    const line = 'crec.eventId & " " & ($exists(crec.alert.id) ? crec.alert.id : "-")';
    const slow = { pauseType: "delay", timeout: "10", timeoutUnits: "milliseconds", wires: [["alert"]] };
    const alert = { z, when: "count", times: String(TIMES), within: "52w" };
    const nodes = collectingFlow(file(), stage.service.channelName, settings).map((node) => {
      if (node.id === "collect-in") return { ...node, wires: [["slow"], ["collect-rejected"]] };
      if (node.id !== "collect-line") return node;
      return { ...node, rules: [{ t: "set", p: "payload", pt: "msg", to: line, tot: "jsonata" }] };
    });
    return [
      ...nodes,
      { id: "slow", type: "delay", z, ...slow },
      alertNode({ ...alert, wires: [["collect-line"], [], ["collect-line"]] }),
    ];
  };

  it("misses none, and sends each with the same id again", async () => {
    await (await stage.launch()).deploy(flow());
    // biome-ignore lint/plugin: kills at random moments
    for (let kill = 1; kill <= KILLS; kill += 1) {
      // Somewhere within the next stretch, so that every kill falls into the draining.
      const goal = Math.floor(((kill - Math.random()) * EVENTS) / (KILLS + 1));
      await eventually(`${goal} events`, left, (count) => count >= goal, { pauseMs: 10 });
      await sleep(Math.random() * 50);
      await stage.nodeRed?.kill();
      await stage.launch();
    }
    await eventually(`all ${EVENTS} events`, left, (count) => count >= EVENTS);

    const alerts = (await lines()).filter(({ alert }) => alert !== "-");
    const byEvent = new Map<string, Set<string>>();
    for (const { event, alert } of alerts) byEvent.set(event, (byEvent.get(event) ?? new Set()).add(alert));
    should([...byEvent.values()].every(({ size }) => size === 1)).be.true();
    should(new Set(alerts.map(({ alert }) => alert)).size).equal(EVENTS / TIMES);
  });
});
