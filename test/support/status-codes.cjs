// Node-RED sends the editor no code of a status: it is published beside the text, for tests.
const { createRequire } = require("node:module");
const { isMainThread } = require("node:worker_threads");

// Worker threads load this file too, and have no Node-RED.
if (isMainThread) {
  const { events } = createRequire(process.argv[1])("@node-red/util");
  events.prependListener("node-status", ({ id, status }) => {
    events.emit("comms", { topic: `status-code/${id}`, data: { code: status?.code }, retain: true });
  });
}
