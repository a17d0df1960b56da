import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { listAbis, readAbi } from "../../src/abi/index.ts";
import { compareSource } from "./abi-corpus/against-source.ts";
import { type Counts, compareItem, textOf } from "./abi-corpus/against-viem.ts";
import { type Artifact, artifactsOf } from "./abi-corpus/artifacts.ts";
import { fetchPackages, type Package } from "./abi-corpus/packages.ts";
import { Sources } from "./abi-corpus/sources.ts";

/** Of the random values: printed, so that a run can be repeated. */
const SEED = Number(process.env.SOAK_SEED ?? Date.now() % 2 ** 31);
const DRAWS = Number(process.env.SOAK_DRAWS ?? 5);
/** A folder that keeps the packages for the next run. */
const KEPT = process.env.SOAK_PACKAGES;

/** The JSON is that of another contract of the same name, which is not among the sources. */
const OF_ANOTHER = new Set(["@thirdweb-dev/contracts EIP712"]);

describe("the ABIs that packages of well known contracts ship", function () {
  this.timeout(60 * 60_000);

  let folder = "";
  let packages: Package[] = [];
  let artifacts: Artifact[] = [];
  before(async () => {
    folder = KEPT ?? (await mkdtemp(join(tmpdir(), "crec-abi-corpus-")));
    packages = await fetchPackages(folder);
    artifacts = (await Promise.all(packages.map(artifactsOf))).flat();
    should(artifacts.length).be.above(2_000);
  });
  after(async () => {
    if (KEPT === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  it("are read whole, and encoded and decoded as viem does", () => {
    const counts: Counts = { items: 0, encodings: 0, results: 0, logs: 0, reverts: 0 };
    const [wrong, seen]: [string[], Set<string>] = [[], new Set()];
    let written = 0;
    for (const { of, file, text, abi } of artifacts) {
      const at = `${of.name} ${file}`;
      const read = readAbi(abi);
      const [only, ...others] = listAbis(text);
      should([only?.abi, others]).deepEqual([read.abi, []], at);
      wrong.push(...read.unusable.map(({ message }) => `${at}: ${message}`));
      const items = abi.filter(({ type = "function" }) => /^(?:function|event|error)$/.test(type));
      written += items.length;
      should(read.abi.map(({ type, name }) => `${type} ${name}`)).deepEqual(
        items.map(({ type = "function", name }) => `${type} ${name}`),
        at,
      );
      for (const item of read.abi) {
        if (seen.has(textOf(item))) continue;
        seen.add(textOf(item));
        try {
          compareItem(item, read.abi, { seed: SEED, numRuns: DRAWS }, counts);
        } catch (error) {
          wrong.push(`${at}: ${textOf(item)}: ${(error as Error).message}`);
        }
      }
    }
    process.stdout.write(
      `    ${JSON.stringify({ seed: SEED, contracts: artifacts.length, written, ...counts, wrong: wrong.length })}\n`,
    );
    should(wrong).be.empty();
  });

  for (const how of ["alone", "whole"] as const) {
    it(`are those of their Solidity sources, ${how === "alone" ? "file by file" : "with all that they import"}`, async () => {
      const sources = new Sources(packages);
      const counts = { contracts: 0, libraries: 0, others: 0, same: 0, refused: 0, unused: 0 };
      const wrong: string[] = [];
      for (const artifact of artifacts) {
        const { of, contract, abi } = artifact;
        const source = await sources.of(artifact);
        if (source === undefined || OF_ANOTHER.has(`${of.name} ${contract}`)) continue;
        // It is part of the contracts that use it, and no ABI of its own.
        if (source.kind === "library") {
          counts.libraries += 1;
          continue;
        }
        const compared = compareSource(source[how], contract, readAbi(abi).abi);
        counts.contracts += 1;
        for (const key of ["same", "refused", "unused"] as const) counts[key] += compared[key];
        if (compared.isOther) counts.others += 1;
        wrong.push(...compared.wrong.map((one) => `${of.name} ${source.file} ${contract}: ${one}`));
        // One that is deployed is shown, unless another one in the text inherits from it.
        if (compared.isOther && source.kind === "contract" && !source.isInherited[how])
          wrong.push(`${of.name} ${source.file} ${contract} is not among the contracts of its source`);
      }
      process.stdout.write(`    ${JSON.stringify({ ...counts, wrong: wrong.length })}\n`);
      should(wrong).be.empty();
      should(counts.same).be.above(how === "alone" ? 10_000 : 28_000);
    });
  }
});
