import { parentPort, workerData } from "node:worker_threads";
import type { NodeAPI } from "node-red";
import { removeOldClaims } from "../../../nodes/common/signing/claims.ts";

// A thread that removes old claims of a state folder all the time, as another process would. It ends when it is terminated.

const RED = {
  settings: { userDir: workerData as string },
  log: { warn() {} },
  _: String,
} as unknown as NodeAPI;

parentPort?.postMessage("begun");
for (;;) await removeOldClaims(RED);
