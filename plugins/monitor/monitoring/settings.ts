import type { NodeAPI } from "node-red";

/** What a header carries as it is, without spaces: any other token could never be sent. */
const SENDABLE = /^[\x21-\x7e]+$/;
/** Shorter ones can be guessed. */
export const FEWEST_CHARACTERS = 16;

type MonitoringSettings =
  | { kind: "off" }
  /** Without a token, the permission `crec.read` of the admin API is required. */
  | { kind: "on"; token: string | undefined }
  /** What is set cannot be used: nothing is served. */
  | { kind: "refused"; problem: `monitor.monitoring.${"short-token" | "odd-token" | "unknown-setting"}` };

/**
 * Whether metrics and health are served, and to whom: `CREC_MONITORING_TOKEN`, else `crec.monitoring` of settings.js,
 * which is `true` or `{ token: "…" }`.
 */
export function monitoringSettings(RED: NodeAPI): MonitoringSettings {
  const { crec } = RED.settings as NodeAPI["settings"] & { crec?: { monitoring?: unknown } };
  // A host may set a variable to nothing.
  const variable = process.env.CREC_MONITORING_TOKEN?.trim();
  if (variable) return withToken(variable);
  const setting = crec?.monitoring;
  if (setting === undefined || setting === null || setting === false) return { kind: "off" };
  if (setting === true) return { kind: "on", token: undefined };
  const { token } = setting as { token?: unknown };
  return typeof token === "string"
    ? withToken(token.trim())
    : { kind: "refused", problem: "monitor.monitoring.unknown-setting" };
}

function withToken(token: string): MonitoringSettings {
  if (token.length < FEWEST_CHARACTERS) return { kind: "refused", problem: "monitor.monitoring.short-token" };
  if (!SENDABLE.test(token)) return { kind: "refused", problem: "monitor.monitoring.odd-token" };
  return { kind: "on", token };
}
