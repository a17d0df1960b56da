/** Whether text may be given for `bytes`, or for as many bytes as `size` says: as `textToBytes` of the library. */
export function fitsBytes(text: string, size: string): boolean {
  const trimmed = text.trim();
  if (/^0x/i.test(trimmed)) {
    return /^0x(?:[0-9a-f]{2})*$/i.test(trimmed) && (size === "" || trimmed.length === 2 + 2 * Number(size));
  }
  if (size === "" && /^(?:[0-9a-f]{2}){20,}$/i.test(text)) return false;
  const count = new TextEncoder().encode(text).length;
  return count > 0 && (size === "" || count <= Number(size));
}
