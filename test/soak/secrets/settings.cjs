// The settings of `npm start`, with the node that leaks what it is told.
"use strict";

const { join } = require("node:path");
const settings = require("../../../scripts/node-red-settings.cjs");

settings.nodesDir = [...settings.nodesDir, join(__dirname, "leaking-nodes")];

module.exports = settings;
