import { EventEmitter } from "node:events";
import type { NodeAPI } from "node-red";
import should from "should";
import { flowsRunning } from "../../../plugins/monitor/monitoring/monitoring.ts";

describe("whether the flows run", () => {
  const watched = ({ isLoaded = false } = {}) => {
    const events = new EventEmitter();
    const eachNode = () => {
      if (!isLoaded) throw new TypeError("There are no flows yet.");
    };
    const clock = { now: 0 };
    const RED = { events, nodes: { eachNode } } as unknown as NodeAPI;
    return { events, clock, areRunning: flowsRunning(RED, () => clock.now) };
  };

  it("is not so before their first start, such as while node types are missing", () => {
    const { events, areRunning } = watched();
    should(areRunning()).be.false();
    events.emit("flows:started");
    should(areRunning()).be.true();
  });

  it("is so during a deploy, and not when they stay stopped", () => {
    const { events, clock, areRunning } = watched();
    events.emit("flows:started");
    events.emit("flows:stopped");
    clock.now = 29_000;
    should(areRunning()).be.true();
    clock.now = 30_000;
    should(areRunning()).be.false();
    events.emit("flows:started");
    should(areRunning()).be.true();
  });

  it("is so where the package is installed into a Node-RED that runs", () => {
    should(watched({ isLoaded: true }).areRunning()).be.true();
  });
});
