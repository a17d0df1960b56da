/** The shortest module: an empty one. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** The part that is used: not every set of types has it. */
type Global = { WebAssembly?: { Module: new (bytes: Uint8Array) => unknown } };

/** Whether WebAssembly works: `--jitless` turns it off, and so may a policy. */
export function hasWebAssembly(): boolean {
  const { WebAssembly } = globalThis as Global;
  if (WebAssembly === undefined) return false;
  try {
    new WebAssembly.Module(EMPTY_MODULE);
    return true;
  } catch {
    return false;
  }
}
