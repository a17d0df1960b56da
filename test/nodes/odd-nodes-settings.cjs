// The settings of `npm start`, with nodes that do not report what they complete.
"use strict";

const { join } = require("node:path");
const settings = require("../../scripts/node-red-settings.cjs");

settings.nodesDir = [...settings.nodesDir, join(__dirname, "odd-nodes")];

module.exports = settings;
