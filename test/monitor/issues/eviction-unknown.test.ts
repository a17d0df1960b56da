import { Redis } from "ioredis";
import should from "should";
import { provideFleet } from "../../../nodes/common/fleet/join-fleet.ts";
import { evictionUnknown } from "../../../plugins/monitor/issues/checks/kept-state.ts";
import type { Issue } from "../../../plugins/monitor/types.ts";
import { MemorySharedState } from "../../../src/index.ts";
import { configOf, proofCases } from "../../proofs/fixtures.ts";
import { type Borrowed, borrowNodeRed } from "../../support/borrowed-node-red.ts";
import { fleetNode } from "../../support/fleet-harness.ts";
import { ask, harnessFlow } from "../../support/flow-harness.ts";
import type { FlowNode } from "../../support/node-red.ts";
import { verifyEventNode } from "../../support/nodes.ts";
import { hasRedis, RedisServer } from "../../support/redis.ts";
import { foundIn, node, TAB } from "./scene.ts";

class Silent extends MemorySharedState {
  readonly isEvictionUnknown = true;
}

describe("the check for a Redis that does not say what it evicts", () => {
  const at = (host: string) => ({ url: `redis://${host}`, namespace: "", leaseMs: 15_000 });
  const users = ["b", "a"].map((id) => node("crec-alert", id));
  const url = process.env.CREC_FLEET_URL;
  afterEach(() => {
    if (url === undefined) delete process.env.CREC_FLEET_URL;
    else process.env.CREC_FLEET_URL = url;
  });

  it("finds the shared state that is used", async () => {
    provideFleet(at("silent"), async () => new Silent());
    provideFleet(at("open"), async () => new MemorySharedState());
    const ids = ["silent", "open", "unused", "gone"];
    const nodes = [
      TAB,
      ...ids.map((id) => ({ id, type: "crec-fleet" })),
      ...ids.map((id) => node("crec-alert", `alert ${id}`, { fleet: id })),
    ];
    const of = (id: string) => [id, { fleet: { settings: at(id), problem: undefined } }];
    const running = Object.fromEntries(["silent", "open", "unused"].map(of));
    should(await foundIn(evictionUnknown, { nodes, running })).deepEqual(["node silent"]);
  });

  it("finds that of the environment, once for all nodes that use it", async () => {
    delete process.env.CREC_FLEET_URL;
    should(await foundIn(evictionUnknown, { nodes: [TAB, ...users] })).be.empty();
    process.env.CREC_FLEET_URL = "redis://environment";
    provideFleet(at("environment"), async () => new Silent());
    should(await foundIn(evictionUnknown, { nodes: [TAB, ...users] })).deepEqual(["environment a"]);
    should(await foundIn(evictionUnknown, { nodes: [TAB, node("crec-ack", "ack")] })).be.empty();
  });

  describe("in Node-RED", function () {
    this.timeout(120_000);

    let server: RedisServer;
    let borrowed: Borrowed;
    before(async function () {
      if (!hasRedis()) return this.skip();
      server = await RedisServer.start();
      borrowed = await borrowNodeRed();
    });
    after(async () => {
      await borrowed?.giveBack();
      await server?.remove();
    });

    it("is an issue where the user may not call INFO, and none where it may", async () => {
      const { nodeRed } = borrowed;
      const admin = new Redis(server.url);
      const rights = (right: string) =>
        admin.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "+@all", right);
      const { orgId, workflowOwner, creTenantId, validSigners, minRequiredSignatures } = configOf();
      const connection: FlowNode = {
        ...{ id: "connection", type: "crec-connection", baseUrl: "http://127.0.0.1/v1" },
        ...{ orgId: orgId ?? "", workflowOwner: workflowOwner ?? "", creTenantId },
        ...{ validSigners: validSigners.join(","), minRequiredSignatures: String(minRequiredSignatures) },
        credentials: { apiKey: "unused" },
      };
      const found = proofCases.find(
        ({ expect, config, event }) =>
          expect === "verified" && !config && event.headers.type === "watcher.event",
      );
      const issuesWith = async (right: string, namespace: string): Promise<Issue[]> => {
        await rights(right);
        const fleet = fleetNode(`redis://limited:secret@127.0.0.1:${server.port}`, {
          name: "our Redis",
          namespace,
        });
        const once = verifyEventNode({ id: "once", firstTimeOnly: true, fleet: "fleet" });
        await nodeRed.deploy(harnessFlow([connection, fleet], [[once, 3]]));
        await ask(nodeRed, "once", { crec: { event: found?.event, eventId: found?.event.event_id } }, 0);
        const response = await nodeRed.fetch("crec/monitor/issues/run", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: "{}",
        });
        const { issues } = (await response.json()) as { issues: Issue[] };
        return issues.filter(({ check }) => check === "eviction-unknown");
      };
      try {
        const [issue, ...others] = await issuesWith("-info", "first");
        should(others).be.empty();
        should(issue?.what).match(/does not tell the user of "our Redis" \(INFO\) whether it evicts/);
        should(issue?.origin.node).equal("fleet");
        should(await issuesWith("+info", "second")).be.empty();
      } finally {
        admin.disconnect();
      }
    });
  });
});
