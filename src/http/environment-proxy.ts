/** Where the environment says how the outside is reached, as most programs read it; lower case goes first. */
export type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The proxy that `HTTPS_PROXY` or `HTTP_PROXY` names for an address, unless `NO_PROXY` exempts its host. This very
 * machine is always reached directly. An address without a scheme is taken for an http one.
 */
export function environmentProxy(address: URL, environment: Environment): string | undefined {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const proxy = read(address.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY") ?? read("ALL_PROXY");
  if (proxy === undefined || LOOPBACK.test(address.hostname)) return undefined;
  if (isDirect(address, (read("NO_PROXY") ?? "").split(","))) return undefined;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

/**
 * Whether a list of hosts names the host of an address: by itself, with its port, by a domain it belongs to
 * (`example.com`, `.example.com`, `*.example.com`), or all hosts by `*`.
 */
export function isDirect({ hostname, port, protocol }: URL, list: readonly string[]): boolean {
  const withPort = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  return list.some((entry) => {
    const text = entry.trim().toLowerCase();
    if (text === "*") return true;
    const name = text.replace(/^\*?\./, "");
    const isNamed = (host: string) => host === name || host.endsWith(`.${name}`);
    return name !== "" && (isNamed(hostname) || isNamed(withPort));
  });
}
