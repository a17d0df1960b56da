import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import should from "should";
import { readReport } from "../../rehearsal/cli/files.ts";
import { reportOfFile } from "../../rehearsal/parent/checked-report.ts";
import { differencesInWords, differencesOf, isEmpty } from "../../rehearsal/report/differences.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import { anyReport, sampleReport } from "./sample-report.ts";

describe("differences between two rehearsals", () => {
  it("says how many more, and which", () => {
    const differences = differencesOf(sampleReport(), sampleReport({ every: 2 }));
    differencesInWords(differences).should.deepEqual([
      "large transfer: 10 alerts more (15 instead of 5).",
      "large transfer: 5 suppressed alerts fewer (0 instead of 5).",
      "mqtt out: 10 sent messages more (15 instead of 5).",
      "2 nodes got or sent another number of messages, 1 wire carried another number.",
    ]);
    const [alerts] = differences.outcomes;
    alerts?.appeared
      .map(({ event }) => event?.offset)
      .should.deepEqual([2, 4, 8, 10, 14, 16, 20, 22, 26, 28]);
    alerts?.gone.should.deepEqual([]);
    differences.nodes.should.deepEqual([
      {
        node: "alert",
        name: "large transfer",
        before: { received: 30, sent: 25 },
        after: { received: 30, sent: 35 },
      },
      { node: "mqtt", name: "mqtt out", before: { received: 5, sent: 0 }, after: { received: 15, sent: 0 } },
    ]);
    differences.wires.should.deepEqual([{ from: "alert", port: 0, to: "mqtt", before: 5, after: 15 }]);
  });

  it("says first that span, events, seed, time zone or tabs differ", () => {
    const before = sampleReport();
    const after: Report = {
      ...sampleReport({ from: 30 }),
      span: { from: before.span.to, to: before.span.to + 60_000 },
      seed: 8,
      timeZone: "UTC",
      tabs: [{ id: "other", label: "Other" }],
    };
    differencesInWords(differencesOf(before, after))
      .slice(0, 5)
      .should.deepEqual([
        "The spans differ: 2026-01-05 09:00 to 2026-01-05 09:30 before, 2026-01-05 08:30 to 2026-01-05 08:31 after.",
        "The events differ: 30 events before, 30 after.",
        "The seeds differ: 7 before, 8 after.",
        "The time zones differ: Europe/Berlin before, UTC after.",
        "The tabs differ: Large transfers before, Other after.",
      ]);
  });

  it("finds outcomes that came later, or with another text or reason", () => {
    const [before, after] = [sampleReport(), sampleReport()];
    const [first, second] = after.outcomes.filter(({ kind }) => kind === "alert");
    const held = after.outcomes.find(({ kind }) => kind === "suppressed");
    if (first && second && held) {
      first.at += 5;
      second.text = "Another";
      held.why = "counted";
    }
    const { outcomes } = differencesOf(before, after);
    outcomes
      .map(({ kind, changed, gone, appeared }) => [kind, changed.length, gone.length, appeared.length])
      .should.deepEqual([
        ["alert", 2, 0, 0],
        ["suppressed", 1, 0, 0],
      ]);
    differencesInWords(differencesOf(before, after)).should.deepEqual([
      "large transfer: as many alerts (5), 2 changed.",
      "large transfer: as many suppressed alerts (5), 1 changed.",
    ]);
  });

  it("compares lists that are cut only as far as both are known", () => {
    const [before, after] = [sampleReport(), sampleReport()];
    const isLate = (outcome: Report["outcomes"][number]): boolean =>
      outcome.kind === "alert" && (outcome.event?.offset ?? 0) > 12;
    after.outcomes = after.outcomes.filter((outcome) => !isLate(outcome));
    isEmpty(differencesOf(before, after)).should.be.true();
  });

  it("finds nothing between a rehearsal and itself", () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const differences = differencesOf(report, structuredClone(report));
        isEmpty(differences).should.be.true();
        differences.inputs.should.deepEqual([]);
      }),
    );
    differencesInWords(differencesOf(sampleReport(), sampleReport())).should.deepEqual([
      "No outcome and no count differs.",
    ]);
  });

  it("finds the same both ways round", () => {
    fc.assert(
      fc.property(anyReport, anyReport, (one, other) => {
        const forth = differencesOf(one, other);
        const back = differencesOf(other, one);
        back.outcomes.should.deepEqual(
          forth.outcomes.map(({ before, after, appeared, gone, changed, ...same }) => ({
            ...same,
            before: after,
            after: before,
            appeared: gone,
            gone: appeared,
            changed: changed.map((pair) => ({ before: pair.after, after: pair.before })),
          })),
        );
        back.nodes.length.should.equal(forth.nodes.length);
        isEmpty(back).should.equal(isEmpty(forth));
      }),
    );
  });

  it("accounts for each change of a number by the outcomes that it names", () => {
    fc.assert(
      fc.property(anyReport, anyReport, (one, other) => {
        for (const { before, after, appeared, gone, kind, node } of differencesOf(one, other).outcomes) {
          const isListed = [one, other].every(
            ({ nodes, outcomes }) =>
              (nodes.find(({ id }) => id === node)?.outcomes[kind] ?? 0) ===
              outcomes.filter((outcome) => outcome.node === node && outcome.kind === kind).length,
          );
          if (isListed) (appeared.length - gone.length).should.equal(after - before);
        }
      }),
    );
  });

  describe("of a file", () => {
    it("has all of a report", () => {
      fc.assert(
        fc.property(anyReport, (report) => {
          const written = JSON.parse(JSON.stringify(report));
          should(reportOfFile(written)).eql(written);
        }),
        { numRuns: 50 },
      );
    });

    it("is refused, or can be compared, whatever part of it is gone or another", () => {
      for (const other of [null, undefined, [], {}, "x", -1, [null]]) {
        for (const path of partsOf(sampleReport())) {
          const report = reportOfFile(withPart(sampleReport(), path, other));
          if (report) differencesInWords(differencesOf(report, sampleReport()));
        }
      }
    });

    it("is refused by name where it is not whole", async () => {
      const folder = await mkdtemp(join(tmpdir(), "crec-report-"));
      try {
        const path = join(folder, "report.json");
        for (const part of [{ nodes: [null] }, { outcomes: [null] }, { timeZone: "Mars" }, { span: {} }]) {
          await writeFile(path, JSON.stringify({ ...sampleReport(), ...part }));
          const message = `${path} is no whole report. Write it with --report.`;
          await readReport(path).should.be.rejectedWith({ message });
        }
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  });
});

type Steps = readonly string[];

/** The ways to each value in it. */
function partsOf(value: unknown, steps: Steps = []): Steps[] {
  const inside = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [steps, ...inside.flatMap(([key, part]) => partsOf(part, [...steps, key]))];
}

function withPart(whole: unknown, [step, ...rest]: Steps, part: unknown): unknown {
  if (step === undefined) return part;
  const copy = (Array.isArray(whole) ? [...whole] : { ...(whole as object) }) as Record<string, unknown>;
  copy[step] = withPart(copy[step], rest, part);
  return copy;
}
