import type { ResponseInfo } from "../../src/index.ts";
import type { KeyRefusal } from "../../src/protocol/errors.ts";
import { type ProxyFault, proxyFault } from "../common/shared/errors.ts";
import { activity } from "../common/telemetry/activity.ts";
import type { ConnectionReport, Origin, Problem } from "../common/telemetry/types.ts";

type State = ConnectionReport["state"];

type CallLogOptions = Addresses & {
  origin: Origin;
  /** What is wrong with the settings. */
  problem: Problem | undefined;
  /** Calls a minute that the form allows. */
  budget: number | undefined;
  /** As the form says it. Unix milliseconds. */
  keyExpiresAt?: number | undefined;
};

const REFUSED: Readonly<Record<KeyRefusal, string>> = {
  KEY_REFUSED:
    "The service refuses the API key. It may be mistyped, expired, or of another service. Check the key of the connection, or create a new one.",
  ORGANIZATION_NOT_FOUND:
    "The service has no organization for this API key. Check that the key belongs to the right organization.",
  FORBIDDEN:
    "The service does not allow this API key to do what was asked. Check the rights of the key, or use another one.",
};

const UNREACHABLE: Readonly<Record<string, string>> = {
  SERVICE_UNREACHABLE:
    "The service cannot be reached. Check the base URL of the connection, the network, and the proxy.",
  TIMEOUT:
    "The service does not answer in time. Check the network, or set a longer timeout in the connection.",
  TLS_ERROR:
    "No secure connection to the service is possible. Check the TLS settings of the connection, and the clock of this machine.",
};

/** The sentences where the proxy is at fault. */
const AT_PROXY: Readonly<Record<ProxyFault, (proxy: string) => string>> = {
  PROXY_UNREACHABLE: (proxy) =>
    `The proxy${proxy} cannot be reached, or does not answer. Check that it runs, and its address: in the proxy configuration of the connection, or in the environment variables of Node-RED.`,
  PROXY_REFUSED: (proxy) =>
    `The proxy${proxy} opens no connection to the service. Check its user name and password, whether it permits the service, and the base URL of the connection.`,
  PROXY_CERTIFICATE: (proxy) =>
    `No secure connection to the proxy${proxy} is possible. Check https or http in its address, and that this machine trusts its certificate (NODE_EXTRA_CA_CERTS).`,
};

/** A proxy or a load balancer answers instead of the service. */
const GATEWAY_STATUSES = [502, 503, 504];

/** How the calls of one connection go. Its texts hold nothing of a call or an answer. */
export class CallLog {
  readonly #options: CallLogOptions;
  readonly #recent = new RecentCalls();
  #state: State;
  #since = Date.now();
  #problem: Problem | undefined;

  constructor(options: CallLogOptions) {
    this.#options = options;
    const { problem } = options;
    this.#state = problem ? "incomplete" : "unused";
    this.#problem = problem && { code: problem.code, message: problem.message };
  }

  /** For the hook of a client. */
  note(info: ResponseInfo): void {
    const { method, url, durationMs, status, errorCode } = info;
    const { origin } = this.#options;
    const endpoint = endpointOf(url, this.#options);
    this.#recent.add(performance.now());
    // The account service is another one, mostly on another host.
    if (endpoint !== "graphql") this.#judge(info);
    const call = { connection: origin.node, method, endpoint, status, durationMs };
    activity.note({ kind: "call", call: { ...call, ...(errorCode ? { errorCode } : {}) } });
  }

  report(): ConnectionReport {
    const { origin, baseUrl, budget, keyExpiresAt } = this.#options;
    return {
      ...origin,
      baseUrl: withoutUser(baseUrl),
      ...{ state: this.#state, since: this.#since, budget },
      ...(this.#problem ? { problem: this.#problem } : {}),
      ...(keyExpiresAt === undefined ? {} : { keyExpiresAt }),
      callsLastMinute: this.#recent.count(performance.now()),
    };
  }

  /** A call that the client has ended itself says nothing about the service. */
  #judge({ status, errorCode: code = "", hop, host }: ResponseInfo): void {
    const fault = proxyFault({ code, hop });
    // A service may have codes of its own, of any name.
    const refused = Object.hasOwn(REFUSED, code) ? REFUSED[code as KeyRefusal] : undefined;
    const ofService = Object.hasOwn(UNREACHABLE, code) ? UNREACHABLE[code] : undefined;
    const unreachable = fault ? AT_PROXY[fault](host ? ` at ${host}` : "") : ofService;
    if (refused !== undefined) this.#become("refused", { code, message: refused });
    else if (unreachable !== undefined) this.#become("unreachable", { code, message: unreachable });
    else if (status !== undefined && GATEWAY_STATUSES.includes(status)) {
      const message = `The service is not available (HTTP ${status}). Wait until it is; if that takes long, ask its operator.`;
      this.#become("unreachable", { code: "SERVICE_ERROR", message });
    } else if (status !== undefined) this.#become("ok", undefined);
  }

  #become(state: State, problem: Problem | undefined): void {
    if (state !== this.#state) this.#since = Date.now();
    this.#state = state;
    this.#problem = problem;
  }
}

const SECONDS = 60;
const SECOND_MS = 1_000;

/** Counts calls of the last 60 seconds, in one number for each second. */
export class RecentCalls {
  readonly #counts = new Uint32Array(SECONDS);
  #second = 0;

  /** @param now monotonic, in milliseconds, as in `count` */
  add(now: number): void {
    this.#moveTo(now);
    const at = this.#second % SECONDS;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  count(now: number): number {
    this.#moveTo(now);
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** A clock that was set back counts in the newest second. */
  #moveTo(now: number): void {
    const second = Math.floor(now / SECOND_MS);
    const passed = Math.min(SECONDS, second - this.#second);
    for (let step = 1; step <= passed; step += 1) this.#counts[(second - passed + step) % SECONDS] = 0;
    this.#second = Math.max(this.#second, second);
  }
}

/** An address may hold a name and a password. */
function withoutUser(address: string): string {
  return address.replace(/^([a-z]+:\/\/)[^/?#]*@/i, "$1").replace(/[?#].*$/s, "");
}

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
type Addresses = { baseUrl: string; graphqlUrl: string | undefined };

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
