/** Unix seconds as RFC 3339, the form inside signed texts. */
export function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
