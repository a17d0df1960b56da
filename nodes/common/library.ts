import { packageDamaged } from "./shared/errors.ts";

/** The client library, loaded when a node first needs it: Node-RED starts no slower for having us installed. */
export type Library = typeof import("../../src/index.ts");

/** @throws PACKAGE_DAMAGED */
export async function loadLibrary(): Promise<Library> {
  try {
    return await import("../../src/index.ts");
  } catch (thrown) {
    throw packageDamaged("the library", thrown);
  }
}
