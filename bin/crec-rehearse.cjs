#!/usr/bin/env node
// The command that rehearses a flow. It runs on any Node.js, to say which one is needed before it loads anything else:
// so it has only what old versions can read.
"use strict";

var needed = require("../package.json").engines.node.replace(/^>=/, "");

/** @param {string} version @param {string} other */
function isOlder(version, other) {
  var have = version.split(".").map(Number);
  var need = other.split(".").map(Number);
  var part;
  for (part = 0; part < 3; part += 1) {
    if (have[part] !== need[part]) return have[part] < need[part];
  }
  return false;
}

if (isOlder(process.versions.node, needed)) {
  process.stderr.write(
    "crec-rehearse needs Node.js " +
      needed +
      " or newer; this is " +
      process.versions.node +
      ". Install a newer one from https://nodejs.org, then try again.\n",
  );
  process.exitCode = 2;
} else {
  require("../dist/run-time.js")
    ["rehearsal/cli"](process.argv.slice(2), `${__dirname}/..`)
    .then((/** @type {number} */ code) => {
      process.exitCode = code;
    });
}
