import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { provideFleet } from "../../../nodes/common/fleet/join-fleet.ts";
import { noteSharedRule, sharedRuleOf } from "../../../nodes/common/fleet/shared-rules.ts";
import { alertDeleted } from "../../../plugins/monitor/issues/checks/alerts.ts";
import { forgetLeftOpen } from "../../../plugins/monitor/issues/left-open.ts";
import { MemorySharedState, SharedAlertStore } from "../../../src/index.ts";
import { makeRule } from "../../alerts/rule/make-rule.ts";
import { node, sceneOf, TAB } from "./scene.ts";

const HOUR = 3_600_000;

describe("the check for open alerts of a deleted node in a shared state", () => {
  /** Copies with the same flows, or with some of their nodes. */
  const fleet = () => {
    const shared = new MemorySharedState();
    const settings = { url: `redis://${randomUUID()}`, namespace: "", leaseMs: 15_000 };
    provideFleet(settings, async () => shared);
    const sceneWith = (ids: readonly string[], tab = TAB) =>
      sceneOf({
        nodes: [tab, { id: "fleet", type: "crec-fleet" }, ...ids.map((id) => node("crec-alert", id))],
        running: { fleet: { fleet: { settings, problem: undefined } } },
        settings: { userDir: join(tmpdir(), randomUUID()) },
      });
    const noted = async (id: string, agoMs: number) => {
      const rule = sharedRuleOf((await sceneWith([id])).RED, { id, name: `name of ${id}` });
      await noteSharedRule(shared, rule, Date.now() - agoMs);
    };
    /** A rule with an open alert, as a node with a clock that is this far behind. */
    const opened = async (id: string, agoMs: number) => {
      await noted(id, agoMs);
      const store = new SharedAlertStore({ shared, scope: id, ttlMs: 30 * HOUR });
      const now = () => Date.now() - agoMs;
      const { rule, at } = makeRule(
        { kind: "each" },
        { recovers: true },
        { id, store, fingerprint: "one", now },
      );
      should(await at(0)).match(/^alert/);
      return rule;
    };
    const foundIn = async (...given: Parameters<typeof sceneWith>) =>
      (await alertDeleted.find(await sceneWith(...given))).map(({ origin, values, buttons }) => {
        should(buttons).eql([{ kind: "closeAlerts", file: origin.node }]);
        return `${origin.label}: ${values?.number}`;
      });
    const notes = async () => (await shared.recordKeys("alert rules", 10)).sort();
    return { shared, sceneWith, noted, notes, opened, foundIn };
  };

  it("finds them once no copy has had the node for some time, until a person closes them", async () => {
    const { shared, opened, foundIn, sceneWith } = fleet();
    await (await opened("a", HOUR)).close();
    await (await opened("b", 0)).close();
    await opened("running", 2 * HOUR);
    await opened("killed", 3 * HOUR);
    should((await foundIn([])).sort()).eql(["name of a: 1", "name of killed: 1"]);
    should(await foundIn(["a"])).eql(["name of killed: 1"]);
    const scene = await sceneWith([]);
    await forgetLeftOpen(scene, "a");
    // Not that of a node that a copy may have.
    await forgetLeftOpen(scene, "b");
    should(await foundIn([])).eql(["name of killed: 1"]);
    should(await shared.recordKeys("a", 10)).be.empty();
    should(await shared.recordKeys("b", 10)).not.be.empty();
  });

  it("finds none of other flows that use the same shared state", async () => {
    const { opened, foundIn } = fleet();
    await (await opened("a", HOUR)).close();
    should(await foundIn([], { id: "other", type: "tab" })).be.empty();
    should(await foundIn([])).have.length(1);
  });

  it("finds nothing where a node left no alert open, and forgets that it was there", async () => {
    const { shared, notes, opened, foundIn } = fleet();
    const rule = await opened("a", HOUR);
    await rule.accept({ key: "", at: Date.now(), matches: false });
    await rule.close();
    should(await foundIn([])).be.empty();
    should(await notes()).be.empty();
    should(await shared.recordKeys("a", 10)).not.be.empty();
  });

  it("knows a node that a copy has just got, and that has stored nothing yet", async () => {
    const { noted, notes, opened, foundIn } = fleet();
    await noted("new", 0);
    await noted("never used", HOUR);
    // A copy without them, in a fleet that is updated.
    should(await foundIn([])).be.empty();
    should(await notes()).eql(["new"]);
    await (await opened("new", HOUR)).close();
    should(await foundIn([])).eql(["name of new: 1"]);
  });

  it("knows a node that comes back while it is looked at", async () => {
    const { shared, noted, notes, foundIn } = fleet();
    await noted("a", HOUR);
    const { recordKeys } = shared;
    // Its alerts are read last.
    shared.recordKeys = async (scope, most) => {
      if (scope === "a") await noted("a", 0);
      return recordKeys.call(shared, scope, most);
    };
    should(await foundIn([])).be.empty();
    should(await notes()).eql(["a"]);
  });

  it("finds an alert whose end was stored, and not sent", async () => {
    const { opened, foundIn } = fleet();
    const rule = await opened("a", HOUR);
    const { outcomes } = await rule.accept({ key: "", at: Date.now(), matches: false });
    await rule.keep(outcomes);
    await rule.close();
    should(await foundIn([])).eql(["name of a: 1"]);
  });
});
