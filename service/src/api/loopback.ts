import type { IncomingHttpHeaders } from "node:http";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Whether an address to listen on is reached from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || host === "::1";
}

/**
 * Whether a request was meant for this machine, and no page from elsewhere sent it. A web page can have its own
 * name lead to 127.0.0.1; its requests then say that name.
 */
export function isLocalRequest(headers: IncomingHttpHeaders): boolean {
  const { host, origin } = headers;
  return namesLoopback(`http://${host}`) && (origin === undefined || namesLoopback(origin));
}

function namesLoopback(url: string): boolean {
  return LOOPBACK.has(URL.parse(url)?.hostname ?? "");
}
