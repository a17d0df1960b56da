import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { Node, NodeAPI } from "node-red";
import type { RedisSentinel } from "../../../src/index.ts";
import { notUsable, problemIn } from "../fields/config-nodes.ts";
import { type TlsNode, type TlsOptions, tlsOptions } from "../fields/proxy-and-tls.ts";
import { type CodedError, nodeError } from "../shared/errors.ts";
import { isEngineUrl, isWithoutTls } from "../shared/text.ts";
import type { Origin } from "../telemetry/types.ts";

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

/** They name files beside the URL of the environment, in PEM format. */
const CA_VARIABLE = "CREC_FLEET_CA";
const CERT_VARIABLE = "CREC_FLEET_CERT";
const KEY_VARIABLE = "CREC_FLEET_KEY";
const FILES = { ca: CA_VARIABLE, cert: CERT_VARIABLE, key: KEY_VARIABLE } as const;
const PARTS = ["ca", "cert", "key"] as const;
const CERTIFICATE = /-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/;
const KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

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

/**
 * TLS for the URL of the environment; undefined without one of the variables. Reads their files anew each time: a deploy
 * takes what has changed.
 * @throws FLEET_INCOMPLETE
 */
export function tlsOfEnvironment(): TlsOptions | undefined {
  const tls: TlsOptions = {};
  for (const part of PARTS) {
    const path = (process.env[FILES[part]] ?? "").trim();
    if (path !== "") tls[part] = fileOf(part, path);
  }
  if ((tls.cert === undefined) !== (tls.key === undefined))
    throw incomplete(
      `Only one of the environment variables ${CERT_VARIABLE} and ${KEY_VARIABLE} is set. Set both, for a client certificate and its key, or none, and start Node-RED again.`,
    );
  return Object.keys(tls).length === 0 ? undefined : tls;
}

/**
 * What a `tls-config` node holds; undefined where none is chosen.
 * @throws FLEET_INCOMPLETE where the node does not exist or cannot be used: its settings are never left out
 */
export function tlsOfNode(RED: NodeAPI, id: string | undefined): TlsOptions | undefined {
  if (!id) return undefined;
  const node = RED.nodes.getNode(id) as (TlsNode & { valid?: boolean }) | null;
  if (node === null)
    throw notUsable(RED.nodes, id, "TLS configuration of the shared state", "FLEET_INCOMPLETE");
  if (node.valid !== false) return tlsOptions(node);
  throw incomplete(
    "The files of the TLS configuration of the shared state cannot be read. Open it and correct them, or choose another one.",
  );
}

/** What is wrong with TLS for a URL, before anything is sent. */
export function tlsProblem(url: string, tls: TlsOptions | undefined): CodedError | undefined {
  if (tls === undefined) return undefined;
  if (isWithoutTls(url))
    return incomplete(
      `The shared state has TLS, by its field TLS or by ${CA_VARIABLE}, but its URL is one without TLS. Nothing was sent. Begin the URL with rediss:// or remove sslmode=disable from it; or choose no TLS.`,
    );
  try {
    createSecureContext(tls);
    return undefined;
  } catch (thrown) {
    return incomplete(
      `The client certificate of the shared state, its key or the passphrase is wrong (${codeOf(thrown)}). Correct them in the TLS configuration, or in the files of ${CERT_VARIABLE} and ${KEY_VARIABLE}.`,
    );
  }
}

/** An error of the library names an option of a program: here it is a field, or a variable. */
export function inPlace(error: CodedError, isOfEnvironment: boolean): CodedError {
  error.message = error.message.replace(/as the option (ca|tls)/, (_all, option) => {
    if (!isOfEnvironment) return "under TLS in the shared state";
    return option === "ca"
      ? `in a file that the environment variable ${CA_VARIABLE} names`
      : `in files that the environment variables ${CERT_VARIABLE} and ${KEY_VARIABLE} name`;
  });
  return error;
}

/** @throws FLEET_INCOMPLETE which names the variable, and never its value */
function fileOf(part: (typeof PARTS)[number], path: string): string {
  const variable = FILES[part];
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    throw incomplete(
      `The file that the environment variable ${variable} names cannot be read (${codeOf(thrown)}). Correct the path, or the rights of the file, and start Node-RED again.`,
    );
  }
  if (part === "key" ? KEY.test(text) : isCertificate(text)) return text;
  throw incomplete(
    `The file that the environment variable ${variable} names is not a ${part === "key" ? "private key" : "certificate"} in PEM format. Replace it, and deploy again.`,
  );
}

function isCertificate(text: string): boolean {
  try {
    return CERTIFICATE.test(text) && new X509Certificate(text).subject !== undefined;
  } catch {
    return false;
  }
}

function codeOf(thrown: unknown): string {
  return String((thrown as { code?: unknown }).code ?? "unreadable");
}

function incomplete(sentence: string): CodedError {
  return nodeError("FLEET_INCOMPLETE", sentence);
}
