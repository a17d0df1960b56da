import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { lossIn, stateLost } from "../../../plugins/monitor/issues/checks/kept-state.ts";
import { foundIn, node, TAB } from "./scene.ts";

const ROOT = "27 1 0:30 / / rw,relatime - overlay overlay rw,lowerdir=/l";
const VOLUME = "40 27 254:1 / /data rw,relatime - ext4 /dev/vdb rw";
const SPACED = "41 27 254:1 / /my\\040data rw,relatime - ext4 /dev/vdb rw";
const IN_MEMORY = "42 27 0:45 / /data/cache rw,nosuid shared:9 - tmpfs tmpfs rw,size=64k";
const MOUNTS = [ROOT, VOLUME, SPACED, IN_MEMORY].join("\n");

describe("the check for state that a restart loses", () => {
  it("knows what is in a container, on a volume and in memory", () => {
    const isContainer = true;
    should(lossIn(MOUNTS, { path: "/usr/src/node-red", isContainer })).equal("container");
    should(lossIn(MOUNTS, { path: "/data", isContainer })).be.undefined();
    should(lossIn(MOUNTS, { path: "/data/crec", isContainer })).be.undefined();
    should(lossIn(MOUNTS, { path: "/database", isContainer })).equal("container");
    should(lossIn(MOUNTS, { path: "/my data/crec", isContainer })).be.undefined();
    should(lossIn(MOUNTS, { path: "/data/cache/crec", isContainer })).equal("memory");
  });

  it("takes layers as lasting outside of a container, as devices have them", () => {
    should(lossIn(MOUNTS, { path: "/home/pi/.node-red", isContainer: false })).be.undefined();
    should(lossIn("", { path: "/home", isContainer: true })).be.undefined();
  });

  describe("in context stores and folders", () => {
    let userDir: string;
    before(async () => {
      userDir = await mkdtemp(join(tmpdir(), "crec-state-"));
    });
    after(() => rm(userDir, { recursive: true }));

    const findWith = (store: string, contextStorage?: object) =>
      foundIn(stateLost, {
        nodes: [TAB, node("crec-events-in", "events", { store })],
        settings: { userDir, ...(contextStorage ? { contextStorage } : {}) },
      });

    it("finds a cursor in a store that is only in memory", async () => {
      const stores = { default: "ram", ram: { module: "memory" }, disk: { module: "localfilesystem" } };
      should(await findWith("ram", stores)).deepEqual(["memory-store events"]);
      should(await findWith("default", stores)).deepEqual(["memory-store events"]);
      should(await findWith("default")).deepEqual(["memory-store events"]);
      should(await findWith("disk", stores)).be.empty();
    });

    it("finds a state folder in memory, once for all nodes", async function () {
      const folder = await mkdtemp("/dev/shm/crec-state-").catch(() => this.skip());
      try {
        const nodes = [TAB, node("crec-events-in", "b"), node("crec-alert", "a")];
        should(await foundIn(stateLost, { nodes, settings: { userDir: folder } })).deepEqual(["memory a"]);
        const without = [TAB, node("crec-verify-event", "verify"), node("debug", "debug")];
        should(await foundIn(stateLost, { nodes: without, settings: { userDir: folder } })).be.empty();
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  });
});
