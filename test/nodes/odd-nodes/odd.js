const { appendFileSync } = require("node:fs");

/** How long the silent node takes. */
const SLOW_MS = 300;

/** @param {import("node-red").NodeAPI} RED */
module.exports = (RED) => {
  /** As nodes were written before there was `done`: nobody learns when it has finished. */
  function Silent(/** @type {import("node-red").NodeDef} */ def) {
    RED.nodes.createNode(this, def);
    this.on("input", (msg, send) => {
      setTimeout(() => send(msg), SLOW_MS);
    });
  }
  /** Takes `done`, and throws instead of calling it. */
  function Throws(/** @type {import("node-red").NodeDef} */ def) {
    RED.nodes.createNode(this, def);
    this.on("input", (msg, _send, _done) => {
      throw new Error(`Not this one: ${msg._msgid}`);
    });
  }
  /** Adds the offset of each event to a file, before it is done with it. */
  function Records(/** @type {import("node-red").NodeDef & { path: string }} */ def) {
    RED.nodes.createNode(this, def);
    this.on("input", (msg, send, done) => {
      const { offset, redelivered, attempt } = /** @type {{ crec: Record<string, unknown> }} */ (msg).crec;
      appendFileSync(def.path, `${JSON.stringify({ offset, redelivered, attempt })}\n`);
      send(msg);
      done();
    });
  }
  RED.nodes.registerType("odd-silent", Silent);
  RED.nodes.registerType("odd-throws", Throws);
  RED.nodes.registerType("odd-records", Records);
};
