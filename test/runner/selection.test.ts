import { readFileSync } from "node:fs";
import should from "should";
import { select, usesBrowser } from "../../scripts/test/selection.mjs";

describe("npm test -- <file or folder>", () => {
  const filesOf = ({ unit, browser, process, alone }: ReturnType<typeof select>) =>
    [unit, browser, process, alone].flat();
  const chosen = (...paths: string[]) => filesOf(select(paths));
  const withWide = (...paths: string[]) => filesOf(select(paths, { withWide: true }));

  it("runs the core of a file or folder, all of it with --all, and a wide file that is named", () => {
    should(chosen("test/signing/", "test/signing/rsa.test.ts")).eql(chosen("test/signing"));
    const [core, all] = [chosen("test/nodes"), withWide("test/nodes")];
    should(core).containEql("test/nodes/ack.test.ts").and.not.containEql("test/nodes/seen.test.ts");
    should(all).containDeep(["test/nodes/ack.test.ts", "test/nodes/seen.test.ts"]);
    should(core.filter((file) => !all.includes(file))).be.empty();
    should(select(["test/nodes/seen.test.ts"])).containDeep({
      ...{ process: ["test/nodes/seen.test.ts"], hasNamedWide: true, isAll: false },
    });
    should(select(["test/nodes"]).hasNamedWide).be.false();
    should(() => select(["test/faults"])).throw(/Run npm test -- --all test\/faults/);
  });

  it("runs what has the name of a source or imports it, and what belongs to its folder otherwise", () => {
    const files = withWide("nodes/events-in");
    should(files).containDeep(["test/nodes/events-in.test.ts", "test/nodes/events-in-panel.test.ts"]);
    should(files.filter((file) => /\/(?:account|search-events|manage)/.test(file))).be.empty();
    const ofAck = ["ack", "helper/ack", "helper/any-message"].map((name) => `test/nodes/${name}.test.ts`);
    should(chosen("nodes/ack/node.ts")).eql(ofAck);
    const proofs = chosen("src/proofs");
    should(proofs.filter((file) => !/^test\/(?:proofs|consumer)\//.test(file))).be.empty();
    should(chosen("src/proofs/unverified-event.ts")).eql(proofs);
    should(select(["src/proofs"]).needsBuild).be.false();
    should(select(["nodes/events-in"]).needsBuild).be.true();
    should(() => select(["nodes/nothing"])).throw(/There is no nodes\/nothing: name a file or folder/);
    should(() => select(["LICENSE"])).throw(/No test belongs to LICENSE: name/);
  });

  it("leaves out on Windows what needs signals, unless it is named", () => {
    const { leftOut, process, unit } = select([], { platform: "win32" });
    should(leftOut).containDeep(["service/test/process.test.ts", "test/nodes/folder/folder-lock.test.ts"]);
    should(leftOut.length).be.below(30);
    should(process.filter((file) => leftOut.includes(file))).be.empty();
    should(unit).eql(select([], { platform: "linux" }).unit);
    should(select([], { platform: "linux" }).leftOut).be.empty();
    should(select(["service/test/process.test.ts"], { platform: "win32" }).process).have.length(1);
  });

  it("runs each file of the core once without a name, the wide ones and those with variants when asked", () => {
    const [core, wide, variants] = (["core", "wide", "variants"] as const).map((tier) =>
      select([], { tier }),
    );
    should([core?.isAll, wide?.isAll, variants?.isAll]).eql([true, false, false]);
    const all = filesOf(select([]));
    should(new Set(all).size).equal(all.length);
    should(all.length).be.above(130);
    should(all.filter((file) => file.includes("soak"))).be.empty();
    should(all.filter(usesBrowser)).eql(core?.browser);
    should(select([], { drivesProcesses: true }).unit).be.empty();
    should(wide?.process).containEql("test/nodes/resumed-waits.test.ts");
    should(variants?.process).containEql("test/e2e/events-in.test.ts");
    should(variants?.alone).eql(["test/fleet/faults/postgres.test.ts", "test/fleet/faults/redis.test.ts"]);
  });

  it("starts with the longest, and its list names no file that is gone", () => {
    const list = new URL("../../scripts/test/longest-first.json", import.meta.url);
    const order = JSON.parse(readFileSync(list, "utf8")) as string[];
    const runs = (["core", "wide"] as const)
      .map((tier) => select([], { tier }))
      .flatMap(({ browser, process }) => [browser, process]);
    should(order.filter((file) => !runs.flat().includes(file))).be.empty();
    const named = runs.map((files) => order.filter((file) => files.includes(file)));
    should(runs.map((files, index) => files.slice(0, named[index]?.length))).eql(named);
  });
});
