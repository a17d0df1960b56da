// Preloaded (`--import`): takes WebAssembly away, as `--jitless` does. That itself would leave nothing to read
// TypeScript with, so it is loaded once before.
import "../../src/errors.ts";

Reflect.deleteProperty(globalThis, "WebAssembly");
