import should from "should";
import { configOf, proofCases } from "../proofs/fixtures.ts";
import { FleetCopy } from "../support/fleet-harness.ts";
import { ask, harnessFlow, type Message, refuse } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { verifyEventNode } from "../support/nodes.ts";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";

const VERIFIED = 0;
const REJECTED = 1;
const CHANNEL = "6cad3b10-dfc3-4c8a-889c-acfd7b355513";

/** "Each event once", with copies that share what they remember, by the environment variable alone. */
describe("verify event with each event once, on several copies", function () {
  this.timeout(120_000);

  const events = proofCases
    .filter(
      ({ expect, config, event }) =>
        expect === "verified" && !config && event.headers.type === "watcher.event",
    )
    .map(({ event }) => event);
  let server: PostgresServer;
  let copies: FleetCopy[] = [];

  before(async function () {
    if (!hasPostgres()) return this.skip();
    server = await PostgresServer.start();
    const env = { CREC_FLEET_URL: server.url };
    copies = await Promise.all([FleetCopy.start("pod-a", env), FleetCopy.start("pod-b", env)]);
    const { orgId, workflowOwner, creTenantId, validSigners, minRequiredSignatures } = configOf();
    const connection: FlowNode = {
      ...{ id: "connection", type: "crec-connection", baseUrl: "http://127.0.0.1/v1" },
      ...{ orgId: orgId ?? "", workflowOwner: workflowOwner ?? "", creTenantId },
      ...{ validSigners: validSigners.join(","), minRequiredSignatures: String(minRequiredSignatures) },
      credentials: { apiKey: "unused" },
    };
    const nodes: Array<[FlowNode, number]> = [
      [verifyEventNode({ id: "once", firstTimeOnly: true }), 3],
      [verifyEventNode({ id: "other", firstTimeOnly: true }), 3],
    ];
    for (const { nodeRed } of copies) await nodeRed.deploy(harnessFlow([connection], nodes));
  });
  after(async () => {
    for (const { nodeRed } of copies) {
      for (const text of [nodeRed.log, nodeRed.heard]) should(text).not.containEql(server.password);
    }
    await Promise.all(copies.map((copy) => copy.close()));
    await server?.remove();
  });

  const messageWith = (index: number, crec: Record<string, unknown> = {}): Message => {
    const event = events[index];
    return { crec: { event, eventId: event?.event_id, channelId: CHANNEL, ...crec } };
  };
  const [a, b] = [() => (copies[0] as FleetCopy).nodeRed, () => (copies[1] as FleetCopy).nodeRed];
  const reasonOf = ({ crec }: Message) => (crec?.verification as { reason?: string } | undefined)?.reason;

  it("passes an event once by all of them together, and once for each node", async () => {
    await ask(a(), "once", messageWith(0), VERIFIED);
    for (const nodeRed of [a(), b()])
      should(reasonOf(await ask(nodeRed, "once", messageWith(0), REJECTED))).equal("seen_before");
    await ask(b(), "other", messageWith(0), VERIFIED);
    should(reasonOf(await ask(a(), "other", messageWith(0), REJECTED))).equal("seen_before");
  });

  it("passes an event again that is delivered again, whichever copy has it then", async () => {
    await ask(a(), "once", messageWith(1, { consumer: "orders" }), VERIFIED);
    await ask(b(), "once", messageWith(1, { consumer: "orders", redelivered: true }), VERIFIED);
    should(reasonOf(await ask(b(), "once", messageWith(1, { consumer: "orders" }), REJECTED))).equal(
      "seen_before",
    );
  });

  it("does not pass an event of a copy that has lost the lease, and remembers nothing then", async () => {
    const { error } = await refuse(a(), "once", messageWith(2, { consumer: "orders", epoch: 1 }), VERIFIED);
    should(error).have.property("code", "CONSUMER_MOVED");
    await ask(b(), "once", messageWith(2), VERIFIED);
  });

  it("passes nothing while the server is gone, and what failed then passes later", async () => {
    await server.kill();
    for (const nodeRed of [a(), b()]) {
      const { error } = await refuse(nodeRed, "once", messageWith(3), VERIFIED);
      should(error).have.property("code", "SHARED_STATE_UNREACHABLE");
      should(JSON.stringify(error)).not.containEql(server.password);
    }
    await server.restart();
    await ask(a(), "once", messageWith(3), VERIFIED);
    should(reasonOf(await ask(b(), "once", messageWith(3), REJECTED))).equal("seen_before");
  });

  it("says once in the log which shared state it uses, and how this copy is called", () => {
    for (const { name, nodeRed } of copies) {
      const lines = nodeRed.log.split("\n").filter((line) => line.includes("[shared state]"));
      should(lines).have.length(1);
      should(lines[0]).match(/PostgreSQL at 127\.0\.0\.1:\d+, from the environment variable CREC_FLEET_URL/);
      should(lines[0]).containEql(name);
    }
  });
});
