import { once } from "node:events";
import * as files from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { type Files, removeLeftovers } from "../../src/storage/durable-files.ts";

const leftover = (at: number) =>
  `.cursor.${`${at}`.repeat(8)}-0000-4000-8000-000000000000.00000000-0000-4000-8000-00000000000${at}.tmp`;

describe("temporary files that a killed process left", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await files.mkdtemp(join(tmpdir(), "crec-leftovers-"));
    for (const name of [leftover(1), leftover(2), leftover(3), "cursor", ".other.tmp"])
      await files.writeFile(join(folder, name), "");
  });

  afterEach(() => files.rm(folder, { recursive: true, force: true }));

  it("are removed, and nothing else", async () => {
    await removeLeftovers(join(folder, "cursor"));
    should((await files.readdir(folder)).sort()).eql([".other.tmp", "cursor"]);
  });

  it("that cannot be removed do not keep the others, and are one warning", async () => {
    const warned = once(process, "warning");
    const stubborn: Files = {
      ...files,
      rm: async (path, options) => {
        if (String(path).includes(leftover(1))) throw new Error("EPERM: operation not permitted");
        await files.rm(path, options);
      },
    };
    const further: Error[] = [];
    const note = (warning: Error) => further.push(warning);
    for (let time = 0; time < 2; time += 1) await removeLeftovers(join(folder, "cursor"), stubborn);
    should((await files.readdir(folder)).sort()).eql([leftover(1), ".other.tmp", "cursor"].sort());
    const [warning] = (await warned) as [Error];
    process.on("warning", note);
    should(warning.name).equal("CrecWarning");
    should(warning.message).containEql("EPERM: operation not permitted").and.containEql(folder);
    await new Promise(setImmediate);
    process.off("warning", note);
    should(further).be.empty();
  });
});
