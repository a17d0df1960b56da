/**
 * A process that uses the state folder of `CREC_STATE_DIR`, with the user directory that it is given. Says by message
 * what it logs and what its lock says. Any message ends it in order.
 */
import type { NodeAPI } from "node-red";
import { lockedStateFolder } from "../../../nodes/common/folder/migrate-state.ts";
import { useFolder } from "../../../nodes/common/folder/shared-folder.ts";

const [userDir = ""] = process.argv.slice(2);
const say = (line: string) => process.send?.({ line });
const RED = {
  settings: { userDir },
  log: { info: say, warn: say },
  _: (key: string, values: object) => `${key} ${JSON.stringify(values)}`,
} as unknown as NodeAPI;

useFolder(lockedStateFolder(RED), ({ kind }) => process.send?.({ kind }));
process.on("message", () => process.exit(0));
process.on("disconnect", () => process.exit(1));
// The lock alone does not keep a process alive.
setInterval(() => {}, 1_000);
