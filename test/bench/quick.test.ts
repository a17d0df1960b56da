import should from "should";
import { BENCHES } from "../../bench/benches.ts";
import { withVariants } from "../support/variants.ts";
import { bench, type Ended } from "./command.ts";

/** What is skipped where a program is missing that npm does not install, or the system tells less. */
const NEEDS = /skipped: needs (?:a C compiler|libsecp256k1 and its headers|Redis or Valkey|Linux)/;

/** They load `dist/`. The service is suspended with "SIGSTOP", which Windows does not have. */
describe("the benchmark", function () {
  this.timeout(180_000);

  /** The two use as much as all the others: by copies of Node-RED, and by many searches. */
  const isLarge = (name: string) => name === "fleet" || name === "service";
  const begun = new Map<string, Promise<Ended>>();
  // They mostly wait, each for its own processes and windows of time.
  before(() => {
    for (const name of Object.keys(BENCHES)) if (!isLarge(name)) begun.set(name, bench([name, "--quick"]));
  });
  after(() => Promise.all(begun.values()));

  for (const [name, { parts }] of Object.entries(BENCHES)) {
    if (isLarge(name) && !withVariants) continue;

    it(`${name} still gives all of its figures`, async () => {
      const { code, out } = await (begun.get(name) ?? bench([name, "--quick"]));
      // The summary of a run has the first line of a message only.
      const problems = out.match(/^The part .*/gm)?.join(" ") ?? "";
      should(code).equal(0, `${problems}\n${out}`.trim());
      should(out).containEql(`\n${name}: each part still gives its figures\n`);
      for (const [title, { figures }] of Object.entries(parts))
        should(out)
          .containEql(`\n${title}, `)
          .and.containEql(`${figures.length} of ${figures.length} figures`);
      const skipped = out.split("\n").filter((line) => line.includes("skipped: needs "));
      should(skipped.filter((line) => !NEEDS.test(line))).be.empty();
    });
  }
});
