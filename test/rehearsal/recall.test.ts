import should from "should";
import { recallOf } from "../../rehearsal/report/recall.ts";
import type { Outcome } from "../../rehearsal/shared/report.ts";
import { scenarioOf } from "../support/scenario-files.ts";

describe("recall and false alarms of a flow on a scenario", function () {
  this.timeout(180_000);

  const at = (seconds: number): number => seconds * 1000;
  const alert = (outcome: Partial<Outcome> & { at: number }): Outcome => ({
    ...{ kind: "alert", node: "alert", text: "", message: {} },
    ...outcome,
  });

  it("counts an incident once, and alerts about ordinary events as false", async () => {
    const file = await scenarioOf("role", 1);
    const channelId = file.channel.id;
    const labels = file.scenario?.labels ?? {};
    const [first = 0, second = 0] = Object.keys(labels).map(Number);
    const ordinary = file.events.find(({ headers }) => labels[headers.offset] === undefined);
    const timeOf = (offset: number) => at(file.events[offset - 1]?.created_at ?? 0);
    const outcomes = [
      alert({ at: timeOf(first), event: { channelId, offset: ordinary?.headers.offset ?? 0 } }),
      alert({ at: timeOf(second), event: { channelId, offset: second } }),
      alert({ at: timeOf(second) + 1, event: { channelId, offset: first } }),
      { ...alert({ at: timeOf(second), event: { channelId, offset: second } }), kind: "suppressed" as const },
    ];
    const { incidents, alerts, falseAlarms } = recallOf(file, outcomes);
    should(incidents).have.length(1);
    should(incidents[0]).containEql({ isNoticed: true, after: timeOf(second) - timeOf(first) });
    should(incidents[0]?.label).startWith("taken over by 0x");
    should(alerts).equal(3);
    should(falseAlarms).eql([outcomes[0]]);
    should(recallOf(file, []).incidents[0]).have.property("isNoticed", false);
    should(recallOf(file, []).incidents[0]).not.have.property("after");
  });

  it("counts an alert that only the time led to for the silence that it fell into", async () => {
    for (const name of ["silence", "stale-price"] as const) {
      const file = await scenarioOf(name, 2);
      const offsets = Object.keys(file.scenario?.labels ?? {}).map(Number);
      const begins = at(file.events[(offsets[0] ?? 0) - 1]?.created_at ?? 0);
      const noticed = alert({ at: begins + 30 * 60_000 });
      const tooEarly = alert({ at: begins - 1 });
      const { incidents, falseAlarms } = recallOf(file, [tooEarly, noticed]);
      should(incidents.map(({ after }) => after)).eql([30 * 60_000]);
      should(falseAlarms).eql([tooEarly]);
      // After the silence, an alert is about something else. The price never comes back.
      const late = recallOf(file, [alert({ at: begins + 90 * 60_000 })]);
      should(late.incidents[0]?.isNoticed).equal(name === "stale-price");
    }
  });
});
