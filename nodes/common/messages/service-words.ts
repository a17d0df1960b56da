import type { NodeAPI } from "node-red";
import {
  OPERATION_STATUSES,
  QUERY_STATUSES,
  WALLET_STATUSES,
  WATCHER_STATUSES,
} from "../../../src/protocol/index.ts";
import type { StatusText } from "../status/status.ts";

const STATUSES: ReadonlySet<string> = new Set([
  ...OPERATION_STATUSES,
  ...QUERY_STATUSES,
  ...WALLET_STATUSES,
  ...WATCHER_STATUSES,
]);

/** A status of the service, such as `confirmed`, as a word under a node. */
export function serviceStatus(RED: NodeAPI, status: string): StatusText {
  return { code: status, text: statusWord(RED, status) };
}

/** What a person reads for a status of the service: of a newer service, its own word. */
export function statusWord(RED: NodeAPI, status: string): string {
  return STATUSES.has(status) ? RED._(`common.service.${status}`) : status.replaceAll("_", " ");
}

/** What a person reads for the reason why an event is rejected. */
export function reasonWord(RED: NodeAPI, reason: string): string {
  return RED._(`common.reason.${reason}`);
}
