import { loadLibrary } from "../../../nodes/lib/runtime/library.ts";

/**
 * Loads what our nodes load when they first need it: the library, and the WebAssembly that checks proofs. Call it before
 * the clock is simulated. Later, the simulated time would go on while they load.
 */
export async function warmUp(): Promise<void> {
  const { recoverReportSigners } = await loadLibrary();
  // It is refused as malformed, after the engine was loaded.
  await recoverReportSigners({ ocr_report: "0x", ocr_context: "0x", signatures: [] }).catch(() => {});
}
