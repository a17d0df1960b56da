import should from "should";
import { RunningExample } from "../support/example.ts";
import { NODES_OF_EXAMPLES, NodeRed, UserDir } from "../support/node-red.ts";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";

type Processed = { tokens: number; epoch: number };

describe("the example one flow on several copies", function () {
  this.timeout(120_000);

  let server: PostgresServer;
  let flow: RunningExample;
  let secondDir: UserDir;
  let second: NodeRed;

  before(async function () {
    if (!hasPostgres()) return this.skip();
    server = await PostgresServer.start();
    const env = { CREC_FLEET_URL: server.url };
    flow = await RunningExample.start("12-several-copies", { env, alone: true });
    should(await flow.pressed("Set up", "ready")).equal("active");
    await flow.nodeRed.status(flow.id("crec-events-in"), /^(reading|connected)/);
    secondDir = await UserDir.make();
    second = await NodeRed.start(secondDir, flow.environment, { define: [NODES_OF_EXAMPLES] });
    await second.deploy(flow.flows);
    await second.status(flow.id("crec-events-in"), /^standby \(read by /);
  });
  after(async () => {
    await second?.kill();
    await secondDir?.remove();
    await flow?.close();
    await server?.remove();
  });

  it("processes each transfer on one copy, and goes on with the other one when that is killed", async () => {
    const first = await flow.pressed<Processed>("Send a token", "processed");
    should(first.tokens).equal(1);
    should(second.shown("processed")).be.empty();

    await flow.nodeRed.kill();
    await second.status(flow.id("crec-events-in"), /^(?!standby)/);
    await second.press(flow.id("inject", "Send a token"));
    const { value } = await second.showing("processed");
    should((value as Processed).tokens).equal(1);
    should((value as Processed).epoch).be.above(first.epoch);
    should(second.shown("error")).be.empty();
  });
});
