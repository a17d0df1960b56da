// The settings of `npm start`, with one context store in memory and one in files.
"use strict";

const settings = require("../../scripts/node-red-settings.cjs");

settings.contextStorage = {
  default: "quick",
  quick: { module: "memory" },
  // Flushed more often than Node-RED would, so that a test need not wait for it.
  lasting: { module: "localfilesystem", config: { flushInterval: 1 } },
};

module.exports = settings;
