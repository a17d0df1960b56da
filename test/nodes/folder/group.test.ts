import fs, { mkdtempSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import should from "should";
import { shareAll } from "../../../nodes/common/folder/group.ts";

describe("files that are given to the group of a state folder", () => {
  let root: string;

  beforeEach(function () {
    // Elsewhere, what is open has no path of its own.
    if (process.platform !== "linux") this.skip();
    root = mkdtempSync(join(tmpdir(), "crec-group-"));
  });
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    if (root) rmSync(root, { recursive: true, force: true });
  });

  const folderWith = (name: string) => {
    const folder = join(root, name);
    fs.mkdirSync(folder);
    fs.writeFileSync(join(folder, "file.json"), "", { mode: 0o600 });
    return folder;
  };
  const modeOf = (folder: string) => (fs.statSync(join(folder, "file.json")).mode & 0o777).toString(8);

  it("are those of the folder, also where another of the group puts a link in its place meanwhile", () => {
    const [state, moved, others] = [folderWith("state"), join(root, "moved"), folderWith("others")];
    const { readdirSync } = fs;
    const swapped = (path: string) => {
      fs.renameSync(state, moved);
      fs.symlinkSync(others, state);
      return readdirSync(path);
    };
    mock.method(fs, "readdirSync", swapped as unknown as typeof readdirSync);
    syncBuiltinESMExports();
    shareAll(state, { id: process.getegid?.() ?? 0, setgid: 0 });
    should(fs.lstatSync(state).isSymbolicLink()).be.true();
    should(modeOf(others)).equal("600");
    should(modeOf(moved)).equal("660");
  });
});
