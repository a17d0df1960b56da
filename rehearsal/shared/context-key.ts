/**
 * A key of context as Node-RED takes one that is no path: in quotes, so that `my key` and `192.168.0.1` are single keys.
 * Undefined where Node-RED has no way to write it, so that no node can read it either: an empty key, or one with both
 * kinds of quotes.
 */
export function quotedKey(key: string): string | undefined {
  if (key === "") return undefined;
  if (!key.includes('"')) return `"${key}"`;
  return key.includes("'") ? undefined : `'${key}'`;
}
