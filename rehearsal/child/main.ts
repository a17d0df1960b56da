import { syncBuiltinESMExports } from "node:module";
import type { ChildSetup } from "../shared/job.ts";
import { LONGEST_TEXT } from "../shared/messages.ts";
import { takeChannel } from "./channel.ts";
import { closeFiles } from "./doors/files.ts";
import { closeNetwork } from "./doors/network.ts";
import { closeProcessObject, closePrograms } from "./doors/programs.ts";
import { loadNodeRed } from "./node-red.ts";
import { rehearse } from "./rehearse.ts";

/**
 * The process that a flow is rehearsed in. Its argument is the setup; the job and the events come through a pipe. It ends
 * when it has reported.
 */
export async function runChild(): Promise<never> {
  const channel = takeChannel();
  try {
    const setup = JSON.parse(process.argv[2] ?? "") as ChildSetup;
    clearEnvironment();
    process.env.TZ = setup.timeZone;
    await closeDoors(process.argv[1] ?? "");
    await rehearse(await loadNodeRed(setup), channel);
    process.exit(0);
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_TEXT);
    await channel.sendLast({ kind: "failed", code: "REHEARSAL_FAILED", message });
    process.exit(1);
  }
}

/** On Windows, a process is given some variables in any case, such as the user's name and the PATH. It needs one. */
function clearEnvironment(): void {
  for (const name of Object.keys(process.env)) {
    if (name.toUpperCase() !== "SYSTEMROOT") delete process.env[name];
  }
}

/**
 * Closes what reaches other machines, other processes and files, for all code that runs from now on. Before any code of
 * Node-RED is loaded, and after `takeChannel`. What may be read, the permission model says.
 *
 * @param program the file of this process, which may be read
 * @throws {Error} a door cannot be closed on this Node.js: nothing may run then
 */
export async function closeDoors(program: string): Promise<void> {
  await closeFiles(program);
  closeNetwork();
  closePrograms();
  closeProcessObject();
  // Modules that import single functions get the closed ones.
  syncBuiltinESMExports();
}
