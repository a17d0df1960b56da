import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import { AlertHarness, type AlertMessage, alertNode, transfer } from "../support/alert-harness.ts";
import { eventually } from "../support/eventually.ts";
import { ask, harnessFlow } from "../support/flow-harness.ts";

const ABOVE_10 = { kind: "field", field: "tokens.value", is: "above", value: "10" };

type Answered = { issues: Array<{ check: string; what: string; buttons: object[] }> };

const deletedIn = ({ issues }: Answered) => issues.filter(({ check }) => check === "alert-deleted");

/** What an alert node remembers, over restarts and while its file cannot be used. */
describe("the memory of alert", function () {
  this.timeout(180_000);

  let harness: AlertHarness;
  before(async () => {
    harness = await AlertHarness.alone();
  });
  after(() => harness?.close());

  const file = (id = "alert") => join(harness.userDir.path, "crec-alerts", `${id}.log`);

  const posted = async (action: "run" | "close", body: object = {}): Promise<Answered> => {
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await harness.nodeRed.fetch(`crec/monitor/issues/${action}`, request);
    return (await answer.json()) as Answered;
  };

  it("counts on after a restart", async () => {
    await harness.deploy({ when: "count", times: "3", within: "1h", quiet: "1h" });
    const first = transfer("1");
    should(await harness.fate(first)).equal("counted");
    should(await harness.fate(transfer("1"))).equal("counted");
    await harness.restart();
    should(await harness.fate(first)).equal("seen");
    should(await harness.fate(transfer("1"))).equal("alert");
    await harness.restart();
    should(await harness.fate(transfer("1"))).equal("quiet");
  });

  it("has counted what left it and keeps the quiet time, also when Node-RED is killed at that moment", async () => {
    for (let kill = 0; kill < 3; kill += 1) {
      await harness.deploy({ when: "count", times: "4", within: "1h", quiet: "1h" });
      // The event behind a message that left can be acknowledged, and then does not come again.
      for (const _ of [1, 2, 3]) should(await harness.fate(transfer("1"))).equal("counted");
      await harness.restart("kill");
      should(await harness.fate(transfer("1"))).equal("alert");
    }
    await harness.restart("kill");
    should(await harness.fate(transfer("1"))).equal("quiet");
  });

  it("removes its file with the node, and keeps it while the node is disabled", async () => {
    await harness.deploy();
    await harness.fate(transfer("1"));
    const off = harnessFlow([], [[alertNode({ d: true }), 3]]);
    await harness.nodeRed.deploy(off);
    should(existsSync(file())).be.true();
    await harness.nodeRed.deploy(harnessFlow([], [[alertNode(), 3]]));
    should(await harness.fate(transfer("1"))).equal("alert");
    await harness.nodeRed.deploy(harnessFlow([], []));
    should(existsSync(file())).be.false();
  });

  it("of a deleted node with open alerts is kept: Issues lists them, until it comes back or a person closes them", async () => {
    const node = alertNode({ recovers: true, title: "Low balance", conditions: [ABOVE_10] });
    const bring = () => harness.nodeRed.deploy(harnessFlow([], [[node, 3]]));
    await harness.deploy({ recovers: true, title: "Low balance", conditions: [ABOVE_10] });
    should(await harness.fate(transfer("11"))).equal("alert");
    await harness.nodeRed.deploy(harnessFlow([], []));
    const [issue] = await deletedIn(await posted("run"));
    should(issue?.what)
      .match(/has left alerts open/)
      .and.match(/Low balance/);
    should(issue?.buttons).deepEqual([{ kind: "closeAlerts", file: "alert" }]);

    await bring();
    should(deletedIn(await posted("run"))).be.empty();
    should(await posted("close", { file: "alert" })).have.property("issues");
    should(await harness.fate(transfer("9"))).equal("no_match");
    await harness.resolves(({ payload }) => payload.title === "Recovered: Low balance");

    should(await harness.fate(transfer("12"))).equal("alert");
    await harness.nodeRed.deploy(harnessFlow([], []));
    should(existsSync(file())).be.true();
    should(deletedIn(await posted("close", { file: "alert" }))).be.empty();
    should(existsSync(file())).be.false();
  });

  it("begins an absence without channel anew where a person had disabled the node", async () => {
    const absence = { when: "absence", absentFor: "1s", title: "silence" };
    await harness.deploy(absence);
    await harness.nodeRed.status("alert", ({ fill }) => fill === "green");
    await harness.nodeRed.deploy(harnessFlow([], [[alertNode({ ...absence, d: true }), 3]]));
    const disabledAt = Date.now();
    await eventually("the time of the absence is over", () => Date.now() > disabledAt + 1_100);
    const enabledAt = Date.now();
    await harness.redeploy(absence);
    const { payload } = await harness.raises(({ payload }) => payload.title === "silence");
    should(Date.parse(String(payload.at)) - enabledAt).be.aboveOrEqual(1_000);
  });

  it("does not mix two nodes", async () => {
    const count = { when: "count", times: "2", within: "1h" };
    const nodes = [alertNode(count), alertNode({ ...count, id: "other" })];
    await harness.nodeRed.deploy(harnessFlow([], []));
    await harness.nodeRed.deploy(
      harnessFlow(
        [],
        nodes.map((node) => [node, 3]),
      ),
    );
    should(await harness.fate(transfer("1"))).equal("counted");
    should(await harness.fate(transfer("1"), "other")).equal("counted");
    should(await harness.fate(transfer("1"))).equal("alert");
    should(await harness.fate(transfer("1"), "other")).equal("alert");
  });

  it("completes no message while its file cannot be read, and says so once", async () => {
    await harness.nodeRed.deploy(harnessFlow([], []));
    await mkdir(file(), { recursive: true });
    await harness.redeploy({ when: "count", times: "1", within: "1h" });
    await harness.nodeRed.status("alert", ({ fill }) => fill === "red");
    should(await harness.fate(transfer("1"))).equal("ALERTS_NOT_READ");
    should(await harness.fate(transfer("1"))).equal("ALERTS_NOT_READ");
    const warnings = harness.nodeRed.log.match(/\[warn\] \[crec-alert:alert\] What an alert rule remembers/g);
    should(warnings).have.length(1);
    await rm(file(), { recursive: true });
    should(await harness.fate(transfer("1"))).equal("alert");
    await harness.nodeRed.status("alert", ({ fill }) => fill === "green");
  });

  it("sends what has no event again after a restart, until an ack event node receives it", async () => {
    const settings = { when: "absence", absentFor: "1s", untilAcked: true, name: "heartbeat" };
    await harness.nodeRed.deploy(harnessFlow([], []));
    await harness.nodeRed.deploy(
      harnessFlow(
        [],
        [
          [alertNode(settings), 3],
          [{ id: "ack", type: "crec-ack", action: "ack" }, 2],
        ],
      ),
    );
    const isHeartbeat = ({ payload }: AlertMessage) => payload.title === "heartbeat";
    const first = await harness.raises(isHeartbeat);
    should(first.crec).have.properties({ attempt: 1, redelivered: false });
    await harness.restart("stop");
    const again = await harness.raises(isHeartbeat);
    should(again.crec?.eventId).equal(first.crec?.eventId);
    should(again.payload).deepEqual(first.payload);
    const acked = await ask(harness.nodeRed, "ack", again);
    should(acked.payload).deepEqual(again.payload);
    await harness.nodeRed.status("ack", "ack");
    await harness.restart("stop");
    await harness.nodeRed.status("alert", ({ fill }) => fill === "green");
    // What is sent again after a restart was sent before the status.
    should(await harness.fate(transfer("1"))).equal("counted");
    const shown = harness.nodeRed.shown("alert:0").map(({ value }) => value as AlertMessage);
    should(shown.filter(isHeartbeat)).be.empty();
  });

  it("does the same with a recovery that an event led to, whose event is done", async () => {
    const conditions = [{ kind: "field", field: "tokens.value", is: "above", value: "10" }];
    await harness.deploy({ conditions, recovers: true, untilAcked: true, name: "level" });
    should(await harness.fate(transfer("11"))).equal("alert");
    const ends = transfer("9");
    should(await harness.fate(ends)).equal("no_match");
    const isRecovery = ({ payload }: AlertMessage) => payload.title === "Recovered: level";
    const first = await harness.resolves(isRecovery);
    should(first.crec?.eventId).be.a.String().and.not.equal(ends.crec?.eventId);
    await harness.restart();
    const again = await harness.resolves(isRecovery);
    should(again.crec?.eventId).equal(first.crec?.eventId);
    should(again.payload).deepEqual(first.payload);
  });
});
