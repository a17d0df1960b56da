import fc from "fast-check";
import "should";
import { expectationsOf, expectationsText } from "../../rehearsal/report/expectations.ts";
import { unmet } from "../../rehearsal/report/unmet.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import { anyReport, sampleReport } from "./sample-report.ts";

describe("expectations of a rehearsal", () => {
  it("are met by the rehearsal that they are of, also after they were a file", () => {
    fc.assert(
      fc.property(anyReport, fc.boolean(), (report, exact) => {
        const text = expectationsText(expectationsOf(report, { exact }));
        unmet(JSON.parse(text), report).should.deepEqual([]);
      }),
    );
  });

  it("are a small file with one line for each outcome", () => {
    const report = sampleReport();
    const text = expectationsText(expectationsOf(report));
    text
      .split("\n")
      .filter((line) => line.includes('"alert","at"'))
      .map((line) => line.trim().replace(/,$/, ""))[1]
      ?.should.equal(
        '{"kind":"alert","at":"2026-01-05T08:06:00.000Z","event":6,"text":"Transfer of 600 tokens"}',
      );
    text.should.containEql('"name": "large transfer"').and.not.containEql("payload");
    JSON.parse(text).should.containDeep({
      run: {
        from: "2026-01-05T08:00:00.000Z",
        to: "2026-01-05T08:30:00.000Z",
        seed: 7,
        timeZone: "Europe/Berlin",
      },
      events: { quickstart: 30 },
    });
    expectationsText(expectationsOf(report, { exact: true })).should.containEql('"message":{"payload"');
  });

  it("say what differs, the name of the node first", () => {
    const expected = expectationsOf(sampleReport());
    unmet(expected, sampleReport({ every: 6 })).should.deepEqual([
      "large transfer: 0 suppressed alerts, expected 5.",
      "large transfer: 0 alerts suppressed as quiet, expected 5.",
    ]);
    unmet(expected, sampleReport({ every: 10 }))
      .slice(0, 10)
      .should.deepEqual([
        "large transfer: 3 alerts, expected 5.",
        "large transfer: no alert of event 6, “Transfer of 600 tokens”.",
        "large transfer: no alert of event 12, “Transfer of 1200 tokens”.",
        "large transfer: no alert of event 18, “Transfer of 1800 tokens”.",
        "large transfer: no alert of event 24, “Transfer of 2400 tokens”.",
        "large transfer: an unexpected alert of event 10, “Transfer of 1000 tokens”.",
        "large transfer: an unexpected alert of event 20, “Transfer of 2000 tokens”.",
        "large transfer: 0 suppressed alerts, expected 5.",
        "large transfer: 0 alerts suppressed as quiet, expected 5.",
        "mqtt out: 3 sent messages, expected 5.",
      ]);
  });

  it("say which text, time or message differs", () => {
    const report = sampleReport();
    const expected = expectationsOf(report, { exact: true });
    const [first, second, third] = report.outcomes.filter(({ kind }) => kind === "alert");
    if (first && second && third) {
      first.text = "\u001b[31mred";
      second.at += 1_000;
      third.message = { payload: 1 };
    }
    const sentences = unmet(expected, report);
    sentences
      .slice(0, 2)
      .should.deepEqual([
        "large transfer: the alert of event 0 says “\\u{1b}[31mred”, expected “Transfer of 0 tokens”.",
        "large transfer: the alert of event 6 came at 2026-01-05 09:06:01, expected 2026-01-05 09:06:00.",
      ]);
    sentences[2]?.should.startWith(
      'large transfer: the alert of event 12 has another message: {"payload":1}, expected {',
    );
    sentences.length.should.equal(3);
  });

  it("list all outcomes that a report lists, and no more", () => {
    const report = sampleReport();
    const [alert] = report.outcomes.filter(({ kind }) => kind === "alert");
    if (alert === undefined) throw new Error("The sample has no alert.");
    report.outcomes = Array.from({ length: 1_001 }, (_, index) => ({ ...alert, at: alert.at + index }));
    const expected = expectationsOf(report);
    expected.nodes.flatMap(({ outcomes = [] }) => outcomes).length.should.equal(1_000);
    report.outcomes[900] = { ...alert, at: alert.at + 900, text: "other" };
    unmet(expected, report)
      .join()
      .should.match(/^large transfer: the alert of event 0 .*“other”/);
  });

  it("say that events are missing, that a node is, and that another one did something", () => {
    const expected = expectationsOf(sampleReport());
    const report = sampleReport();
    const [channel] = report.channels;
    if (channel) channel.events = 29;
    unmet(expected, report).should.deepEqual(["The events differ: 29 of channel quickstart, expected 30."]);

    const other: Report = sampleReport();
    other.nodes = other.nodes.map((node) =>
      node.id === "mqtt" ? { ...node, id: "mail", name: "mail" } : node,
    );
    other.outcomes = other.outcomes.map((outcome) =>
      outcome.node === "mqtt" ? { ...outcome, node: "mail" } : outcome,
    );
    unmet(expected, other).should.deepEqual([
      "mqtt out: this node is not in the flow.",
      "mail: 5 sent messages, expected none.",
    ]);
  });

  it("follow a channel by its name, when it is recorded again elsewhere", () => {
    const two = (id: string): Report => {
      const report = sampleReport();
      report.channels = [
        { id, name: "quickstart", events: 30 },
        { id: "second", name: "", events: 0 },
      ];
      for (const outcome of report.outcomes) {
        if (outcome.event) outcome.event.channelId = id;
      }
      return report;
    };
    unmet(expectationsOf(two("here")), two("there")).should.deepEqual([]);
  });
});
