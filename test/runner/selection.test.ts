import { readFileSync } from "node:fs";
import should from "should";
import { select, usesBrowser } from "../../scripts/test/selection.mjs";

describe("npm test -- <file or folder>", () => {
  const filesOf = ({ unit, browser, process, alone }: ReturnType<typeof select>) =>
    [unit, browser, process, alone].flat();
  const chosen = (...paths: string[]) => filesOf(select(paths));
  const withWide = (...paths: string[]) => filesOf(select(paths, { withWide: true }));

  it("runs a test file, or all in a folder", () => {
    should(chosen("test/http/retry.test.ts")).eql(["test/http/retry.test.ts"]);
    should(chosen("test/signing").length).be.above(2);
    should(chosen("test/signing").every((file) => file.startsWith("test/signing/"))).be.true();
    should(chosen("test/signing/", "test/signing/rsa.test.ts")).eql(chosen("test/signing"));
  });

  it("runs the core of a folder, all of it with --all, and a wide file that is named", () => {
    const [core, all] = [chosen("test/nodes"), withWide("test/nodes")];
    should(core).containEql("test/nodes/ack.test.ts").and.not.containEql("test/nodes/seen.test.ts");
    should(all).containDeep(["test/nodes/ack.test.ts", "test/nodes/seen.test.ts"]);
    should(core.filter((file) => !all.includes(file))).be.empty();
    should(select(["test/nodes/seen.test.ts"])).containDeep({
      ...{ process: ["test/nodes/seen.test.ts"], hasNamedWide: true, isAll: false },
    });
    should(select(["test/nodes"]).hasNamedWide).be.false();
    should(withWide().length).be.above(filesOf(select([])).length);
    should(() => select(["test/faults"])).throw(
      "All tests of test/faults are wide. Run npm test -- --all test/faults",
    );
    should(withWide("test/faults").length).be.above(2);
  });

  it("runs what has the name of a node or imports its files, and nothing of another", () => {
    const files = withWide("nodes/events-in");
    should(files).containDeep(["test/nodes/events-in.test.ts", "test/nodes/events-in-panel.test.ts"]);
    should(files.filter((file) => /\/(?:account|search-events|manage)/.test(file))).be.empty();
    should(files.length).be.below(20);
    should(chosen("nodes/ack/ack.ts")).eql(["test/nodes/ack.test.ts", "test/nodes/helper/ack.test.ts"]);
  });

  it("runs the tests of an area of src without a build", () => {
    const files = chosen("src/proofs");
    should(files.filter((file) => file.startsWith("test/proofs/")).length).be.above(10);
    should(files.filter((file) => !/^test\/(?:proofs|consumer)\//.test(file))).be.empty();
    should(select(["src/proofs"]).needsBuild).be.false();
    should(select(["nodes/events-in"]).needsBuild).be.true();
  });

  it("runs the tests of the folder above where none belongs to a file", () => {
    should(chosen("src/proofs/unverified-event.ts")).eql(chosen("src/proofs"));
    should(chosen("service/src/oracles/sign.ts").every((file) => file.startsWith("service/test/"))).be.true();
  });

  it("leaves out on Windows what needs signals, unless it is named", () => {
    const { leftOut, process, unit } = select([], { platform: "win32" });
    should(leftOut).containDeep(["service/test/process.test.ts", "test/nodes/folder/folder-lock.test.ts"]);
    should(leftOut).not.containEql("test/runner/windows.test.ts");
    should(leftOut.length).be.below(30);
    should(process.filter((file) => leftOut.includes(file))).be.empty();
    should(unit).eql(select([], { platform: "linux" }).unit);
    should(select([], { platform: "linux" }).leftOut).be.empty();
    should(select(["service/test/process.test.ts"], { platform: "win32" }).process).have.length(1);
  });

  it("runs the core of everything without a name, that of the service too", () => {
    const { unit, browser, process, alone, isAll } = select([]);
    const all = [...unit, ...browser, ...process, ...alone];
    should(isAll).be.true();
    should(all.length).be.above(130);
    should(new Set(all).size).equal(all.length);
    should(all).containDeep([
      "service/test/store.test.ts",
      "test/json.test.ts",
      "test/consumer/poison.test.ts",
    ]);
    should(all.filter((file) => file.includes("soak"))).be.empty();
    should(browser.length).be.above(8);
    should(all.filter(usesBrowser)).eql(browser);
    should(select([], { drivesProcesses: true })).have.properties({
      ...{ unit: [], browser, process, alone, isAll: false },
    });
  });

  it("leaves out what is wide, which test:wide runs with all files that have wide tests", () => {
    const [core, wide] = [filesOf(select([])), filesOf(select([], { tier: "wide" }))];
    should(core).not.containEql("test/fleet/faults/redis.test.ts");
    should(core).containEql("test/nodes/resumed-waits.test.ts");
    should(wide).containDeep(["test/fleet/faults/redis.test.ts", "test/nodes/resumed-waits.test.ts"]);
    should(wide).not.containEql("test/json.test.ts");
    should(select([], { tier: "wide" }).isAll).be.false();
    should(chosen("test/launcher/dev.test.ts")).eql(["test/launcher/dev.test.ts"]);
  });

  it("runs all files that have variants for test:variants", () => {
    const { process, alone, isAll } = select([], { tier: "variants" });
    should(process).containEql("test/e2e/events-in.test.ts").and.not.containEql("test/launcher/dev.test.ts");
    should(alone).eql(["test/fleet/faults/postgres.test.ts", "test/fleet/faults/redis.test.ts"]);
    should(isAll).be.false();
  });

  it("starts with the longest, and its list names no file that is gone", () => {
    const order: string[] = JSON.parse(
      readFileSync(new URL("../../scripts/test/longest-first.json", import.meta.url), "utf8"),
    );
    const runs = (["core", "wide"] as const)
      .map((tier) => select([], { tier }))
      .flatMap(({ browser, process }) => [browser, process]);
    should(order.filter((file) => !runs.flat().includes(file))).be.empty();
    const named = runs.map((files) => order.filter((file) => files.includes(file)));
    should(runs.map((files, index) => files.slice(0, named[index]?.length))).eql(named);
  });

  it("says what to name instead of what is not there or has no tests", () => {
    should(() => select(["nodes/nothing"])).throw(/There is no nodes\/nothing: name a file or folder/);
    should(() => select(["../elsewhere"])).throw(/There is no/);
    should(() => select(["LICENSE"])).throw(/No test belongs to LICENSE: name/);
  });
});
