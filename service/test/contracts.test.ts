import { readdir, readFile } from "node:fs/promises";
import should from "should";

const folder = new URL("../contracts/artifacts/", import.meta.url);

describe("the compiled contracts", function () {
  this.timeout(120_000);

  it("match their sources", async () => {
    // The compiler is large, and plain JavaScript: loaded here only.
    const { artifactText, compileContracts } = (await import(
      new URL("../scripts/compile-contracts.mjs", import.meta.url).href
    )) as {
      compileContracts(): Promise<Record<string, unknown>>;
      artifactText(artifact: unknown): string;
    };
    const compiled = await compileContracts();
    should((await readdir(folder)).sort()).eql(
      Object.keys(compiled)
        .map((name) => `${name}.json`)
        .sort(),
    );
    for (const [name, artifact] of Object.entries(compiled)) {
      const committed = await readFile(new URL(`${name}.json`, folder), "utf8");
      should(committed === artifactText(artifact)).be.true(
        `${name}.json is not what ${name}.sol compiles to`,
      );
    }
  });
});
