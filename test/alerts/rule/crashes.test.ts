import fc from "fast-check";
import should from "should";
import { MemoryAlertStore } from "../../../src/alerts/index.ts";
import { isSegment } from "../../../src/alerts/journal/stored-journal.ts";
import type { AlertWhen } from "../../../src/alerts/types.ts";
import { sized } from "../../support/variants.ts";
import { logAt } from "../taken-back/logs.ts";
import { makeRule } from "./make-rule.ts";

/** A store in which a write may fail, before or after it has happened. */
class TearingStore extends MemoryAlertStore {
  readonly #draw: () => number;

  constructor(draw: () => number) {
    super();
    this.#draw = draw;
  }

  override async write(key: string, revision: number, value: unknown): Promise<boolean> {
    const drawn = this.#draw();
    if (drawn === 0) throw new Error("The program ends before the write");
    const isWritten = await super.write(key, revision, value);
    if (drawn === 1) throw new Error("The program ends after the write");
    return isWritten;
  }
}

const COUNT = 300;
const kinds = fc.constantFrom<AlertWhen>(
  { kind: "each" },
  { kind: "count", times: 1, withinMs: 1_000 },
  { kind: "count", times: 10, withinMs: 1_000 },
);

describe("AlertRule: a program that ends between two writes", () => {
  it("misses no event, and counts none twice", () =>
    fc.assert(
      fc.asyncProperty(kinds, fc.boolean(), fc.infiniteStream(fc.nat(40)), async (when, isWatched, draws) => {
        let tears = true;
        const store = new TearingStore(() => (tears ? draws.next().value : 40));
        const more = { slackMs: 1_000, maxMarks: 100, ...(isWatched && { confirmWithinMs: 60_000 }) };
        const start = () => makeRule(when, more, { store });
        let { rule } = start();
        const told = new Map<string, number>();
        const deliver = async (index: number, redelivered: boolean): Promise<void> => {
          const log = logAt({ tx: index + 1, logIndex: `${index}`, content: `${index}` });
          const input = { key: "", id: `${index}`, at: 0, matches: true, log, redelivered };
          try {
            for (const { kind, alert } of (await rule.accept(input)).outcomes) {
              if (kind === "alert") told.set(alert.id, alert.count);
            }
          } catch {
            // It was not acknowledged, and comes again.
            ({ rule } = start());
            await deliver(index, true);
          }
        };
        for (let index = 0; index < COUNT; index += 1) await deliver(index, false);
        const each = when.kind === "count" ? when.times : 1;
        should(told.size).equal(COUNT / each);
        should([...told.values()].every((count) => count === each)).be.true();
        // What no record refers to is removed when the store is read.
        tears = false;
        const last = start();
        await last.rule.pending();
        const keys = await store.keys();
        const records = await Promise.all(
          keys.filter((key) => !isSegment(key)).map(async (key) => JSON.stringify(await store.read(key))),
        );
        const segments = keys.filter(isSegment);
        should(segments.filter((name) => !records.join().includes(name))).be.empty();
        if (when.kind === "each") should(segments).not.be.empty();
      }),
      { numRuns: sized(8, 60) },
    ));
});
