import type { InstalledNodeRed } from "./installation.ts";
import type { TickedModule } from "./job.ts";

/** What the child knows when it starts, before any code of Node-RED is loaded: JSON, its first argument. */
export type ChildSetup = {
  nodeRed: InstalledNodeRed;
  /** This package. */
  packageFolder: string;
  /** Its current folder. It stays empty. */
  workFolder: string;
  modules: readonly TickedModule[];
  timeZone: string;
  language: string;
};
