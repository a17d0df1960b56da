import { syncBuiltinESMExports } from "node:module";
import { closeNetwork } from "./doors/network.ts";
import { closeProcessObject } from "./doors/process-object.ts";
import { closePrograms } from "./doors/programs.ts";

/**
 * Closes what reaches other machines and other processes, for all code that runs from now on. Before any code of
 * Node-RED is loaded, and after `takeChannel`. Files are closed by the permission model.
 *
 * @throws {Error} a door cannot be closed on this Node.js: nothing may run then
 */
export function closeDoors(): void {
  closeNetwork();
  closePrograms();
  closeProcessObject();
  // Modules that import single functions get the closed ones.
  syncBuiltinESMExports();
}
