// The planted fault: a node that shows what it was told, without a mask, in each place where a node can show something.

const { writeFileSync } = require("node:fs");
const { join } = require("node:path");

/** @param {import("node-red").NodeAPI} RED */
module.exports = (RED) => {
  function Leaking(definition) {
    RED.nodes.createNode(this, definition);
    this.on("input", ({ place, node: id, field, payload }, _send, done) => {
      const stored = RED.nodes.getNode(id)?.credentials?.[field];
      const text = String(payload ?? stored);
      if (place === "log") this.warn(text);
      if (place === "status") this.status({ text });
      if (place === "context") this.context().flow.set("leaked", text);
      if (place === "file") writeFileSync(join(RED.settings.userDir, "leaked.txt"), text);
      if (place === "error") return done(new Error(text));
      done();
    });
  }
  RED.nodes.registerType("leaking", Leaking);
};
