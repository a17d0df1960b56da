/** What the paths of the service consist of, except ids. */
const SEGMENTS = new Set([
  ...[
    "channels",
    "events",
    "health-check",
    "networks",
    "operations",
    "queries",
    "search",
    "wallets",
    "watchers",
  ],
  ...["archive", "cancel", "finalize"],
]);
const DEEPEST = 6;
const OTHER = "other";

/** Of a connection. */
export type Addresses = { baseUrl: string; graphqlUrl: string | undefined };

/**
 * The kind of a call by its address: known words of the path, and `{id}` for all else, such as
 * `/channels/{id}/events`. So there are only some dozens, whatever is called. `graphql` and `other` have no slash.
 */
export function endpointOf(url: string, { baseUrl, graphqlUrl }: Addresses): string {
  if (graphqlUrl !== undefined && pathOf(url) === pathOf(graphqlUrl)) return "graphql";
  const base = pathOf(baseUrl).replace(/\/+$/, "");
  const path = pathOf(url);
  if (!path.startsWith(`${base}/`)) return OTHER;
  const segments = path.slice(base.length + 1).split("/");
  const words = segments.map((segment) => (SEGMENTS.has(segment) ? segment : "{id}"));
  const isUnknown = words[0] === "{id}" || words.length > DEEPEST;
  const isIdOfId = words.some((word, index) => word === "{id}" && words[index - 1] === "{id}");
  return isUnknown || isIdOfId ? OTHER : `/${words.join("/")}`;
}

/** Without the host, which the client may spell in another way. */
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
}
