import type { Following } from "../chain/ticker.ts";
import type { SkippedLogs } from "../lifecycles/logs/skipped.ts";
import type { Executions } from "../store/chain-progress.ts";
import { html } from "./html.ts";
import { code, type Row } from "./start-page-parts.ts";

const SHOWN_LOST = 5;

/** Confirmed operations that a reset of the chain has removed from it. */
export function lostOperations(executions: Executions): Row[] {
  const { missing, gone } = executions.lost();
  const rows: Row[] = [];
  if (missing > 0) {
    rows.push([
      "Sent again",
      html`<strong class="problem">${operations(missing)} that the chain may have lost</strong>`,
    ]);
  }
  if (gone > 0) {
    const newest = executions.gone(SHOWN_LOST);
    rows.push([
      "Lost",
      html`<strong class="problem">${operations(gone)} ${gone === 1 ? "is" : "are"} not on the chain any more and cannot be
executed again. Submit a new operation if you still need it.</strong><br>
${newest.map(({ operationId, reason }) => html`${reason}: ${code(operationId)}<br>`)}`,
    ]);
  }
  return rows;
}

function operations(count: number): string {
  return `${count} confirmed ${count === 1 ? "operation" : "operations"}`;
}

/** That events of the chain are not reported now, or were not. */
export function notFollowed({ problem, passedOver }: Following): Row[] {
  const rows: Row[] = [];
  if (problem !== undefined) {
    rows.push(["Followed", html`<strong class="problem">No new events are reported: ${problem}</strong>`]);
  }
  if (passedOver > 0) {
    const what = passedOver === 1 ? "block that the node lacks was" : "blocks that the node lacks were";
    rows.push([
      "Passed over",
      html`<strong class="problem">${passedOver} ${what} passed over since the start</strong>`,
    ]);
  }
  return rows;
}

/** Logs that a watcher could not report. */
export function skippedLogs({ count }: SkippedLogs): Row[] {
  if (count === 0) return [];
  const what = count === 1 ? "log of a contract was" : "logs of contracts were";
  return [
    [
      "Skipped",
      html`<strong class="problem">${count} ${what} skipped since the start: the service's log says why</strong>`,
    ],
  ];
}
