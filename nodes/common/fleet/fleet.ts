import type { Node, NodeAPI } from "node-red";
import type { RedisSentinel } from "../../../src/index.ts";
import { notUsable, problemIn } from "../fields/config-nodes.ts";
import type { TlsOptions } from "../fields/tls.ts";
import { isEngineUrl } from "../shared/engine-url.ts";
import { type CodedError, nodeError } from "../shared/errors.ts";
import type { Origin } from "../telemetry/types.ts";
import { tlsOfEnvironment, tlsProblem } from "./fleet-tls.ts";

/** With this variable alone, without a `crec-fleet`, all copies with the same URL share their state. */
const FLEET_VARIABLE = "CREC_FLEET_URL";

const DEFAULT_LEASE_MS = 15_000;

/** What shared state is opened with. */
export type FleetSettings = {
  /** With user and password: only the engine's client may see it. */
  url: string;
  /** Where Redis is found by its sentinels instead of by the host of the URL. */
  sentinel?: RedisSentinel | undefined;
  tls?: TlsOptions | undefined;
  /** Empty for the default one. */
  namespace: string;
  leaseMs: number;
};

/** What a `crec-fleet` offers. */
export type FleetRef = {
  problem: CodedError | undefined;
  settings: FleetSettings;
  /** The config node; undefined where the environment says this. */
  origin: Origin | undefined;
};

/** Node-RED leaves out what was never typed in. */
export type FleetCredentials = { url?: string | undefined; sentinelPassword?: string | undefined };

export type FleetNode = Node<FleetCredentials> & { fleet: FleetRef };

/**
 * The chosen shared state, else that of the environment; undefined where there is neither.
 * @throws CONFIG_NODE_DISABLED, CONFIG_NODE_DELETED, or the problem of its settings
 */
export function fleetOf(RED: NodeAPI, id: string | undefined): FleetRef | undefined {
  const ref = id ? (RED.nodes.getNode(id) as Partial<FleetNode> | null)?.fleet : fleetOfEnvironment();
  if (id && !ref) throw notUsable(RED.nodes, id, "shared state", "FLEET_INCOMPLETE");
  if (ref?.problem) throw ref.problem;
  return ref;
}

/** The URL that the environment gives; empty without one. */
export function urlOfEnvironment(): string {
  return (process.env[FLEET_VARIABLE] ?? "").trim();
}

/** Undefined without the variable. */
export function fleetOfEnvironment(): FleetRef | undefined {
  const url = urlOfEnvironment();
  if (url === "") return undefined;
  let tls: TlsOptions | undefined;
  const unread = problemIn(() => {
    tls = tlsOfEnvironment();
  });
  const settings = { url, namespace: "", leaseMs: DEFAULT_LEASE_MS, tls };
  return { problem: engineProblem(url) ?? unread ?? tlsProblem(url, tls), settings, origin: undefined };
}

/** The URL itself is not in the sentence: it may hold a password. */
export function engineProblem(url: string): CodedError | undefined {
  if (isEngineUrl(url)) return undefined;
  return nodeError(
    "FLEET_INCOMPLETE",
    "The URL of the shared state does not begin with postgres://, redis:// or rediss://. Open the shared state, or look at the environment variable CREC_FLEET_URL, and correct it.",
  );
}
