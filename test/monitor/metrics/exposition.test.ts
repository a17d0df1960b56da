import should from "should";
import { BoundedValues } from "../../../plugins/monitor/monitoring/bounds.ts";
import {
  Counter,
  type Family,
  gauge,
  Histogram,
  info,
  textOf,
} from "../../../plugins/monitor/monitoring/exposition.ts";
import { formatFor } from "../../../plugins/monitor/monitoring/register.ts";
import { hasParser, parsed } from "../../support/metrics-parser.ts";
import { hasPromtool, promtool } from "../../support/promtool.ts";

const HOSTILE = [
  'a"b',
  "a\nb",
  "a\\b",
  "a\\nb",
  'a"} 1\ncrec_forged_total{x="',
  "\u{1f4a5}",
  "\ud800",
  "",
  " ",
  "a\rb",
  "\0",
];

function families(): Family[] {
  const calls = new Counter({ name: "test_calls", help: 'Calls, "quoted" \\ and\nin two lines.' });
  const values = new BoundedValues({ most: 100 });
  for (const value of HOSTILE) calls.add({ value: values.of(value), other: "x" });
  calls.add({ value: "twice", other: "x" });
  calls.add({ value: "twice", other: "x" }, 2);
  const time = new Histogram({ name: "test_duration_seconds", help: "Time." }, [0.5, 1, 2.5]);
  for (const seconds of [0.1, 0.5, 0.7, 3, -1, Number.NaN]) time.observe({ kind: "a" }, seconds);
  const merged = gauge({ name: "test_lag_seconds", unit: "seconds", help: "Lag." }, () => [
    [{ consumer: "a" }, 3],
    [{ consumer: "a" }, 4],
    [{ consumer: "b" }, Number.POSITIVE_INFINITY],
  ]);
  const none = gauge({ name: "test_none", help: "Nothing." }, () => []);
  return [calls, time, merged, none, info({ name: "test_build", help: "Versions." }, { version: "1" })];
}

const valuesOf = (text: string, format: "openmetrics" | "prometheus") =>
  Object.fromEntries(
    parsed(text, format).flatMap(({ samples }) =>
      samples.map(({ name, labels, value }) => [`${name} ${JSON.stringify(labels)}`, value] as const),
    ),
  );

describe("the text of metrics", () => {
  it("says the same in both formats, to parsers of others", function () {
    if (!hasParser()) return this.skip();
    const open = valuesOf(textOf(families(), "openmetrics"), "openmetrics");
    should(open).have.properties({
      'test_calls_total {"value":"twice","other":"x"}': 3,
      'test_duration_seconds_bucket {"kind":"a","le":"0.5"}': 3,
      'test_duration_seconds_bucket {"kind":"a","le":"1.0"}': 4,
      'test_duration_seconds_bucket {"kind":"a","le":"2.5"}': 4,
      'test_duration_seconds_bucket {"kind":"a","le":"+Inf"}': 5,
      'test_duration_seconds_count {"kind":"a"}': 5,
      // A clock that was set back does not make it fall.
      'test_duration_seconds_sum {"kind":"a"}': 4.3,
      'test_lag_seconds {"consumer":"a"}': 7,
      'test_build_info {"version":"1"}': 1,
    });
    should(valuesOf(textOf(families(), "prometheus"), "prometheus")).deepEqual(open);
  });

  it("has its types, units and texts where the standard wants them", function () {
    if (!hasParser()) return this.skip();
    const described = parsed(textOf(families(), "openmetrics"), "openmetrics").map(
      ({ name, type, unit, help }) => [name, type, unit, help],
    );
    should(described).deepEqual([
      ["test_calls", "counter", "", 'Calls, "quoted" \\ and\nin two lines.'],
      ["test_duration_seconds", "histogram", "seconds", "Time."],
      ["test_lag_seconds", "gauge", "seconds", "Lag."],
      ["test_build", "info", "", "Versions."],
    ]);
  });

  it("writes labels so that a parser reads them as they were, whatever is in them", function () {
    if (!hasParser()) return this.skip();
    for (const format of ["openmetrics", "prometheus"] as const) {
      const calls = parsed(textOf(families(), format), format).find(({ name }) => name === "test_calls");
      const read = calls?.samples.map(({ labels }) => labels.value);
      should(read).deepEqual([...HOSTILE.map((value) => value.toWellFormed()), "twice"], format);
    }
  });

  it("satisfies Prometheus' own linter", function () {
    if (!hasPromtool()) return this.skip();
    should(promtool(["check", "metrics"], textOf(families(), "prometheus"))).equal("");
  });
});

describe("the values of a label", () => {
  it("are those that are listed, or other", () => {
    const values = new BoundedValues({ known: ["a", "b"] });
    should(["a", "b", "c", "other", ""].map((value) => values.of(value))).deepEqual([
      ...["a", "b", "other", "other", "other"],
    ]);
  });

  it("can be written as UTF-8, so that two of them are never one in the text", () => {
    const values = new BoundedValues({ most: 9 });
    should(["\ud800", "\udfff", `${"x".repeat(127)}\u{1f4a5}`].map((value) => values.of(value))).deepEqual([
      ...["\ufffd", "\ufffd", `${"x".repeat(127)}\ufffd`],
    ]);
  });

  it("are the first ones up to a number, then other, and are cut", () => {
    const values = new BoundedValues({ most: 2 });
    should(["a", "x".repeat(1_000), "c", "a"].map((value) => values.of(value))).deepEqual([
      ...["a", "x".repeat(128), "other", "a"],
    ]);
  });
});

describe("the format of an answer", () => {
  it("is OpenMetrics for those that ask for it", () => {
    for (const accept of [
      "application/openmetrics-text",
      "application/openmetrics-text; version=1.0.0",
      // Prometheus 2 and 3.
      "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
      "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=1.0.0;q=0.4,*/*;q=0.1",
    ])
      should(formatFor(accept)).equal("openmetrics", accept);
  });

  it("is the classic one for all others", () => {
    for (const accept of [
      ...[undefined, "", "*/*", "text/html,*/*;q=0.8", "text/plain", "application/openmetrics-text;q=0"],
      ...["application/openmetrics-text;q=0.2,text/plain;q=0.9", "application/openmetrics-text;q=x"],
    ])
      should(formatFor(accept)).equal("prometheus", String(accept));
  });
});
