/** How long both take. */
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
  RED.nodes.registerType("odd-silent", Silent);
  RED.nodes.registerType("odd-throws", Throws);
};
