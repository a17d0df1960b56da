// Node-RED's settings under `npm start`. The launcher passes the rest: the port and the user directory as
// arguments, the file of the secret in the environment.
"use strict";

const { readFileSync } = require("node:fs");
const { join } = require("node:path");

/** Tells the launcher where Node-RED listens: only Node-RED knows when the port was 0. */
function reportPort() {
  if (settings.serverPort === undefined || reported) return;
  reported = true;
  // What was not loaded at the start can be installed from now on.
  settings.nodesExcludes = [];
  process.send?.({ port: settings.serverPort });
}
let reported = false;

const settings = {
  uiHost: "127.0.0.1",
  flowFile: "flows.json",
  flowFilePretty: true,
  credentialSecret: readFileSync(process.env.CREC_CREDENTIAL_SECRET_FILE, "utf8"),
  // The package root, not dist/: there Node-RED finds the nodes, icons and examples of the package.
  nodesDir: [join(__dirname, "..")],
  // Node-RED does not wait longer for a node to end, since the launcher itself does not.
  nodeCloseTimeout: 1_500,
  logging: {
    console: { level: "warn", metrics: false, audit: false },
    // The first line that Node-RED logs when it listens says so.
    launcher: { level: "info", metrics: false, audit: false, handler: () => reportPort },
  },
  telemetry: { enabled: false, updateNotification: false },
  diagnostics: { enabled: false, ui: false },
  // Projects are off by default; `enabled: false` would log a warning at each start.
  editorTheme: { tours: false, projects: {} },
};

module.exports = settings;
