// The settings of `npm start`, for tests that read what nodes report (GET /test/activity), or that report in their place:
// a function node calls `global.get("report")`.
"use strict";

const settings = require("../../scripts/node-red-settings.cjs");

const ACTIVITY = Symbol.for("node-red-crec.activity");
const PARTS = ["connections", "readers", "events", "underWay", "ended", "watchers", "wallets"];

/** Of nodes that report when they are asked, by section and key. */
const sources = new Map();

/** @param {{ section?: string, key?: string, report?: object, fact?: object }} told */
function report({ section, key, report: reported, fact }) {
  const activity = globalThis[ACTIVITY];
  if (fact) activity.note(fact);
  if (!section) return;
  const name = `${section} ${key}`;
  if (!sources.has(name)) activity[section].add(() => sources.get(name));
  sources.set(name, reported);
}

settings.functionGlobalContext = { report };
// The sidebar must not need Node-RED's heartbeat, which otherwise comes after 15 s.
settings.webSocketKeepAliveTime = 3_600_000;
settings.httpAdminMiddleware = (request, response, next) => {
  if (request.path !== "/test/activity") return next();
  const activity = globalThis[ACTIVITY];
  const reportsOf = (part) => (part.reports ? part.reports() : part.all());
  return response.json(Object.fromEntries(PARTS.map((name) => [name, reportsOf(activity[name])])));
};

module.exports = settings;
