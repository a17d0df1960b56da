import { storedCredential } from "../common/admin/deployed.ts";
import type { NodeRedContext } from "../common/context.ts";
import type { FleetNode } from "../common/fleet/fleet.ts";
import { bindingsPath, bindKey, originalId, subflowProperty } from "../common/keys/binding.ts";
import { isFrom, isInEnvironment, type Setting, storedSetting, trustOf } from "../common/keys/destination.ts";
import { type CodedError, nodeError, toCodedError } from "../common/shared/errors.ts";
import { isRedisUrl, isWithTls } from "../common/shared/text.ts";
import { isReference } from "../common/shared/variables.ts";
import { hostsIn } from "./checks.ts";
import type { FleetInput } from "./settings.ts";

const SECRETS = ["url", "sentinelPassword"] as const;
const OWN_HOST = "the host of its URL";

type Servers = Pick<FleetInput, "url" | "isBySentinel" | "sentinels" | "master" | "tls">;

/**
 * Why the secrets of a shared state must not be sent. A URL says itself where its password goes. With sentinels, the flow
 * says it: so what was typed only goes to the sentinels it was typed for, and what is from the environment only to
 * sentinels from the environment. No change of the flow can redirect them.
 */
export function secretsProblem(
  context: NodeRedContext,
  node: FleetNode,
  servers: Servers,
): CodedError | undefined {
  for (const name of SECRETS) {
    const problem = problemOf(context, node, name, servers);
    if (problem) return problem;
  }
  return undefined;
}

function problemOf(
  context: NodeRedContext,
  node: FleetNode,
  name: (typeof SECRETS)[number],
  servers: Servers,
): CodedError | undefined {
  const stored = node.credentials?.[name] ?? "";
  const id = originalId(node);
  const written = storedCredential(context.RED.nodes, id, name) ?? stored;
  // Without a URL of its own, that of the environment is used.
  const isOfEnvironment =
    (name === "url" && stored === "") || (isReference(written) && isInEnvironment(stored.trim()));
  if (isOfEnvironment)
    return servers.isBySentinel && !areFromEnvironment(context, id, servers) ? stray() : undefined;
  if (stored === "") return undefined;
  const words = { key: "What is stored in this shared state", enter: "enter it again in the shared state" };
  try {
    const addresses = addressesOf(servers);
    const inSubflow = subflowProperty(node, "crec-fleet", settingsOf(context, id, servers));
    bindKey(bindingsPath(context.RED), { id: `${id} ${name}`, stored, addresses, words, inSubflow });
    return undefined;
  } catch (thrown) {
    return toCodedError(thrown);
  }
}

function addressesOf({ url, isBySentinel, sentinels, master, tls }: Servers): string[] {
  const trust = trustOf(tls);
  // Without the TLS configuration, PostgreSQL would get the password with an unchecked certificate, or without TLS.
  if (!isBySentinel) return [tls && !isRedisUrl(url) ? `${OWN_HOST} with TLS` : OWN_HOST, ...trust];
  // Typing another URL must not send the password of the sentinels without TLS.
  const how = isWithTls(url) ? " with TLS" : "";
  const hosts = hostsIn(sentinels).map(({ host, port }) => `the sentinel ${host}:${port}${how}`);
  return [...hosts, `the master ${master}`, ...trust];
}

/** Those of a sentinel, which say where a password goes. */
function settingsOf(context: NodeRedContext, id: string, servers: Servers): Setting[] {
  return (["sentinels", "master"] as const).map((field) =>
    storedSetting(context.RED, id, field, servers[field]),
  );
}

function areFromEnvironment(context: NodeRedContext, id: string, servers: Servers): boolean {
  return settingsOf(context, id, servers).every((setting) => isFrom(process.env, setting));
}

function stray(): CodedError {
  return nodeError(
    "KEY_NEEDS_CONFIRMATION",
    "The URL or the password of the shared state comes from the environment, but its sentinels or the name of the master do not. Nothing was sent. Set these in the environment of this machine too (variables that a flow sets do not count), or enter the URL and the password.",
  );
}
