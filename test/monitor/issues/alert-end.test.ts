import should from "should";
import { alertEnd } from "../../../plugins/monitor/issues/checks/alerts.ts";
import { foundIn, node, TAB } from "./scene.ts";

describe("the check for alerts that nothing ends", () => {
  const find = (more: Record<string, unknown>) =>
    foundIn(alertEnd, {
      nodes: [TAB, node("crec-alert", "paused", { recovers: true, when: "each", ...more })],
    });
  const named = { kind: "field", field: "name", is: "equals", value: "Paused" };

  it("finds one that compares only the name of the event", async () => {
    should(await find({ conditions: [named] })).eql(["never paused"]);
  });

  it("finds nothing where other values, or other conditions, end it, or no end is reported", async () => {
    const above = { kind: "field", field: "params.value", is: "above", value: "1" };
    for (const more of [
      { conditions: [named, above] },
      { conditions: [] },
      { conditions: [named], endsWhen: "conditions" },
      { conditions: [named], when: "count" },
      { conditions: [named], recovers: false },
    ]) {
      should(await find(more)).be.empty();
    }
  });
});
