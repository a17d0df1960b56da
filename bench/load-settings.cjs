// Settings of Node-RED for the benchmark "load": as installed by a user, with the flow in the user directory.
"use strict";

module.exports = {
  uiHost: "127.0.0.1",
  uiPort: 0,
  flowFile: "flows.json",
  credentialSecret: false,
  functionGlobalContext: {
    /** Reports when a message passed, since the process began, and what the process has used until then. */
    report: () => {
      const atMs = performance.now();
      const { user, system } = process.cpuUsage();
      globalThis.gc?.();
      const { rss, heapUsed } = process.memoryUsage();
      process.send?.({ atMs, processorMs: (user + system) / 1_000, bytes: rss, heap: heapUsed });
    },
  },
  logging: { console: { level: "warn", metrics: false, audit: false } },
  telemetry: { enabled: false, updateNotification: false },
  diagnostics: { enabled: false, ui: false },
  editorTheme: { tours: false },
};
