import type { IncomingHttpHeaders } from "node:http";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Whether an address to listen on can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || host === "::1";
}

/**
 * Whether a request is from a program of this machine, not from a web page elsewhere. A web page can make its own name
 * resolve to 127.0.0.1 (DNS rebinding); its requests then have that name as Host.
 */
export function isLocalRequest(headers: IncomingHttpHeaders): boolean {
  const { host, origin } = headers;
  return namesLoopback(`http://${host}`) && (origin === undefined || namesLoopback(origin));
}

function namesLoopback(url: string): boolean {
  return LOOPBACK.has(URL.parse(url)?.hostname ?? "");
}
