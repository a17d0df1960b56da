import { readFileSync } from "node:fs";
import should from "should";
import { select, usesBrowser } from "../../scripts/test/selection.mjs";

describe("npm test -- <file or folder>", () => {
  const chosen = (...paths: string[]) => {
    const { unit, browser, process, alone } = select(paths);
    return [...unit, ...browser, ...process, ...alone];
  };

  it("runs a test file, or all in a folder", () => {
    should(chosen("test/http/retry.test.ts")).eql(["test/http/retry.test.ts"]);
    should(chosen("test/signing").length).be.above(2);
    should(chosen("test/signing").every((file) => file.startsWith("test/signing/"))).be.true();
    should(chosen("test/signing/", "test/signing/rsa.test.ts")).eql(chosen("test/signing"));
  });

  it("runs what has the name of a node or imports its files, and nothing of another", () => {
    const files = chosen("nodes/events-in");
    should(files).containDeep(["test/nodes/events-in.test.ts", "test/nodes/events-in-panel.test.ts"]);
    should(files.filter((file) => /\/(?:account|search-events|manage)/.test(file))).be.empty();
    should(files.length).be.below(20);
    should(chosen("nodes/ack/ack.ts")).eql(["test/nodes/ack.test.ts"]);
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

  it("runs everything but the soak tests without a name, those of the service too", () => {
    const { unit, browser, process, alone, isAll } = select([]);
    const all = [...unit, ...browser, ...process, ...alone];
    should(isAll).be.true();
    should(all.length).be.above(130);
    should(new Set(all).size).equal(all.length);
    should(all).containDeep([
      "service/test/store.test.ts",
      "test/json.test.ts",
      "test/consumer/kill.test.ts",
    ]);
    should(all.filter((file) => file.includes("soak"))).be.empty();
    should(alone).eql(["test/fleet/faults/postgres.test.ts", "test/fleet/faults/redis.test.ts"]);
    should(browser.length).be.above(8);
    should(all.filter(usesBrowser)).eql(browser);
    should(select([], { drivesProcesses: true })).have.properties({
      ...{ unit: [], browser, process, alone, isAll: false },
    });
  });

  it("leaves out what only has variants, which test:variants runs with all that have some", () => {
    const filesOf = ({ unit, browser, process, alone }: ReturnType<typeof select>) =>
      [unit, browser, process, alone].flat();
    const [first, variants] = [filesOf(select([])), filesOf(select([], { variants: true }))];
    should(first).not.containEql("test/launcher/dev.test.ts");
    should(first).containEql("test/fleet/faults/redis.test.ts");
    should(variants).containDeep(["test/launcher/dev.test.ts", "test/fleet/faults/redis.test.ts"]);
    should(variants).not.containEql("test/json.test.ts");
    should(select([], { variants: true }).isAll).be.false();
    should(chosen("test/launcher/dev.test.ts")).eql(["test/launcher/dev.test.ts"]);
  });

  it("starts with the longest, and its list names no file that is gone", () => {
    const order: string[] = JSON.parse(
      readFileSync(new URL("../../scripts/test/longest-first.json", import.meta.url), "utf8"),
    );
    const { browser, process } = select([]);
    const variants = select([], { variants: true });
    should(order.filter((file) => ![...browser, ...process].includes(file))).matchEach((file: string) =>
      should(variants.process).containEql(file),
    );
    const named = [browser, process].map((files) => order.filter((file) => files.includes(file)));
    should([browser.slice(0, named[0]?.length), process.slice(0, named[1]?.length)]).eql(named);
  });

  it("says what to name instead of what is not there or has no tests", () => {
    should(() => select(["nodes/nothing"])).throw(/There is no nodes\/nothing: name a file or folder/);
    should(() => select(["../elsewhere"])).throw(/There is no/);
    should(() => select(["LICENSE"])).throw(/No test belongs to LICENSE: name/);
  });
});
