import postgres from "postgres";
import should from "should";
import { EVERYTHING } from "../support/borrowed-node-red.ts";
import { ackingNode, ackNode, EventHarness } from "../support/event-harness.ts";
import { fleetNode } from "../support/fleet-harness.ts";
import { ask, type Message } from "../support/flow-harness.ts";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";

/** A Node-RED that had its cursors alone, and shares them from now on. */
describe("events in that begins to share its cursor", function () {
  this.timeout(120_000);

  let server: PostgresServer;
  let harness: EventHarness;

  before(async function () {
    if (!hasPostgres()) return this.skip();
    [server, harness] = await Promise.all([PostgresServer.start(), EventHarness.start(60, EVERYTHING)]);
  });
  after(async () => {
    await harness?.close();
    await server?.remove();
  });

  const node = (fleet: string) => ackingNode({ id: "events", consumer: "moved-in", fleet, start: "now" });
  const deploy = (fleet: string, more = [fleetNode(server.url)]) =>
    harness.deploy(
      [
        [node(fleet), 2],
        [ackNode(), 2],
      ],
      more,
    );
  const arrived = async (number: number) => (await harness.arrived("events", number)).at(-1) as Message;

  it("goes on where it was, and says so", async () => {
    await harness.deploy([
      [ackingNode({ id: "events", consumer: "moved-in", start: "beginning" }), 2],
      [ackNode(), 2],
    ]);
    await ask(harness.nodeRed, "ack", await arrived(1));
    await ask(harness.nodeRed, "ack", await arrived(2));
    await arrived(3);
    await deploy("fleet");
    const next = await arrived(4);
    // It was in the flow, and not acknowledged.
    should(next.crec).have.properties({ offset: 3, redelivered: true });
    should(next.crec?.epoch).be.a.Number();
    should(harness.nodeRed.log).match(
      /The cursor of "moved-in" \(.*\) was copied into the shared state, PostgreSQL/,
    );
    await ask(harness.nodeRed, "ack", next);
    should((await arrived(5)).crec?.offset).equal(4);
  });

  it("takes the shared cursor at the next start, not the one it had alone", async () => {
    const count = harness.arrivals("events").length;
    await deploy("fleet", [fleetNode(server.url, { name: "again" })]);
    should((await arrived(count + 1)).crec).have.properties({ offset: 4, redelivered: true });
    should(harness.nodeRed.log.match(/was copied into the shared state/g)).have.length(1);
  });

  it("goes on at the shared cursor where the server has lost it, not at the one it had alone", async () => {
    const count = harness.arrivals("events").length + 1;
    await ask(harness.nodeRed, "ack", await arrived(count - 1));
    should((await arrived(count)).crec?.offset).equal(5);
    // Stopped: a reader that ends would save its cursor.
    await deploy("gone", []);
    await harness.nodeRed.status("events", /^The chosen shared state is not in the flows/);
    const sql = postgres(server.url, { max: 1 });
    await sql`DELETE FROM crec.lease`;
    await sql.end();
    await deploy("fleet", [fleetNode(server.url, { name: "lost" })]);
    should((await arrived(count + 1)).crec).have.properties({ offset: 5, restored: true });
    should(harness.nodeRed.log.match(/was copied into the shared state/g)).have.length(1);
  });

  it("does not replace a damaged shared cursor by the one it had alone", async () => {
    // Stopped: a reader that ends would save its cursor.
    await deploy("gone", []);
    await harness.nodeRed.status("events", /^The chosen shared state is not in the flows/);
    const count = harness.arrivals("events").length;
    const sql = postgres(server.url, { max: 1 });
    await sql`UPDATE crec.lease SET state = '{'`;
    await sql.end();
    await deploy("fleet", [fleetNode(server.url, { name: "damaged" })]);
    await harness.nodeRed.status("events", /shared cursor was changed by hand/);
    should(harness.arrivals("events")).have.length(count);
  });

  it("says what is wrong if the chosen shared state is not there, and reads nothing alone", async () => {
    const count = harness.arrivals("events").length;
    await deploy("gone", []);
    await harness.nodeRed.status("events", /^The chosen shared state is not in the flows/);
    should(harness.arrivals("events")).have.length(count);
  });
});
