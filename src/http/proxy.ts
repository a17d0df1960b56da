import { BlockList, isIP } from "node:net";
import { ArgumentError } from "../errors.ts";

/** A proxy, with its credentials if it needs any, and the hosts that are reached without it. */
export type ProxySettings = {
  /** `http://user:password@host:port`, or with https; without a scheme it is read as http. */
  url: string;
  /** As in `NO_PROXY`: hosts, domains, and networks such as `10.0.0.0/8`. @default none */
  except?: readonly string[] | undefined;
};

/** A proxy in use. `place`: where people find its address; undefined where they chose it, in a form or an option. */
export type UsedProxy = { url: string; place?: string };

/** The environment variables that name proxies; lower case comes first, as in most programs. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an address; undefined where it is reached directly.
 * @throws {ArgumentError} naming `proxy`; the message does not contain the text, which may hold credentials.
 */
export function proxyFor(
  choice: string | ProxySettings | undefined,
  address: URL,
  environment: Environment,
): UsedProxy | undefined {
  if (choice === undefined || choice === "") return undefined;
  if (choice === "environment") return environmentProxy(address, environment);
  const { url, except = [] } = typeof choice === "string" ? { url: choice } : choice;
  const proxy = proxyOf(url, "The proxy");
  return isDirect(address, except) ? undefined : { url: proxy };
}

/** Whether a host name of an address is this machine, or this container. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * The proxy that `HTTPS_PROXY` or `HTTP_PROXY`, or else `ALL_PROXY`, names for an address, unless `NO_PROXY` exempts
 * its host. The machine itself is always reached directly.
 */
export function environmentProxy(address: URL, environment: Environment): UsedProxy | undefined {
  const set = (name: string) => [name.toLowerCase(), name].find((written) => environment[written]);
  const name = set(address.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY") ?? set("ALL_PROXY");
  if (name === undefined || isLoopback(address.hostname)) return undefined;
  if (isDirect(address, (environment[set("NO_PROXY") ?? ""] ?? "").split(","))) return undefined;
  const place = `the environment variable ${name}`;
  return { url: proxyOf(environment[name] ?? "", `T${place.slice(1)}`), place };
}

/** What sentences call a proxy, by its host and port: its address may hold a password. */
export function nameOf({ url }: UsedProxy): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** Whether a proxy is asked for an address itself, and can answer in place of the service. */
export function opensNoTunnel({ url }: UsedProxy, address: URL): boolean {
  return address.protocol === "http:" && new URL(url).protocol === "http:";
}

/** Where people find the address of a proxy that is chosen in a `place`, such as "the connection". */
export function placeOf(proxy: UsedProxy | undefined, place: string): string {
  return proxy?.place ?? `the proxy of ${place}`;
}

/** What sentences call a server that is reached through a proxy, or without. */
export function withProxy(host: string, proxy: UsedProxy | undefined): string {
  return proxy ? `${host} (through the proxy ${nameOf(proxy)})` : host;
}

function proxyOf(written: string, what: string): string {
  const text = written.trim();
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  try {
    const { protocol, hostname, username, password, pathname, search, hash } = new URL(url);
    decodeURIComponent(username + password);
    const isOrigin = /^\/?$/.test(pathname) && search === "" && hash === "";
    if ((protocol === "http:" || protocol === "https:") && hostname !== "" && isOrigin) return url;
  } catch {
    // What was thrown may hold the text.
  }
  const message = `${what} must be an http or https address, such as http://user:password@host:port.`;
  throw new ArgumentError("proxy", message);
}

/**
 * Whether a list of hosts names the host of an address: by itself, with its port, by a domain it belongs to
 * (`example.com`, `.example.com`, `*.example.com`), by a network (`10.0.0.0/8`), or all hosts by `*`. Names are not
 * resolved.
 */
export function isDirect({ hostname, port, protocol }: URL, list: readonly string[]): boolean {
  const withPort = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  return list.some((entry) => {
    const text = entry.trim().toLowerCase();
    if (text === "*") return true;
    if (text.includes("/")) return isInNetwork(hostname, text);
    const name = text.replace(/^\*?\./, "");
    const isNamed = (host: string) => host === name || host === `[${name}]` || host.endsWith(`.${name}`);
    return name !== "" && (isNamed(hostname) || isNamed(withPort));
  });
}

function isInNetwork(hostname: string, network: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const [address = "", bits = ""] = network.split("/");
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  const prefix = /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (isIP(host) === 0 || isIP(address) === 0 || !(prefix <= (family === "ipv6" ? 128 : 32))) return false;
  const block = new BlockList();
  block.addSubnet(address, prefix, family);
  return block.check(host, isIP(host) === 6 ? "ipv6" : "ipv4");
}
