/**
 * The name of an event or a function, from its name or signature, also one copied from an ABI:
 * `event Transfer(address indexed from)` is `Transfer`.
 */
export function bareName(signature: string): string {
  return signature
    .trim()
    .replace(/^event\s+/, "")
    .replace(/\s*\(.*$/s, "");
}
