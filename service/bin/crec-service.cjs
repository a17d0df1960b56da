#!/usr/bin/env node
// The command of the package. It runs on any Node.js, to say which one is needed before it loads anything else: so it
// has only what old versions can read.
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

/** Node.js 22 warns of its SQLite at each start. The service uses what did not change since. */
function withoutWarningOfSqlite() {
  var emitWarning = process.emitWarning;
  process.emitWarning = function (warning) {
    // biome-ignore lint/complexity/noArguments: an old Node.js could not read a rest parameter.
    if (!/^SQLite is an experimental feature/.test(String(warning))) emitWarning.apply(process, arguments);
  };
}

/** A launcher may be gone before the service is loaded, which then ends with it in order. */
function endWithLauncher() {
  if (!process.channel) return;
  process.once("disconnect", process.exit);
  process.channel.unref();
}

function refuse() {
  var message =
    "The local service needs Node.js " +
    needed +
    " or newer; this is " +
    process.versions.node +
    ". Install a newer one from https://nodejs.org, then try again. Your Node-RED can stay on the Node.js that it has.";
  process.stderr.write(message.concat("\n"));
  // To `start` of this package.
  if (process.send) process.send({ problem: { code: "NODE_TOO_OLD", message: message } });
  process.exitCode = 1;
}

if (isOlder(process.versions.node, needed)) {
  refuse();
} else {
  endWithLauncher();
  withoutWarningOfSqlite();
  import("../dist/cli.js");
}
