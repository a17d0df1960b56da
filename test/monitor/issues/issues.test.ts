import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import should from "should";
import { nodeRedContext } from "../../../nodes/common/context.ts";
import { asReadOnlyUser, isForReadOnlyUser } from "../../../nodes/common/status/read-limit.ts";
import type { Check, Finding } from "../../../plugins/monitor/issues/check-context.ts";
import { Issues } from "../../../plugins/monitor/issues/issues.ts";

const origin = { node: "node", flow: "tab", type: "crec-events-in", label: "node" };
const issue = (name: string, severity: Finding["severity"] = "error"): Check => ({
  name,
  find: () => [{ case: "case", severity, origin }],
});

describe("the list of issues", () => {
  let userDir: string;
  beforeEach(async () => {
    userDir = await mkdtemp(join(tmpdir(), "crec-issues-"));
  });
  afterEach(() => rm(userDir, { recursive: true }));

  const listOf = (checks: readonly Check[], options: ConstructorParameters<typeof Issues>[1] = {}) => {
    const debug: string[] = [];
    const RED = {
      settings: { userDir },
      log: { debug: (text: string) => debug.push(text) },
      nodes: { eachNode: () => undefined, getNode: () => null },
      _: (key: string) => key,
    } as unknown as NodeAPI;
    return { debug, issues: new Issues(nodeRedContext(RED), { checks, ask: async () => {}, ...options }) };
  };
  const ids = (issues: Issues) => issues.all().map(({ id }) => id);

  it("runs the other checks where one throws, never ends, or rejects", async () => {
    const broken: Check[] = [
      {
        name: "throws",
        find: () => {
          throw new Error("It failed.");
        },
      },
      { name: "rejects", find: () => Promise.reject(new Error("It was refused.")) },
      { name: "hangs", find: () => new Promise(() => {}) },
    ];
    const { issues, debug } = listOf([...broken, issue("last")], { checkMs: 10 });
    await issues.check();
    should(ids(issues)).deepEqual(["last:case:node"]);
    should(debug.map((text) => /"(\w+)" was skipped/.exec(text)?.[1])).deepEqual([
      ...["throws", "rejects", "hangs"],
    ]);
  });

  it("has errors first, and ignored ones last", async () => {
    const { issues } = listOf([issue("a", "warning"), issue("b"), issue("c")]);
    await issues.check();
    should(ids(issues)).deepEqual(["b:case:node", "c:case:node", "a:case:node"]);
    await issues.ignore("b:case:node", true);
    should(ids(issues)).deepEqual(["c:case:node", "a:case:node", "b:case:node"]);
  });

  it("keeps an issue ignored that somebody ignores during a run", async () => {
    const { promise: isOver, resolve: end } = Promise.withResolvers<Finding[]>();
    const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
    let runs = 0;
    const slow: Check = {
      name: "slow",
      find: () => {
        runs += 1;
        if (runs === 1) return [];
        begin();
        return isOver;
      },
    };
    const { issues } = listOf([issue("a"), slow]);
    await issues.check();
    const second = issues.check();
    await hasBegun;
    await issues.ignore("a:case:node", true);
    end([]);
    await second;
    should(issues.all()[0]?.isIgnored).be.true();
  });

  it("changes its revision only when an issue does", async () => {
    const { issues } = listOf([issue("a")]);
    await issues.check();
    const { revision } = issues;
    await issues.check();
    should(issues.revision).equal(revision);
    await issues.ignore("a:case:node", true);
    should(issues.revision).be.above(revision);
  });

  it("runs once at a time, and asks the service only on demand", async () => {
    let [running, most, runs, asked] = [0, 0, 0, 0];
    const slow: Check = {
      name: "slow",
      find: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        runs += 1;
        return [];
      },
    };
    const ask = async () => {
      asked += 1;
    };
    const { issues } = listOf([slow], { ask });
    await issues.check();
    should(asked).equal(0);
    await Promise.all([issues.check(), issues.check(), issues.run(), issues.check()]);
    should({ most, asked }).deepEqual({ most: 1, asked: 1 });
    should(runs).be.belowOrEqual(3);
  });

  it("asks for who may write, also in a run that follows on what a user did who may only read", async () => {
    const asked: boolean[] = [];
    const ask = async () => {
      asked.push(isForReadOnlyUser());
    };
    const { issues } = listOf([issue("a")], { ask });
    const after = asReadOnlyUser(() => issues.check());
    await Promise.all([after, issues.run()]);
    should(asked).deepEqual([false]);
  });

  it("remembers what is ignored, in a file that it replaces, of a limited size", async () => {
    const { issues } = listOf([issue("a")]);
    for (let number = 0; number < 505; number += 1) void issues.ignore(`old-${number}`, true);
    await issues.ignore("a:case:node", true);
    const again = listOf([issue("a")]).issues;
    await again.check();
    should(again.all()[0]?.isIgnored).be.true();
    const stored = JSON.parse(await readFile(join(userDir, "crec-monitor/ignored-issues.json"), "utf8"));
    should(stored).have.length(500);
    should(stored.at(-1)).equal("a:case:node");
  });
});
