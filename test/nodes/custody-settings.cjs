// The settings of `npm start`, with a signer whose key is elsewhere.
"use strict";

const { join } = require("node:path");
const settings = require("../../scripts/node-red-settings.cjs");

settings.nodesDir = [...settings.nodesDir, join(__dirname, "custody-nodes")];

module.exports = settings;
