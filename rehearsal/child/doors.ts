import { syncBuiltinESMExports } from "node:module";
import { closeFiles } from "./doors/files.ts";
import { closeNetwork } from "./doors/network.ts";
import { closeProcessObject } from "./doors/process-object.ts";
import { closePrograms } from "./doors/programs.ts";

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
