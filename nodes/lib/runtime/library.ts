/** The client library, loaded when a node first needs it: Node-RED starts no slower for having us installed. */
export type Library = typeof import("../../../src/index.ts");

export function loadLibrary(): Promise<Library> {
  return import("../../../src/index.ts");
}
