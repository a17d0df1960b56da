// The settings of `npm start`, with the nodes of an earlier version: CREC_OLDER is the folder of that package.
"use strict";

const settings = require("../../../scripts/node-red-settings.cjs");

settings.nodesDir = [process.env.CREC_OLDER];

module.exports = settings;
