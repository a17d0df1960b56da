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
  /** What is known of a message for as long as anybody has it. Kept by the sender, 10,000 of them take 3 GB. */
  const known = new WeakMap();
  const underWay = new Set();
  let endedTwice = [];
  let lastEnd = 0;
  RED.hooks.add("onComplete.hostile", ({ msg }) => {
    const about = known.get(msg);
    if (about === undefined) return;
    if (!underWay.delete(about)) endedTwice.push(about.index);
    lastEnd = Date.now();
  });

  RED.httpAdmin.post("/faults/send", async (request, response) => {
    try {
      response.json(await send(request.body));
    } catch (error) {
      response.status(500).json({ error: String(error?.stack ?? error) });
    }
  });

  async function send({ id, seed, count, sample, endMs = END_MS }) {
    const isMoving = () => Date.now() - lastEnd < endMs;
    const node = RED.nodes.getNode(id);
    const next = messagesOf(seed, sample);
    let longestMs = 0;
    let longestAt = -1;
    const timed = async (index, pass) => {
      const before = process.threadCpuUsage();
      await pass();
      const { user, system } = process.threadCpuUsage(before);
      const tookMs = (user + system) / 1000;
      if (tookMs > longestMs) [longestMs, longestAt] = [tookMs, index];
    };
    const heapBefore = await heapInUse();
    lastEnd = Date.now();
    const thrown = [];
    // In a function of its own: a variable of the loop would keep the last message.
    const emit = (index) => {
      const message = next();
      const about = { index };
      known.set(message, about);
      underWay.add(about);
      return timed(index, () => {
        try {
          // Not receive(), which gives each message an id: other nodes can send one that is frozen, or odd.
          node.emit("input", message);
        } catch (error) {
          thrown.push(`${index}: ${error?.stack ?? error}`);
        }
        return turn();
      });
    };
    for (let index = 0; index < count; index += 1) {
      await emit(index);
      // biome-ignore lint/plugin: no test waits here, but a sender, whose pauses are timed
      while (underWay.size >= AT_ONCE && isMoving()) await timed(index, pause);
    }
    // biome-ignore lint/plugin: as above
    while (underWay.size > 0 && isMoving()) await timed(count, pause);
    // What ends twice may do so a little later.
    for (let left = 20; left > 0; left -= 1) await timed(count, turn);
    const lost = [...underWay].map(({ index }) => index);
    underWay.clear();
    const twice = endedTwice;
    endedTwice = [];
    return {
      lost: lost.slice(0, 10),
      twice: twice.slice(0, 10),
      thrown: thrown.slice(0, 5),
      longestMs,
      longestAt,
      heapBefore,
      heapAfter: await heapInUse(),
      polluted: {}.polluted !== undefined,
      unhandled: unhandled.splice(0).slice(0, 5),
    };
  }
};

/** In bytes, without what nobody has any more. */
async function heapInUse() {
  for (let left = 2; left > 0; left -= 1) {
    await turn();
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}
