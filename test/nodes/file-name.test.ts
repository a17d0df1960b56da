import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { fileNameOf } from "../../nodes/common/fields/file-name.ts";
import { stateFrom } from "../../src/storage/cursor/cursor-state.ts";
import { FileCursorStore } from "../../src/storage/index.ts";
import { IDENTITY, range } from "../consumer/simulation.ts";

describe("the file of something that a person named", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "names-"));
  });
  after(() => rm(folder, { recursive: true }));

  const names = {
    "Latin letters": "alerts of the boiler room",
    "20 Japanese letters": "警報".repeat(10),
    "30 Cyrillic letters": "тревога".repeat(5).slice(0, 30),
    "60 symbols of four bytes": "🔥".repeat(60),
    "500 letters": "a".repeat(500),
    "a path": "../../etc/passwd",
  };
  for (const [what, name] of Object.entries(names)) {
    it(`is written and found again (${what})`, async () => {
      const path = join(folder, `${fileNameOf(name)}.json`);
      const delivered = range(1, 600).map((offset): [number, string] => [offset, `event-${offset}`]);
      const state = { ...stateFrom(IDENTITY, 601), floor: -1, delivered };
      await new FileCursorStore({ path }).save(state, "now");
      should(await new FileCursorStore({ path }).load()).eql(state);
    });
  }

  it("is in its folder, and another one for each name", async () => {
    should((await readdir(folder)).length).equal(2 * Object.keys(names).length);
    const long = (end: string) => fileNameOf(`${"警報".repeat(50)}${end}`);
    should(long("1")).not.equal(long("2"));
    should(fileNameOf("警報".repeat(11))).equal(encodeURIComponent("警報".repeat(11)));
  });

  it("differs where the system takes capital and small letters for the same", () => {
    for (const platform of ["darwin", "win32"] as const) {
      const files = ["Alerts", "alerts", "ALERTS", "警報"].map((name) =>
        fileNameOf(name, platform).toLowerCase(),
      );
      should(new Set(files).size).equal(files.length);
      should(fileNameOf("alerts", platform)).equal("alerts");
    }
    should(fileNameOf("Alerts", "linux")).equal("Alerts");
  });

  it("is one that Windows allows", () => {
    for (const name of ["con", "NUL.x", "Com1", "a*b?", 'a:b|c<d>e"f', "a\\b", "ends with dots.. "]) {
      // With the endings that files of the nodes have.
      const file = `${fileNameOf(name, "linux")}.json`;
      should(file).not.match(/[<>:"/\\|?*]|^(?:con|prn|aux|nul|com\d|lpt\d)\.|[. ]$/i);
      should(decodeURIComponent(file)).equal(`${name}.json`);
    }
    should(fileNameOf("console")).equal("console");
  });
});
