import { DTA_V2 } from "./dta.ts";
import { DVP } from "./dvp.ts";
import type { Extension } from "./types.ts";

export { REQUEST_STATUSES, REQUEST_TYPES } from "./dta.ts";
export { SETTLEMENT_STATUSES } from "./dvp.ts";
export type { Extension, ExtensionEvent } from "./types.ts";

/** The extensions that this package knows by name. A service may have others. */
export const EXTENSIONS: readonly Extension[] = [DTA_V2, DVP];

/** The extension with this name of a service; undefined for any other service. */
export function extensionNamed(service: unknown): Extension | undefined {
  return EXTENSIONS.find((extension) => extension.service === service);
}
