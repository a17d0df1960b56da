// What grows where something leaks: GET /soak/vitals.

const { readdirSync } = require("node:fs");
const { join } = require("node:path");
const { setImmediate: turn } = require("node:timers/promises");
const v8 = require("node:v8");
const vm = require("node:vm");

v8.setFlagsFromString("--expose-gc");
const collectGarbage = vm.runInNewContext("gc");

/** @param {import("node-red").NodeAPI} RED */
module.exports = (RED) => {
  function Vitals(definition) {
    RED.nodes.createNode(this, definition);
  }
  RED.nodes.registerType("vitals", Vitals);

  RED.httpAdmin.get("/soak/vitals", async (_request, response) => {
    for (let left = 4; left > 0; left -= 1) {
      await turn();
      collectGarbage();
    }
    const listeners = [process, RED.events].flatMap((emitter) =>
      emitter.eventNames().map((name) => emitter.listenerCount(name)),
    );
    response.json({
      heapMb: process.memoryUsage().heapUsed / 1e6,
      handles: process.getActiveResourcesInfo().length,
      listeners: listeners.reduce((sum, count) => sum + count, 0),
      openFiles: openFiles(),
      stateFiles: filesIn(RED.settings.userDir),
    });
  });
};

/** Sockets are among them. */
function openFiles() {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}

/** In the folders of the nodes. */
function filesIn(userDir) {
  return readdirSync(userDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith("crec-"))
    .flatMap((entry) => readdirSync(join(userDir, entry.name), { recursive: true })).length;
}
