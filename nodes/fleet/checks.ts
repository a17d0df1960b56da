import type { FieldCheck } from "../common/shared/field-checks.ts";

const SENTINEL = /^(\[[0-9a-f:.]+\]|[^\s:,[\]/@]+)(?::(\d{1,5}))?$/i;
const SENTINEL_PORT = 26_379;
const NAMESPACE = /^[a-z][a-z0-9_]{0,30}$/;
const HIGHEST_PORT = 65_535;

export const isNamespace: FieldCheck = (text) => NAMESPACE.test(text);

export const isSentinelList: FieldCheck = (text) => {
  const list = sentinelsIn(text);
  return list.length > 0 && list.every(isSentinel);
};

function isSentinel(text: string): boolean {
  const found = SENTINEL.exec(text);
  if (found === null) return false;
  const port = Number(found[2] ?? SENTINEL_PORT);
  return port >= 1 && port <= HIGHEST_PORT;
}

/** Each sentinel of a list, as it was typed. */
function sentinelsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((one) => one !== "");
}

/** The sentinels of a list that is right. */
export function hostsIn(text: string): Array<{ host: string; port: number }> {
  return sentinelsIn(text).map((one) => {
    const [, host = "", port = SENTINEL_PORT] = SENTINEL.exec(one) ?? [];
    return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
  });
}
