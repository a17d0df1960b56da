import { timingSafeEqual } from "node:crypto";
import { lookup } from "node:dns/promises";
import type { IncomingHttpHeaders } from "node:http";
import { isIPv6 } from "node:net";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Says of an `Authorization` header whether it carries one of the keys. It takes the same time for a wrong key. */
export function authorization(apiKeys: readonly string[]): (header: string | undefined) => boolean {
  const accepted = apiKeys.map((key) => Buffer.from(`Apikey ${key}`));
  return (header = "") => accepted.filter((one) => isEqual(header, one)).length > 0;
}

/** Compares as many bytes as are expected, however many are given: the time does not tell how long a key is. */
function isEqual(given: string, expected: Buffer): boolean {
  const compared = Buffer.alloc(expected.length);
  compared.write(given);
  return timingSafeEqual(compared, expected) && Buffer.byteLength(given) === expected.length;
}

/**
 * Whether an address to listen on can be reached only from this machine. A file of hosts can give the name localhost to
 * any address, so it counts as what it stands for.
 */
export async function isLoopback(host: string): Promise<boolean> {
  if (host !== "localhost") return LOOPBACK.has(host) || host === "::1";
  // Where the name is unknown, the service does not listen either.
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.every(({ address }) => (isIPv6(address) ? address === "::1" : address.startsWith("127.")));
}

/**
 * Whether a request is from a program of this machine, not from a web page elsewhere. A web page can make its own name
 * resolve to 127.0.0.1 (DNS rebinding); its requests then have that name as Host.
 */
export function isLocalRequest(headers: IncomingHttpHeaders): boolean {
  const { host, origin } = headers;
  return namesLoopback(`http://${host}`) && (origin === undefined || namesLoopback(origin));
}

/** The address that was accepted last: most programs send the same one again, and reading it takes longer. */
let accepted: string | undefined;

function namesLoopback(url: string): boolean {
  if (url === accepted) return true;
  const isLoopback = LOOPBACK.has(URL.parse(url)?.hostname ?? "");
  if (isLoopback) accepted = url;
  return isLoopback;
}
