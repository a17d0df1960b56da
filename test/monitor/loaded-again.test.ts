import { EventEmitter } from "node:events";
import { tmpdir } from "node:os";
import type { NodeAPI } from "node-red";
import should from "should";
import register from "../../plugins/monitor/monitor.ts";

describe("the monitor, when Node-RED loads it a second time", () => {
  it("adds no endpoints, listeners and hooks again", () => {
    const events = new EventEmitter();
    const added: string[] = [];
    const add = (name: string) => added.push(name);
    const RED = {
      ...{ events, settings: { userDir: tmpdir() }, _: (key: string) => key },
      ...{ auth: { needsPermission: () => () => {} }, httpAdmin: { get: add, post: add } },
      comms: { publish: add },
      ...{ hooks: { add }, log: { addHandler: () => add("log handler"), debug: () => {} } },
    } as unknown as NodeAPI;
    const count = () => {
      const listeners = events.eventNames().map((name) => events.listenerCount(name));
      return [added.length, ...listeners];
    };
    register(RED);
    const once = count();
    should(once[0]).be.above(5);
    register(RED);
    should(count()).deepEqual(once);
  });
});
