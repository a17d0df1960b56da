// The settings of tests with a key service, with the nodes of a checkout: CREC_CHECKOUT is its folder, built.
"use strict";

const { join } = require("node:path");
const settings = require("../nodes/custody-settings.cjs");

settings.nodesDir = [
  process.env.CREC_CHECKOUT || join(__dirname, "../.."),
  join(__dirname, "../nodes/custody-nodes"),
];
settings.crec = { approveWithoutLogin: true };

module.exports = settings;
