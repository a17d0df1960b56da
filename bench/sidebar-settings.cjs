// Settings of Node-RED for the benchmark "sidebar": the nodes are real, and their reports are made here.
"use strict";

const settings = require("../scripts/node-red-settings.cjs");

const OPERATIONS = 1_000;
/** So many operations and events change a second, and the numbers of so many readers. */
const CHANGES = 20;
const CHANGING_READERS = 50;
const STATUSES = ["accepted", "sending", "sent", "broadcasting", "confirmed_latest"];
const ORIGIN = { node: "bench", flow: "bench-tab", type: "crec-submit-operation", label: "Pay" };
const CHANNEL = "0f8fad5b-d9cb-469f-a165-70867728950e";
const ADDRESS = `0x${"ab".repeat(20)}`;

const activityOf = () => globalThis[Symbol.for("node-red-crec.activity")];

/** @param {number} index @param {number} round */
function operation(index, round) {
  return {
    ...ORIGIN,
    ...{ key: `${CHANNEL}/${index}`, channelId: CHANNEL, operationId: `operation-${index}` },
    ...{ walletOperationId: String(index).padStart(77, "1"), wallet: ADDRESS, chainSelector: "1" },
    ...{ status: STATUSES[round % STATUSES.length], isProven: round % 2 === 0, outcome: "waiting" },
    ...{ startedAt: 1_780_000_000_000, changedAt: Date.now() },
  };
}

/** @param {number} number */
function event(number) {
  return {
    ...{ ...ORIGIN, type: "watcher.event", number: 1_000_000 + number, offset: number, seenAt: Date.now() },
    ...{ consumer: "bench", channelId: CHANNEL, name: "Transfer", chainSelector: "1", contract: ADDRESS },
    ...{ confidence: "confirmed_latest", proof: "verified", proofMs: 0.4, tokens: { value: String(number) } },
    ...{ isRedelivered: false, isLate: false },
  };
}

function start() {
  const activity = activityOf();
  for (let index = 0; index < OPERATIONS; index += 1) {
    activity.note({ kind: "operation", operation: operation(index, 0), before: undefined });
  }
  let count = 0;
  setInterval(() => {
    count += 1;
    activity.note({ kind: "operation", operation: operation(count % OPERATIONS, count), before: undefined });
    activity.note({ kind: "event", event: event(count) });
  }, 1_000 / CHANGES);
  const reports = activity.readers.reports.bind(activity.readers);
  let sample = 0;
  activity.readers.reports = () => {
    sample += 1;
    const isChanging = (/** @type {number} */ index) => index < CHANGING_READERS;
    return reports().map((/** @type {object} */ report, /** @type {number} */ index) =>
      isChanging(index) ? { ...report, position: sample, delivered: sample, behindMs: sample * 100 } : report,
    );
  };
}

settings.httpAdminMiddleware = (request, response, next) => {
  if (request.path === "/bench/start") {
    start();
    return response.json({});
  }
  if (request.path === "/bench/readers") {
    return response.json(
      activityOf()
        .readers.reports()
        .map((/** @type {{ state: string }} */ { state }) => state),
    );
  }
  // Of the main thread alone, in microseconds.
  if (request.path === "/bench/processor") return response.json(process.threadCpuUsage());
  return next();
};

module.exports = settings;
