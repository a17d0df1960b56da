import type { TlsOptions } from "../common/fields/proxy-and-tls.ts";
import { engineProblem, type FleetSettings, tlsProblem } from "../common/fleet/fleet.ts";
import { type CodedError, nodeError } from "../common/shared/errors.ts";
import { isRedisUrl } from "../common/shared/text.ts";
import { hostsIn, isNamespace, isSentinelList } from "./checks.ts";

/** The fields of a `crec-fleet`, deployed or in its form, with all variables resolved. */
export type FleetInput = {
  url: string;
  isBySentinel: boolean;
  sentinels: string;
  master: string;
  sentinelPassword: string;
  /** Of the chosen TLS configuration, else what the environment has for its own URL. */
  tls: TlsOptions | undefined;
  namespace: string;
  leaseMs: number;
};

/** What shared state is opened with. Only what `settingsProblem` finds right may be opened. */
export function settingsOf(input: FleetInput): FleetSettings {
  const { url, namespace, leaseMs, tls, sentinelPassword: password } = input;
  const found = { sentinels: hostsIn(input.sentinels), name: input.master };
  const sentinel = { ...found, ...(password === "" ? {} : { password }) };
  return { url, namespace, leaseMs, tls, ...(input.isBySentinel ? { sentinel } : {}) };
}

/** `lost`: what to do where the URL could not be decrypted. */
export function settingsProblem(input: FleetInput, lost?: string): CodedError | undefined {
  if (input.url === "") {
    return incomplete(
      `The shared state has no URL, and the environment variable CREC_FLEET_URL is not set. ${lost ?? "Open the shared state and enter the URL, or set the variable and start Node-RED again."}`,
    );
  }
  const problem = engineProblem(input.url) ?? tlsProblem(input.url, input.tls);
  if (problem) return problem;
  const other = () => "";
  if (input.namespace !== "" && isNamespace(input.namespace, other) !== true) {
    return incomplete(
      "The namespace of the shared state must begin with a lower case letter, and have only lower case letters, digits and underscores, at most 31. Open the shared state and correct it.",
    );
  }
  if (!input.isBySentinel) return undefined;
  if (!isRedisUrl(input.url)) {
    return incomplete(
      "Only Redis has sentinels, and the URL of the shared state is not one of Redis. Open the shared state and correct one of the two.",
    );
  }
  if (isSentinelList(input.sentinels, other) !== true || input.master === "") {
    return incomplete(
      "The sentinels of the shared state, or the name of the master, are missing or wrong. Open the shared state and correct them: host names with a port, such as sentinel-a:26379.",
    );
  }
  return undefined;
}

function incomplete(sentence: string): CodedError {
  return nodeError("FLEET_INCOMPLETE", sentence);
}
