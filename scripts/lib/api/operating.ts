// What those who run Node-RED rely on: metrics, health, settings; and the statuses that flows branch on.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  CHANNEL_STATUSES,
  EVENT_TYPES,
  OPERATION_STATUSES,
  OPERATION_TRANSITIONS,
  QUERY_STATUSES,
  QUERY_TRANSITIONS,
  WALLET_STATUSES,
  WALLET_TRANSITIONS,
  WATCHER_STATUSES,
  WATCHER_TRANSITIONS,
} from "../../../src/protocol/index.ts";
import { root } from "../paths.mjs";
import { runtimeSources } from "./error-codes.ts";

/**
 * The metrics with their kind and labels, and the reasons of health with their status. From docs/metrics.md, which tests
 * compare with the answers.
 */
export function metricsReport(): Record<string, string> {
  const page = readFileSync(join(root, "docs/metrics.md"), "utf8");
  const rows = page.matchAll(/^\| `(\w+)` \| ([^|]*) \| ([^|]*) \|/gm);
  return Object.fromEntries(
    [...rows].flatMap(([, name = "", second = "", third = ""]) => {
      if (name.startsWith("crec_"))
        return [[`metric ${name}`, [second, third.trim()].filter(Boolean).join(", ")]];
      return /^`(degraded|failing)`$/.test(second)
        ? [[`health reason ${name}`, second.replaceAll("`", "")]]
        : [];
    }),
  );
}

/** The variables of the environment that the nodes read, and the settings under `crec` in settings.js. */
export function settingsReport(): Record<string, string> {
  const text = runtimeSources().replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  const variables = text.matchAll(/process\.env\.(CREC_\w+)|\w+ = "(CREC_\w+)"/g);
  const settings = text.matchAll(/\bcrec\?: \{ (\w+)\?: unknown \}/g);
  const keys = [
    ...[...variables].map(([, read, named]) => `variable ${read ?? named}`),
    ...[...settings].map(([, name]) => `setting crec.${name}`),
  ];
  return Object.fromEntries([...new Set(keys)].sort().map((key) => [key, ""]));
}

export function statusesReport(): Record<string, string> {
  const lists = {
    channel: CHANNEL_STATUSES,
    watcher: WATCHER_STATUSES,
    wallet: WALLET_STATUSES,
    operation: OPERATION_STATUSES,
    query: QUERY_STATUSES,
    "event type": EVENT_TYPES,
  };
  const changes = {
    watcher: WATCHER_TRANSITIONS,
    wallet: WALLET_TRANSITIONS,
    operation: OPERATION_TRANSITIONS,
    query: QUERY_TRANSITIONS,
  };
  const listed = Object.entries(lists).flatMap(([of, words]) => words.map((word) => `${of} ${word}`));
  const steps = Object.entries(changes).flatMap(([of, transitions]) =>
    transitions.flatMap(({ from, to }) => from.map((before) => `${of} ${before} → ${to}`)),
  );
  return Object.fromEntries([...listed, ...steps].map((key) => [key, ""]));
}
