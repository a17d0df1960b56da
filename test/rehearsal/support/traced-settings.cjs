// The settings of `npm start`, for tests that compare what a flow does live with its rehearsal: GET /test/trace says which
// messages moved, by the ids of the nodes. POST starts afresh.
"use strict";

const { hooks } = require("@node-red/util");
const settings = require("../../../scripts/node-red-settings.cjs");

const readers = () => globalThis[Symbol.for("node-red-crec.activity")].readers.reports();
const SINK = /-sink-/;

let trace = empty();

function empty() {
  return { received: {}, wires: {}, left: {}, open: 0, movedAt: performance.now() };
}

/** Nodes in a subflow count under the ids that they have in the flow. */
const idOf = (node) => node._alias ?? node.id;

function count(counts, key) {
  counts[key] = (counts[key] ?? 0) + 1;
  trace.movedAt = performance.now();
}

hooks.add("preDeliver.trace", ({ source, destination }) => {
  if (destination.node) count(trace.wires, `${idOf(source.node)} ${source.port} ${idOf(destination.node)}`);
});
hooks.add("onReceive.trace", ({ msg, destination: { node } }) => {
  const id = idOf(node);
  count(trace.received, id);
  trace.open += 1;
  if (!SINK.test(id)) return;
  trace.left[id] ??= [];
  const { payload, topic, crec } = msg;
  trace.left[id].push(JSON.parse(JSON.stringify({ payload, topic, crec })));
});
hooks.add("onComplete.trace", (_completion) => {
  trace.open -= 1;
  trace.movedAt = performance.now();
});

settings.httpAdminMiddleware = (request, response, next) => {
  if (request.path !== "/test/trace") return next();
  if (request.method === "POST") trace = empty();
  const { movedAt, ...moved } = trace;
  return response.json({ ...moved, quietMs: performance.now() - movedAt, readers: readers() });
};

module.exports = settings;
