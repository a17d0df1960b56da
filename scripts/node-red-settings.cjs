// Node-RED's settings under `npm start`. The launcher gives the rest: the port and the user directory as
// arguments, the secret's file by environment.
"use strict";

const { readFileSync } = require("node:fs");
const { join } = require("node:path");

/** Tells the launcher where Node-RED listens: only Node-RED knows when the port was 0. */
function reportPort() {
  if (settings.serverPort === undefined || reported) return;
  reported = true;
  process.send?.({ port: settings.serverPort });
}
let reported = false;

const settings = {
  uiHost: "127.0.0.1",
  flowFile: "flows.json",
  flowFilePretty: true,
  credentialSecret: readFileSync(process.env.CREC_CREDENTIAL_SECRET_FILE, "utf8"),
  // The package root, not dist/: only then are the nodes, icons and examples those of the package.
  nodesDir: [join(__dirname, "..")],
  // A node that does not end within this is left behind; the launcher itself waits no longer.
  nodeCloseTimeout: 1_500,
  logging: {
    console: { level: "warn", metrics: false, audit: false },
    // The first line logged after Node-RED listens is the one that says so.
    launcher: { level: "info", metrics: false, audit: false, handler: () => reportPort },
  },
  telemetry: { enabled: false, updateNotification: false },
  diagnostics: { enabled: false, ui: false },
  // Projects are off unless enabled; saying `enabled: false` would be answered with a warning at each start.
  editorTheme: { tours: false, projects: {} },
};

module.exports = settings;
