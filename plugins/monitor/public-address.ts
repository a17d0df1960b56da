import { isIP } from "node:net";

/** Names that are never in the public DNS. */
const LOCAL_NAME = /^[^.]+$|\.(?:local|localhost|internal|lan|home|intranet|test|example|invalid|svc)$/i;
const PRIVATE_IPV4 =
  /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;

/** Whether a URL leads to a service on the internet, by its host alone. */
export function isPublic(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) === 4) return !PRIVATE_IPV4.test(host);
  // Services rarely have such an address in their URL, and many of these are private.
  if (isIP(host) === 6) return false;
  return !LOCAL_NAME.test(host);
}
