// The settings of `npm start`, with a node that sends odd messages.
"use strict";

const { join } = require("node:path");
const settings = require("../../scripts/node-red-settings.cjs");

settings.nodesDir = [...settings.nodesDir, join(__dirname, "hostile-nodes")];

module.exports = settings;
