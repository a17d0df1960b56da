import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { hasPromtool, promtool } from "../../support/promtool.ts";
import { metricNames, namesIn } from "./metric-names.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const RULES = join(root, "docs/monitoring/prometheus-alerts.yml");

describe("the example alert rules", () => {
  it("are rules, as Prometheus' own linter says", function () {
    if (!hasPromtool()) return this.skip();
    should(promtool(["check", "rules", RULES])).equal("");
  });

  it("fire when they should, and not before", function () {
    if (!hasPromtool()) return this.skip();
    should(promtool(["test", "rules", join(import.meta.dirname, "alert-rules.test.yml")])).equal("");
  });

  it("name only metrics that exist", () => {
    const names = metricNames();
    const named = namesIn(readFileSync(RULES, "utf8"));
    should(named).not.be.empty();
    should(named.filter((name) => !names.includes(name))).be.empty();
  });
});
