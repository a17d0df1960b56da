import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { ACCESS_KEY, ecdsaKey, KmsStandIn } from "../support/kms.ts";
import { isTrue, ProgramFolder, type Result, telling } from "../support/program.ts";
import { flowEnvironment, startTestService } from "../support/service.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGE = "@crec-nodes/client";

type Example = { at: string; code: string };

/** The `@example`s of all doc comments of the library, up to the next tag or the comment's end. */
function examples(): Example[] {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).sort();
  return files
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const text = readFileSync(join(root, "src", file), "utf8");
      const found = text.matchAll(/^ *\* @example\n((?: *\*(?! @)(?!\/).*\n)+)/gm);
      return [...found].map(({ index, 1: lines = "" }) => ({
        at: `src/${file}:${text.slice(0, index).split("\n").length}`,
        code: lines.replaceAll(/^ *\* ?/gm, ""),
      }));
    });
}

/** Every name of an entry of the package, as an import wants it. */
function exportedNames(entry: string): string[] {
  const index = readFileSync(join(root, entry), "utf8");
  return [...index.matchAll(/export \{([^}]*)\}/g)].flatMap((match) => match[1]?.match(/(type )?\w+/g) ?? []);
}

function programOf(all: readonly Example[], context: string): string {
  const given = [...context.matchAll(/^export (?:const|function) (?:\{ (?:\w+: )?(\w+) \}|(\w+))/gm)];
  const blocks = all.map(
    ({ at, code }) => `  // ${at}\n  await (async () => {\n${telling(code, at)}  })();\n  done("${at}");`,
  );
  return [
    `import { ${exportedNames("src/index.ts").join(", ")} } from "${PACKAGE}";`,
    `import { ${exportedNames("src/testing/index.ts").join(", ")} } from "${PACKAGE}/testing";`,
    `import { ${given.map((match) => match[1] ?? match[2]).join(", ")} } from "./context.mts";`,
    `import { tell } from "./tell.mts";`,
    `const done = (at: string) => tell(at, "done", "done");`,
    ...["try {", ...blocks, "} finally {", "  await client.close();", "}"],
  ].join("\n");
}

describe("the example in the doc comment", function () {
  this.timeout(120_000);
  const all = examples();

  let service: RunningService;
  let kms: KmsStandIn;
  let folder: ProgramFolder;
  let results: Result[] = [];

  before(async () => {
    const context = readFileSync(join(root, "test/library/example-context.ts"), "utf8");
    service = await startTestService();
    kms = await KmsStandIn.start();
    kms.keys.set("alias/payments", ecdsaKey());
    folder = await ProgramFolder.make({
      "context.mts": context.replace("../../src/index.ts", PACKAGE),
      "program.mts": programOf(all, context),
    });
    should(await folder.check("program.mts")).equal("");
    results = await folder.run("program.mts", {
      ...flowEnvironment(service.ready),
      // As AWS's own tools read it.
      AWS_ENDPOINT_URL_KMS: kms.endpoint,
      AWS_ACCESS_KEY_ID: ACCESS_KEY.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ACCESS_KEY.secretAccessKey,
    });
  });
  after(async () => {
    await folder?.remove();
    await kms?.close();
    await service?.close();
  });

  for (const { at } of all) {
    it(`compiles, runs and comes to what it says: ${at}`, () => {
      const told = results.filter((result) => result.at === at);
      should(told.map(({ actual }) => actual)).containEql('"done"');
      should(told.filter((result) => !isTrue(result))).be.empty();
    });
  }
});
