import { CrecError } from "../errors.ts";
import type { CallBudget } from "./call-budget.ts";
import { BudgetError, RateLimitError, TimeoutError } from "./errors.ts";
import type { Hop } from "./hops.ts";
import { isLoopback, nameOf, placeOf, type UsedProxy, withProxy } from "./proxy.ts";

/** What the sentences call the places where a server, or a proxy, is set up. */
export type Places = {
  /** Of its address, such as "the base URL of the connection". */
  address: string;
  /** What else may be wrong with TLS, after "check". */
  tls: string;
  /** What makes this machine trust its certificate, after "if you trust it". */
  trust: string;
};

type Sentence = string | ((places: Places) => string);

/** Connections that do not come about, by the codes of Node.js and its HTTP client. The same for a proxy and a service. */
const UNREACHABLE: Readonly<Record<string, Sentence>> = {
  ENOTFOUND: ({ address }) => `its name cannot be resolved. Check ${address}, and DNS`,
  EAI_AGAIN: "DNS does not answer. Check the network and DNS",
  ECONNREFUSED: ({ address }) => `nothing listens there. Check that it runs, and ${address}`,
  EHOSTUNREACH: "there is no route to it. Check the network",
  ENETUNREACH: "there is no route to it. Check the network",
  ETIMEDOUT: "it does not answer. Check the network, and firewalls",
  EMFILE:
    "this process has too many open files or sockets. Look for what opens them, or raise the limit (ulimit -n)",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer. Check the network, and firewalls",
};

/** A connection that ends too early, by the hop to which it had come. */
const BROKEN = {
  proxy: ({ address }: Places) =>
    `it closed the connection at once. Check https or http, and the port, in ${address}`,
  service: () => "the connection broke before the answer was complete. Check the network, and try again",
};

/** Why a proxy or a service cannot be reached, and what to do. `host`: its host and port. */
export function unreachableSentence(
  code: string,
  { at, host, places }: { at: "proxy" | "service"; host: string; places: Places },
): string {
  const known = (Object.hasOwn(UNREACHABLE, code) ? UNREACHABLE[code] : undefined) ?? BROKEN[at];
  const inContainer =
    code === "ECONNREFUSED" && isLoopback(host.replace(/:\d+$/, ""))
      ? `. If this runs in a container, ${host} means the container itself`
      : "";
  return `${typeof known === "function" ? known(places) : known}${inContainer}`;
}

/** What the HTTP client says of a tunnel that is refused with a status, and of a login where there is no tunnel. */
const REFUSED = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;
const SILENT: readonly string[] = ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"];

/** The status with which a proxy refused to open a way; undefined for every other failure. */
export function refusalStatus(message: string): number | undefined {
  const [, status] = REFUSED.exec(message) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** Why a proxy opens no way to a service, and what to do. `message`: that of the HTTP client, which has the status. */
export function tunnelSentence(
  { code, message, isOpen }: { code: string; message: string; isOpen: boolean },
  { proxy, service }: { proxy: Places; service: Places },
): string {
  const status = refusalStatus(message);
  if (status !== undefined) return refusedTunnel(status, proxy.address, service.address);
  if (SILENT.includes(code)) {
    return `the proxy does not answer. Check that ${proxy.address} is that of an http proxy, and ask who runs it`;
  }
  return isOpen
    ? `the connection was cut behind the proxy, before anything was sent. Check ${service.address}, and that the server runs; else ask who runs the proxy`
    : `the proxy closed the connection without an answer. Check that ${proxy.address} is that of an http proxy, and that it permits this server`;
}

/** What the status says with which a proxy refused. */
function refusedTunnel(status: number, proxyAddress: string, address: string): string {
  const refused = `the proxy refused the connection (HTTP ${status})`;
  if (status === 407) return `${refused}: it requires a login. Check the credentials in ${proxyAddress}`;
  if (status >= 500) {
    return `${refused}: it does not reach the server itself. Check ${address}, and that the server runs; else ask who runs the proxy`;
  }
  return `${refused}: it does not permit this server. Check ${address}, or ask who runs the proxy to permit it`;
}

/** What did not happen in time on the way through a proxy; undefined where the service itself is awaited. */
export function heldUpSentence(
  hop: Hop | undefined,
  way: { server: string; proxy: UsedProxy | undefined; place: string; timeoutMs: number },
): string | undefined {
  const { server, proxy, place, timeoutMs } = way;
  if (!proxy || hop === undefined || hop === "service") return undefined;
  const what = hop === "proxy" ? "accepted no connection" : `opened no connection to ${server}`;
  return `The proxy at ${nameOf(proxy)} ${what} within ${timeoutMs} ms. Check that it runs, ${placeOf(proxy, place)}, and the network.`;
}

type Method = { method: string };

/** The service said when it accepts requests again, and the call has less time. */
export function held(heldMs: number): CrecError {
  const seconds = Math.ceil(heldMs / 1000);
  const message = `The service accepts no more requests with this key for ${seconds} s, as it said in an earlier answer. Wait that long, and send fewer requests.`;
  return new RateLimitError("RATE_LIMITED", message, { retryAfterMs: heldMs, retryable: true });
}

/** The time of a call was over before its turn came. `cause`: how an earlier attempt failed. */
export function exhausted(
  { method }: Method,
  { perMinute, heldMs }: Pick<CallBudget, "perMinute" | "heldMs">,
  cause: unknown,
): CrecError {
  const why =
    heldMs > 0 || perMinute === undefined
      ? "The service accepts no more requests for now, as it said in an earlier answer. Send fewer requests, or allow the call more time."
      : `The limit of ${perMinute} requests a minute is used up. Raise it, send fewer requests, or allow the call more time.`;
  const doubt =
    method === "GET"
      ? ""
      : cause === undefined
        ? " Nothing was sent for this call."
        : " An earlier attempt may have been carried out: check before you repeat it.";
  return new BudgetError("BUDGET_EXHAUSTED", why + doubt, {
    retryable: true,
    ...(cause instanceof CrecError ? { cause } : {}),
  });
}

type TimedOut = {
  server: string;
  proxy: UsedProxy | undefined;
  /** Where all requests wait for a connection through the proxy. */
  heldUpAt: Hop | undefined;
  timeoutMs: number;
  /** How an earlier attempt failed. */
  cause?: unknown;
};

export function timedOut({ method }: Method, { heldUpAt, ...way }: TimedOut): CrecError {
  const { server, proxy, timeoutMs } = way;
  const cause = way.cause instanceof CrecError ? way.cause : undefined;
  const heldUp = heldUpSentence(heldUpAt, { ...way, place: "the connection" });
  const isSent = heldUp === undefined || way.cause !== undefined;
  const doubt =
    method === "GET" || !isSent ? "" : " It may have been carried out: check before you repeat it.";
  const late = `${withProxy(server, proxy)} did not finish its answer within ${timeoutMs} ms. Check the network, or allow more time.`;
  const at =
    heldUp === undefined || !proxy
      ? ({ hop: "service", host: server } as const)
      : { hop: heldUpAt, host: nameOf(proxy) };
  return new TimeoutError("TIMEOUT", (heldUp ?? late) + doubt, { cause, ...at, retryable: true });
}
