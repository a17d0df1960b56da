import {
  OPERATION_STATUSES,
  QUERY_STATUSES,
  WALLET_STATUSES,
  WATCHER_STATUSES,
} from "../../../src/protocol/index.ts";
import type { Translate } from "../context.ts";
import type { StatusText } from "../status/status.ts";

const STATUSES: ReadonlySet<string> = new Set([
  ...OPERATION_STATUSES,
  ...QUERY_STATUSES,
  ...WALLET_STATUSES,
  ...WATCHER_STATUSES,
]);

/** A status of the service, such as `confirmed`, as a word under a node. */
export function serviceStatus(t: Translate, status: string): StatusText {
  return { code: status, text: statusWord(t, status) };
}

/** What a person reads for a status of the service: of a newer service, its own word. */
export function statusWord(t: Translate, status: string): string {
  return STATUSES.has(status) ? t(`common.service.${status}`) : status.replaceAll("_", " ");
}

/** What a person reads for the reason why an event is rejected. */
export function reasonWord(t: Translate, reason: string): string {
  return t(`common.reason.${reason}`);
}
