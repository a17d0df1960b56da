import should from "should";
import { alertNode, fateOf, sendTo, transfer } from "../support/alert-harness.ts";
import { eventually } from "../support/eventually.ts";
import { FleetCopy } from "../support/fleet-harness.ts";
import { harnessFlow, type Message } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";
import { itWide } from "../support/wide.ts";

/** Copies of a flow that count together, by the environment variable alone. */
describe("alert on several copies", function () {
  this.timeout(120_000);

  let server: PostgresServer;
  let copies: FleetCopy[] = [];

  before(async function () {
    if (!hasPostgres()) return this.skip();
    server = await PostgresServer.start();
    const env = { CREC_FLEET_URL: server.url };
    copies = await Promise.all([FleetCopy.start("pod-a", env), FleetCopy.start("pod-b", env)]);
    const count = { when: "count", times: "3", within: "1h", quiet: "1h" };
    const nodes: Array<[FlowNode, number]> = [
      [alertNode(count), 3],
      [alertNode({ ...count, id: "other" }), 3],
    ];
    for (const { nodeRed } of copies) await nodeRed.deploy(harnessFlow([], nodes));
  });
  after(async () => {
    for (const { nodeRed } of copies) {
      for (const text of [nodeRed.log, nodeRed.heard]) should(text).not.containEql(server.password);
    }
    await Promise.all(copies.map((copy) => copy.close()));
    await server?.remove();
  });

  const fate = async (copy: 0 | 1, message: Message, id?: string) =>
    fateOf(await sendTo((copies[copy] as FleetCopy).nodeRed, message, id));

  it("counts each log once over all of them, and alerts once", async () => {
    const first = transfer("1");
    should(await fate(0, first)).equal("counted");
    should(await fate(1, first)).equal("seen");
    should(await fate(1, transfer("1"))).equal("counted");
    should(await fate(0, transfer("1"))).equal("alert");
    should(await fate(1, transfer("1"))).equal("quiet");
    // Another node counts alone.
    should(await fate(1, first, "other")).equal("counted");
  });

  it("completes no message while the engine is away, and loses none", async () => {
    const messages = [transfer("1"), transfer("1")];
    await server.kill();
    should(await fate(0, messages[0] as Message, "other")).match(/^[A-Z_]+$/);
    await server.restart();
    for (const message of messages) {
      const again = { ...message, crec: { ...message.crec, redelivered: true } };
      // The client finds the engine again a moment later.
      const became = await eventually(
        "a fate other than an error",
        () => fate(0, again, "other"),
        (seen) => !/^[A-Z_]+$/.test(seen),
      );
      should(became).equal(message === messages[0] ? "counted" : "alert");
    }
  });

  /** Deploys an alert node alone on a copy. */
  const deployed = (copy: 0 | 1, fields: Partial<FlowNode>) => {
    const { nodeRed } = copies[copy] as FleetCopy;
    return nodeRed.deploy(harnessFlow([], [[alertNode({ id: "changed", ...fields }), 3]]));
  };
  const shows = (copy: 0 | 1, text: string) =>
    (copies[copy] as FleetCopy).nodeRed.status("changed", (status) => status.text?.includes(text) === true);
  const told = () => [0, 1].flatMap((copy) => (copies[copy] as FleetCopy).sent("changed", 1));

  itWide("ends an open alert once no copy has the rule that raised it", async () => {
    const above = (value: string) => ({ kind: "field", field: "tokens.value", is: "above", value });
    const before = { conditions: [above("10")], recovers: true };
    await deployed(0, before);
    await deployed(1, before);
    should(await fate(0, transfer("11"), "changed")).equal("alert");
    await deployed(0, { ...before, conditions: [above("20"), above("30")] });
    await shows(0, "another rule");
    should(await fate(0, transfer("9"), "changed")).equal("no_match");
    should(told()).be.empty();
    // By the other copy, which has what raised it.
    should(await fate(1, transfer("9"), "changed")).equal("no_match");
    const [recovered] = await eventually("a recovery", told, (all) => all.length > 0);
    should(recovered?.payload).have.property("kind", "recovered");
    should(await fate(1, transfer("12"), "changed")).equal("alert");
    await deployed(1, { ...before, conditions: [above("20"), above("30")] });
    const [, ended] = await eventually("an end", told, (all) => all.length > 1);
    should(ended?.payload).have.property("kind", "ended");
    should(told()).have.length(2);
  });

  itWide("begins an absence anew once it was disabled on all of them, at once", async () => {
    const absence = { id: "absent", when: "absence", absentFor: "3s", title: "silence" };
    for (const copy of [0, 1] as const) await deployed(copy, absence);
    await fate(0, transfer("1"), "absent");
    await Promise.all(([0, 1] as const).map((copy) => deployed(copy, { ...absence, d: true })));
    const disabledAt = Date.now();
    await eventually("the time of the absence is over", () => Date.now() > disabledAt + 3_100);
    const enabledAt = Date.now();
    await deployed(0, absence);
    const { payload } = await (copies[0] as FleetCopy).arrived("absent", 1);
    should(Date.parse(String((payload as { at?: string }).at)) - enabledAt).be.aboveOrEqual(3_000);
  });
});
