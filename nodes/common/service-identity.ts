/**
 * The service as part of the identity of what is stored about it. One on this machine can come back on another port and
 * is still the same: ids of channels and operations show that.
 */
export function serviceIdentity(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) url.port = "";
  return url.href.replace(/\/+$/, "");
}
