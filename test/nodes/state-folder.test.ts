import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { NodeAPI } from "node-red";
import should from "should";
import { stateFolder, stateFolderFor } from "../../nodes/common/folder/state-folder.ts";

describe("the state folder", () => {
  let userDir: string;

  beforeEach(async () => {
    userDir = await mkdtemp(join(tmpdir(), "crec-state-"));
  });

  afterEach(async () => {
    delete process.env.CREC_STATE_DIR;
    await rm(userDir, { recursive: true, force: true });
  });

  const RED = (settings: object = {}) => ({ settings: { userDir, ...settings } }) as unknown as NodeAPI;
  /** As the launcher of FlowFuse writes it. */
  const flowforge = { forgeURL: "https://forge.example", projectID: "project", launcherVersion: "2.9.0" };

  it("is the user directory, unless something else is chosen", () => {
    should(stateFolder(RED())).deepEqual({ path: userDir, chosenBy: "default", former: [] });
    should(stateFolderFor(RED(), "cursors")).equal(join(userDir, "crec-cursors"));
    should(stateFolderFor(RED(), "seen")).equal(join(userDir, "crec-seen"));
    should(stateFolderFor(RED(), "waits")).equal(join(userDir, "crec-waits"));
  });

  it("is FlowFuse's storage where there is one", async () => {
    await mkdir(join(userDir, "storage"));
    should(stateFolder(RED({ flowforge }))).deepEqual({
      path: join(userDir, "storage"),
      chosenBy: "flowfuse",
      former: [userDir],
    });
  });

  it("is the user directory on a device of FlowFuse, which has no storage, and elsewhere", async () => {
    should(stateFolder(RED({ flowforge })).chosenBy).equal("default");
    const other = await mkdtemp(join(tmpdir(), "crec-state-"));
    await mkdir(join(other, "storage"));
    should(stateFolder(RED({ userDir: other })).chosenBy).equal("default");
    await rm(other, { recursive: true });
  });

  it("is the one of settings.js, before FlowFuse's", async () => {
    await mkdir(join(userDir, "storage"));
    should(stateFolder(RED({ flowforge, crec: { stateDir: "/var/lib/crec" } }))).deepEqual({
      path: resolve("/var/lib/crec"),
      chosenBy: "settings",
      former: [join(userDir, "storage"), userDir],
    });
  });

  it("is the one of the environment, before all others; a relative path starts at the user directory", () => {
    process.env.CREC_STATE_DIR = "state";
    should(stateFolder(RED({ crec: { stateDir: "other" } }))).deepEqual({
      path: join(userDir, "state"),
      chosenBy: "environment",
      former: [join(userDir, "other"), userDir],
    });
  });

  it("ignores what is empty or no text", () => {
    process.env.CREC_STATE_DIR = " ";
    should(stateFolder(RED({ crec: { stateDir: 7 } })).chosenBy).equal("default");
    should(stateFolder(RED({ crec: "state" })).chosenBy).equal("default");
  });

  it("stays the same while the process runs", async () => {
    should(stateFolder(RED({ flowforge })).chosenBy).equal("default");
    await mkdir(join(userDir, "storage"));
    should(stateFolder(RED({ flowforge })).chosenBy).equal("default");
  });
});
