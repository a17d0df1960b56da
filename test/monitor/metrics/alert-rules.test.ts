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

  it("are each in all three tests: fires, does not fire, target gone", () => {
    const alerts = Array.from(
      readFileSync(RULES, "utf8").matchAll(/- alert: (\w+)/g),
      ([, name]) => name,
    ).sort();
    const [, ...tests] = readFileSync(join(import.meta.dirname, "alert-rules.test.yml"), "utf8").split(
      "- name: ",
    );
    const tested = (test: string) => Array.from(test.matchAll(/alertname: (\w+)/g), ([, name]) => name);
    const fired = Array.from(
      tests.join("").matchAll(/alertname: (\w+)\n.*\n +exp_alerts:/g),
      ([, name]) => name,
    );
    should(tests.map((test) => test.split("\n")[0])).deepEqual(["fires", "does not fire", "target gone"]);
    for (const found of [...tests.map(tested), fired])
      should(Array.from(new Set(found)).sort()).deepEqual(alerts);
  });

  it("name only metrics that exist", () => {
    const names = metricNames();
    const named = namesIn(readFileSync(RULES, "utf8"));
    should(named).not.be.empty();
    should(named.filter((name) => !names.includes(name))).be.empty();
  });
});
