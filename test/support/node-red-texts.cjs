// For tests: the code of each status, and an error where a node of ours asks for a text that its catalog lacks.
const { createRequire } = require("node:module");
const { isMainThread } = require("node:worker_threads");

const OURS = /^@crec-nodes\/node-red-crec\/[^:]+:(?<key>.+)$/;

// Worker threads load this file too, and have no Node-RED.
if (isMainThread) {
  const { events, i18n } = createRequire(process.argv[1])("@node-red/util");
  // Node-RED sends the editor no code: it is published beside the text.
  events.prependListener("node-status", ({ id, status }) => {
    events.emit("comms", { topic: `status-code/${id}`, data: { code: status?.code }, retain: true });
  });
  const translate = i18n._;
  i18n._ = (key, ...rest) => {
    const text = translate(key, ...rest);
    const { key: own } = OURS.exec(key)?.groups ?? {};
    if (own !== undefined && text === own) throw new Error(`There is no text ${key}.`);
    return text;
  };
}
