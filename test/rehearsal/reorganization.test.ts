import should from "should";
import { parseEventFile } from "../../rehearsal/parent/events/event-file.ts";
import type { RunningService } from "../../service/src/index.ts";
import { recallOfExamples } from "../support/example-recall.ts";
import { flowEnvironment, startTestService } from "../support/service.ts";
import { describeWide } from "../support/wide.ts";

const GUARDIAN = "17-pause-guardian";

describeWide("the rehearsal of a reorganization that the service recorded", function () {
  this.timeout(180_000);

  let service: RunningService;

  before(async () => {
    service = await startTestService();
  });
  after(() => service?.close());

  const ask = (path: string, body?: unknown) =>
    fetch(`${service.ready.base_url}${path}`, {
      headers: { authorization: `Apikey ${service.ready.api_key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });

  it("leaves no channel active when it is refused", async () => {
    await ask("/local/guarded-token", { action: "pause" });
    const refused = await ask("/local/scenarios/reorg", { seed: 5 });
    should(refused.status).equal(400);
    should(await refused.text()).match(/GuardedToken cannot mint: .*Unpause it/);
    const { data } = (await (await ask("/channels?status=active&status=archived")).json()) as {
      data: Array<{ status: string }>;
    };
    should(new Set(data.map(({ status }) => status))).eql(new Set(["archived"]));
    await ask("/local/guarded-token", { action: "unpause" });
  });

  it("alerts on the mint, and takes the alert back when its block is replaced", async () => {
    const response = await ask("/local/scenarios/reorg", { seed: 5 });
    const file = parseEventFile(await response.text());
    const variables = flowEnvironment(service.ready) as Record<string, string>;
    const { report, measured } = await recallOfExamples([GUARDIAN], file, {
      variables,
      goOnMs: 3_600_000,
    });
    const recall = measured.get(GUARDIAN);
    should(recall?.incidents.map(({ isNoticed }) => isNoticed)).eql([true]);
    should(recall?.falseAlarms).be.empty();
    const ends = report.outcomes.filter(({ kind }) => kind === "resolved");
    should(ends.map(({ message }) => (message as { payload: { kind: string } }).payload.kind)).eql([
      "takenBack",
    ]);
    const [alert] = report.outcomes.filter(({ kind }) => kind === "alert");
    should(ends[0]?.at).be.aboveOrEqual(alert?.at ?? Number.POSITIVE_INFINITY);
  });
});
