import should from "should";
import { renameOver, renameOverSync } from "../../src/storage/durable-files.ts";

/** A rename that fails with these codes, one call after the other, then succeeds. */
function failing(...codes: string[]) {
  const calls: Array<[string, string]> = [];
  const call = (from: unknown, to: unknown) => {
    calls.push([String(from), String(to)]);
    const code = codes[calls.length - 1];
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
  return { calls, sync: call, async: async (from: unknown, to: unknown) => call(from, to) };
}

const windows = { platform: "win32", pauses: [1, 1, 1] } as const;

describe("renaming a file over another", () => {
  it("tries again on Windows while another program has it open", async () => {
    const files = failing("EPERM", "EBUSY", "EACCES");
    await renameOver("a.tmp", "a", { ...windows, rename: files.async });
    should(files.calls).deepEqual(new Array(4).fill(["a.tmp", "a"]));
    const same = failing("EBUSY", "EPERM");
    renameOverSync("a.tmp", "a", { ...windows, rename: same.sync });
    should(same.calls).have.length(3);
  });

  it("gives up with the reason of the system", async () => {
    const files = failing(...new Array(9).fill("EPERM"));
    await should(renameOver("a.tmp", "a", { ...windows, rename: files.async })).rejectedWith({
      code: "EPERM",
    });
    should(files.calls).have.length(4);
    const same = failing(...new Array(9).fill("EPERM"));
    should(() => renameOverSync("a.tmp", "a", { ...windows, rename: same.sync })).throw({ code: "EPERM" });
  });

  it("does not try again after another error, and not on other systems", async () => {
    const full = failing("ENOSPC");
    await should(renameOver("a.tmp", "a", { ...windows, rename: full.async })).rejectedWith({
      code: "ENOSPC",
    });
    should(full.calls).have.length(1);
    const refused = failing("EPERM");
    await should(renameOver("a.tmp", "a", { platform: "linux", rename: refused.async })).rejectedWith({
      code: "EPERM",
    });
    should(refused.calls).have.length(1);
    const same = failing("EPERM");
    should(() => renameOverSync("a.tmp", "a", { platform: "darwin", rename: same.sync })).throw({
      code: "EPERM",
    });
    should(same.calls).have.length(1);
  });
});
