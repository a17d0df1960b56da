import { processWide } from "../process-wide.ts";
import { RingBuffer } from "../telemetry/ring-buffer.ts";
import type { Approval, Decided, Decision, DraftReport } from "./types.ts";

export type OpenDraft = {
  report: DraftReport;
  approvals: readonly Approval[];
  decide: (decision: Decision) => Promise<Decided>;
};

const MOST = 10_000;

/** Names a draft in this process. */
export const draftKey = (channelId: string, operationId: string): string => `${channelId}/${operationId}`;

/** The drafts that wait in this process for people. What survives a restart is in the waits of their nodes. */
export const openDrafts = processWide(
  "open-drafts",
  () => new RingBuffer<OpenDraft>({ keyOf: ({ report }) => report.key, most: MOST }),
);

/** `madeAt` in Unix milliseconds. */
type NewestDraft = { channelId: string; operationId: string; madeAt: number };

/** By the node that made it: the newest draft. */
export const newestDrafts = processWide("newest-drafts", () => new Map<string, NewestDraft>());

/** Those of before a restart come back in any order. */
export function noteDraft(node: string, draft: NewestDraft): void {
  if ((newestDrafts.get(node)?.madeAt ?? 0) <= draft.madeAt) newestDrafts.set(node, draft);
}
