import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { NodeAPI } from "node-red";
import should from "should";
import {
  fileClaims,
  memoryClaims,
  removeOldClaims,
  type SigningClaims,
  sharedClaims,
} from "../../../nodes/common/signing/claims.ts";
import { MemorySharedState } from "../../../src/index.ts";

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

/** Who claims a key first decides for which digest everybody asks. */
describe("the claim of what is being signed", () => {
  let folder: string;
  let RED: NodeAPI;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-claims-"));
    RED = { settings: { userDir: folder } } as NodeAPI;
  });

  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const inFiles = () => fileClaims(RED);
  const shared = new MemorySharedState();
  const inMemory = memoryClaims();
  let number = 0;

  for (const [where, open] of [
    ["a state folder", inFiles],
    ["a shared state", () => sharedClaims(shared)],
    ["memory", () => inMemory],
  ] as ReadonlyArray<[string, () => SigningClaims]>) {
    describe(`in ${where}`, () => {
      const newId = () => String(++number);

      it("is that of the first, also of many at once", async () => {
        const id = newId();
        const mine = Array.from({ length: 20 }, (_, index) => ({
          digest: `0x${index}`,
          deadline: inSeconds(60 + index),
        }));
        const claimed = await Promise.all(mine.map((claim) => open().claim(id, claim)));
        should(new Set(claimed.map(({ digest }) => digest)).size).equal(1);
        should(claimed.filter((claim, index) => claim === mine[index])).have.length(1);
        should(await open().claim(newId(), { digest: "0xother", deadline: 0 })).have.property(
          "digest",
          "0xother",
        );
      });

      it("ends when it is released, by its digest only", async () => {
        const id = newId();
        await open().claim(id, { digest: "0xa", deadline: 0 });
        await open().release(id, "0xb");
        should((await open().claim(id, { digest: "0xb", deadline: 0 })).digest).equal("0xa");
        await open().release(id, "0xa");
        await open().release(id, "0xa");
        should((await open().claim(id, { digest: "0xb", deadline: 0 })).digest).equal("0xb");
      });

      it("ends with its deadline, and then another is first again", async () => {
        const id = newId();
        await open().claim(id, { digest: "0xold", deadline: inSeconds(-1) });
        const digests = ["0xa", "0xb", "0xc"].map((digest) => ({ digest, deadline: inSeconds(60) }));
        const claimed = await Promise.all(digests.map((claim) => open().claim(id, claim)));
        should(new Set(claimed.map(({ digest }) => digest)).size).equal(1);
        should(claimed[0]?.digest).not.equal("0xold");
      });
    });
  }

  it("that a crash left half written, or that is over since long, is replaced or removed", async () => {
    const names = () => readdir(join(folder, "crec-signing"));
    const old = inSeconds(-31 * 86_400);
    for (const [name, text] of [
      ["half", '{"version":1'],
      ["left.tmp", "{}"],
      ["over", JSON.stringify({ digest: "0xa", deadline: inSeconds(-90_000) })],
      ["endless", JSON.stringify({ digest: "0xa", deadline: 0 })],
    ] as const) {
      const path = join(folder, "crec-signing", name, "1.json");
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      if (name === "half") continue;
      await utimes(path, old, old);
      await utimes(dirname(path), old, old);
    }
    should((await inFiles().claim("half", { digest: "0xb", deadline: 0 })).digest).equal("0xb");
    await removeOldClaims(RED);
    should((await names()).filter((name) => /left|over|endless/.test(name))).be.empty();
    should(await names()).containEql("half");
  });
});
