// Sends odd messages into a node, as another node would, and reports what became of them: POST /faults/send.

const { setImmediate: turn } = require("node:timers/promises");
const { setTimeout: sleep } = require("node:timers/promises");
const v8 = require("node:v8");
const vm = require("node:vm");
const { messagesOf } = require("./odd-values.js");

v8.setFlagsFromString("--expose-gc");
const collectGarbage = vm.runInNewContext("gc");

/** So many messages are under way at a time. */
const AT_ONCE = 32;
/** When no message has ended for so long, those that are under way count as lost. */
const END_MS = 60_000;

/** While nothing more is sent: to look all the time would take the processor from what is awaited. */
const pause = () => sleep(2);

/** @param {import("node-red").NodeAPI} RED */
module.exports = (RED) => {
  function HostileSender(definition) {
    RED.nodes.createNode(this, definition);
  }
  RED.nodes.registerType("hostile-sender", HostileSender);

  const unhandled = [];
  process.on("unhandledRejection", (reason) => unhandled.push(`${reason?.stack ?? reason}`));
  /** How often each message ended. */
  const ended = new WeakMap();
  let underWay = 0;
  let lastEnd = 0;
  const isMoving = () => Date.now() - lastEnd < END_MS;
  RED.hooks.add("onComplete.hostile", ({ msg }) => {
    if (!ended.has(msg)) return;
    if (ended.get(msg) === 0) underWay -= 1;
    ended.set(msg, ended.get(msg) + 1);
    lastEnd = Date.now();
  });

  RED.httpAdmin.post("/faults/send", async (request, response) => {
    try {
      response.json(await send(request.body));
    } catch (error) {
      response.status(500).json({ error: String(error?.stack ?? error) });
    }
  });

  async function send({ id, seed, count, sample }) {
    const node = RED.nodes.getNode(id);
    const next = messagesOf(seed, sample);
    const sent = [];
    let longestMs = 0;
    let longestAt = -1;
    const passTurn = async (pass = turn) => {
      const before = process.threadCpuUsage();
      await pass();
      const { user, system } = process.threadCpuUsage(before);
      const tookMs = (user + system) / 1000;
      if (tookMs > longestMs) [longestMs, longestAt] = [tookMs, sent.length - 1];
    };
    collectGarbage();
    const heapBefore = process.memoryUsage().heapUsed;
    lastEnd = Date.now();
    const thrown = [];
    for (let index = 0; index < count; index += 1) {
      const message = next();
      ended.set(message, 0);
      underWay += 1;
      sent.push(message);
      try {
        // Not receive(), which gives each message an id: other nodes can send one that is frozen, or odd.
        node.emit("input", message);
      } catch (error) {
        thrown.push(`${index}: ${error?.stack ?? error}`);
      }
      await passTurn();
      while (underWay >= AT_ONCE && isMoving()) await passTurn(pause);
    }
    while (underWay > 0 && isMoving()) await passTurn(pause);
    // What ends twice may do so a little later.
    for (let left = 20; left > 0; left -= 1) await passTurn();
    const notOnce = sent.flatMap((message, index) =>
      ended.get(message) === 1 ? [] : [{ index, times: ended.get(message) }],
    );
    underWay = 0;
    sent.length = 0;
    for (let left = 5; left > 0; left -= 1) {
      await turn();
      collectGarbage();
    }
    const heapMb = (process.memoryUsage().heapUsed - heapBefore) / 1e6;
    const polluted = {}.polluted !== undefined;
    return {
      notOnce: notOnce.slice(0, 10),
      lost: notOnce.length,
      thrown: thrown.slice(0, 5),
      longestMs,
      longestAt,
      heapMb,
      polluted,
      unhandled: unhandled.splice(0).slice(0, 5),
    };
  }
};
