import { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import type { NodeAPI } from "node-red";
import should from "should";
import { noteWaiting } from "../../nodes/common/tasks/waiting.ts";
import { FlowWork } from "../../nodes/events-in/outputs/flow-work.ts";
import type { Outcome } from "../../nodes/events-in/outputs/work.ts";

const require = createRequire(import.meta.url);
type Hooks = NodeAPI["hooks"] & { trigger(name: string, payload: object): Promise<void> };
const { hooks } = createRequire(require.resolve("node-red"))("@node-red/util") as { hooks: Hooks };

/** What Node-RED tells about a node that is given a message. */
const at = (id: string) => ({ destination: { id, node: { id, _expectedDoneCount: 1 } } });

describe("a frozen message on its way through a flow", () => {
  const flowWork = new FlowWork();
  const RED = {
    hooks,
    events: new EventEmitter(),
    nodes: { getNode: () => undefined },
  } as unknown as NodeAPI;
  before(() => flowWork.listen(RED));
  after(() => flowWork.stopListening(RED));

  it("belongs to the event that its node was given, cannot be marked, and ends with its node", async () => {
    const ended: Outcome[] = [];
    const rests: string[] = [];
    const msg = {};
    flowWork.follow(msg, {
      ...{ onReport: () => {}, onRest: () => rests.push("rests") },
      onEnd: (outcome) => ended.push(outcome),
    });
    const frozen = Object.freeze({ payload: "made anew" });
    await hooks.trigger("preDeliver", { msg, ...at("maker") });
    await hooks.trigger("onReceive", { msg, ...at("maker") });
    await hooks.trigger("preDeliver", { msg: frozen, ...at("next") });
    await hooks.trigger("onComplete", { msg, node: { id: "maker", node: {} } });
    should(ended).be.empty();
    await hooks.trigger("onReceive", { msg: frozen, ...at("next") });
    noteWaiting(frozen);
    await Promise.resolve();
    should(rests).eql(["rests"]);
    await hooks.trigger("onComplete", { msg: frozen, node: { id: "next", node: {} } });
    await Promise.resolve();
    should(ended).eql(["completed"]);
  });

  it("has no event to look for where reading msg.crec throws", async () => {
    const ended: Outcome[] = [];
    const work = flowWork.follow({}, { onReport: () => {}, onEnd: (outcome) => ended.push(outcome) });
    flowWork.keep(work, "kept");
    const crec = {
      get: () => {
        throw new Error("This getter throws.");
      },
    };
    await hooks.trigger("preDeliver", { msg: Object.defineProperty({}, "crec", crec), ...at("one") });
    await hooks.trigger("preDeliver", { msg: { crec: null }, ...at("one") });
    should(ended).be.empty();
    flowWork.forget(work);
  });
});
