// The settings of `npm start`, with the node that reports what grows.
"use strict";

const { join } = require("node:path");
const settings = require("../../scripts/node-red-settings.cjs");

settings.nodesDir = [...settings.nodesDir, join(__dirname, "vitals-nodes")];

module.exports = settings;
