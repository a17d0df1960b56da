// Preloaded (`--require`): the process takes its Node.js for an older one.
"use strict";
Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.4" } });
