/** The Node-RED that a rehearsal uses. Paths are absolute. */
export type InstalledNodeRed = {
  version: string;
  /** The folder of `@node-red/runtime`. */
  runtime: string;
  /** The folder of `@node-red/util`. The same one that the runtime loads. */
  util: string;
  /** The folder of `@node-red/nodes`. */
  nodes: string;
  /** What the process may read to run it: module folders. */
  readable: readonly string[];
};
