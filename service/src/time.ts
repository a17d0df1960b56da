/** Now, in whole Unix seconds. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** Unix seconds as RFC 3339, the form inside signed payloads. */
export function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
