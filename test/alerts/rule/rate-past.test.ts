import should from "should";
import { MemoryAlertStore, SharedAlertStore } from "../../../src/alerts/index.ts";
import type { AlertStore } from "../../../src/alerts/types.ts";
import { MemorySharedState } from "../../../src/index.ts";
import { logAt } from "../taken-back/logs.ts";
import { makeRule, START } from "./make-rule.ts";

const WITHIN = 1_000;
const COMPARED = 100_000;
const DAY = 24 * 60 * 60_000;
const RATE = { kind: "rate", factor: 20, least: 3, withinMs: WITHIN, comparedMs: COMPARED } as const;

const STORES: Record<string, () => AlertStore> = {
  "its own store": () => new MemoryAlertStore(),
  "a shared store": () =>
    new SharedAlertStore({ shared: new MemorySharedState(), scope: "rule", ttlMs: 9 * DAY }),
};

for (const [name, open] of Object.entries(STORES)) {
  describe(`AlertRule: the past of a rate, in ${name}`, () => {
    for (const hasSources of [false, true]) {
      it(`lasts over pauses that are longer than the window, ${hasSources ? "with" : "without"} sources`, async () => {
        const store = open();
        let now = START;
        let tx = 0;
        const start = (more = {}) =>
          makeRule(RATE, { maxKeys: 3, ...more }, { store, forEach: true, now: () => now });
        let copies = [start(), start()];
        const give = async (ms: number, key: string) => {
          now = START + ms;
          tx += 1;
          const log = logAt({ tx, logIndex: `${tx}`, content: `${tx}` });
          const made = copies[tx % copies.length] as ReturnType<typeof start>;
          return made.at(ms, { key, id: `${tx}`, ...(hasSources && { log }) });
        };
        const until = async (ms: number) => {
          now = START + ms;
          for (const { upTo } of copies) should(await upTo(ms)).equal("");
        };
        await until(0);
        // Three in a thousandth of the time, and nothing in between: of each key, in turn.
        const alerts: string[] = [];
        for (let ms = 0; ms < 3 * COMPARED; ms += 10_000) {
          for (const [index, key] of ["a", "b", "c", "d", "e"].entries()) {
            const at = ms + 2_000 * index;
            for (const more of [0, 1, 2]) alerts.push(await give(at + more, key));
            await until(at + WITHIN + 100);
          }
          if (ms === 2 * COMPARED) copies = [start(), start()];
        }
        should(alerts.filter((answer) => answer !== "counted")).be.empty();
        // More than usual, and a key that is new.
        const last = 3 * COMPARED + 10_000;
        const many: string[] = [];
        for (let index = 0; index < 8; index += 1) many.push(await give(last + index, "a"));
        should(many.join()).match(/alert at/);
        await give(last + 20, "new");
        await give(last + 20, "new");
        should(await give(last + 20, "new")).equal(`alert at ${last + 20} of new count 3`);
      });
    }

    it("is forgotten once it is not compared any more", async () => {
      const store = open();
      const { at, upTo } = makeRule(RATE, { slackMs: 10 }, { store, forEach: true });
      await upTo(-10);
      should(await at(0, { key: "a" })).equal("counted");
      await upTo(WITHIN + 100);
      should(await store.keys()).deepEqual(["", "=a"]);
      // What comes again is not new.
      should(await at(0, { key: "a" })).equal("too_late");
      if (name !== "its own store") return;
      await upTo(COMPARED + 3 * WITHIN);
      should(await store.keys()).deepEqual([""]);
    });
  });
}
