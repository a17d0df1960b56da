// The settings of `npm start`, with what the launcher of FlowFuse adds, as far as nodes can see it. CREC_TEST_REPLICAS
// says how many copies the instance has.
"use strict";

const settings = require("../../scripts/node-red-settings.cjs");

const isMany = Number(process.env.CREC_TEST_REPLICAS) > 1;

settings.disableEditor = false;
settings.flowforge = {
  forgeURL: "https://forge.example",
  teamID: "team",
  projectID: "project",
  launcherVersion: "2.12.0",
  projectLink: { token: "none", broker: {}, ...(isMany && { useSharedSubscriptions: true }) },
};
settings.contextStorage = {
  default: "memory",
  memory: { module: "memory" },
  // FlowFuse has a store of its own here, which outlives a restart, too.
  persistent: { module: "localfilesystem", config: { dir: process.env.CREC_TEST_CONTEXT, flushInterval: 1 } },
};

module.exports = settings;
