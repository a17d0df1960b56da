import should from "should";
import { parseEventFile } from "../../rehearsal/parent/events/index.ts";
import { recallOfExamples } from "../support/example-recall.ts";
import { flowEnvironment, startTestService } from "../support/service.ts";
import { describeWide } from "../support/wide.ts";

const GUARDIAN = "17-pause-guardian";

describeWide("the rehearsal of a reorganization that the service recorded", function () {
  this.timeout(180_000);

  it("alerts on the mint, and takes the alert back when its block is replaced", async () => {
    const service = await startTestService();
    try {
      const { base_url, api_key } = service.ready;
      const response = await fetch(`${base_url}/local/scenarios/reorg`, {
        method: "POST",
        headers: { authorization: `Apikey ${api_key}`, "content-type": "application/json" },
        body: JSON.stringify({ seed: 5 }),
      });
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
    } finally {
      await service.close();
    }
  });
});
