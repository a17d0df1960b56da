import type { Mask } from "./masking.ts";

/** An answer that is not in the words of the channel service: something before it may have answered. */
type ForeignAnswer = {
  status: number;
  /** `host:port`, perhaps with the proxy in between. */
  host: string;
  /** `host:port` of the proxy that passes on the answer, and may have made it itself. */
  relay?: string | undefined;
  location: string | undefined;
  mask: Mask;
};

const REDIRECTS = [301, 302, 303, 307, 308];

const GATEWAY_STATUSES = [502, 503, 504];

/** The words of a proxy that passes requests on. */
function notReached(status: number, host: string, relay: string): string {
  const [service = ""] = host.split(" ");
  return `The proxy at ${relay} gets no answer of the service at ${service} (HTTP ${status}). Try again later. If it stays so, check the base URL of the connection, and that the service runs; else ask who runs the proxy.`;
}

const NO_ANSWER_BEHIND = (host: string, status: number) =>
  `The service at ${host} does not answer, or a proxy before it fails (HTTP ${status}). Try again later. If it stays so, check the base URL of the connection, and the proxy.`;

const BY_STATUS: Readonly<Record<number, (host: string, status: number) => string>> = {
  401: (host) =>
    `${host} asks for another login than the API key (HTTP 401): a proxy or a login page may answer instead of the service. Check the base URL of the connection, and what stands before the service. If both are right, check the API key.`,
  403: (host) =>
    `${host} refused the request (HTTP 403), but not in the words of the channel service. Check whether a firewall or a proxy keeps this machine out, and check the base URL of the connection.`,
  407: (host) =>
    `A proxy before ${host} requires a login (HTTP 407). Choose that proxy in the connection, with its user name and password.`,
  413: (host) =>
    `The request is too large for ${host}, or for a proxy before it (HTTP 413). Send less at once, or have the proxy accept more.`,
  429: (host) =>
    `${host} accepts no more requests for now (HTTP 429), but not in the words of the channel service. A proxy or firewall may count all requests from this network, whatever their key: send fewer requests, and check what else sends some.`,
  502: NO_ANSWER_BEHIND,
  503: NO_ANSWER_BEHIND,
  504: NO_ANSWER_BEHIND,
};

/** What happened, and what to do; undefined where the status says no more than that the answer is foreign. */
export function foreignSentence(answer: ForeignAnswer): string | undefined {
  const { status, host, relay } = answer;
  if (relay && GATEWAY_STATUSES.includes(status)) return notReached(status, host, relay);
  return REDIRECTS.includes(status) ? redirectSentence(answer) : BY_STATUS[status]?.(host, status);
}

function redirectSentence({ status, host, location, mask }: ForeignAnswer): string {
  const to = location !== undefined && URL.canParse(location) ? new URL(location) : undefined;
  const [own = ""] = host.split(" ");
  const ownName = own.replace(/:\d+$/, "");
  if (to?.protocol === "https:" && to.hostname === ownName && portOf(to) !== own.slice(ownName.length + 1)) {
    return `${host} redirects to https (HTTP ${status}). Correct the base URL of the connection: it must begin with ${to.origin}. The key is never sent to another address by itself.`;
  }
  const isNamed = to !== undefined && to.host !== "" && to.host.length <= 100 && mask(to.host) === to.host;
  const where = isNamed && to.hostname !== ownName ? `${to.protocol}//${to.host}` : "another address";
  return `${host} redirects to ${where} (HTTP ${status}), and the key is never sent to another address. Check the base URL of the connection, and whether a login page or a proxy answers instead of the service.`;
}

function portOf({ port }: URL): string {
  return port === "" ? "443" : port;
}
