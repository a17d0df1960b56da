import { openDrafts } from "../../../nodes/common/approvals/open-drafts.ts";
import type { Activity } from "../../../nodes/common/telemetry/activity.ts";
import type { IssueList } from "../issues/issue-list.ts";
import type { SectionName } from "../types.ts";
import { SectionRows } from "./section-rows.ts";

export type AllSections = { readonly [S in SectionName]: SectionRows<S> };

/** The sections of the sidebar in the order in which they are sent, which is that in which they are shown. */
export function allSections(activity: Activity, issues: IssueList): AllSections {
  const { connections, readers, underWay, ended, watchers, wallets, events } = activity;
  return {
    issues: new SectionRows("issues", {
      revision: () => issues.revision,
      reports: () => issues.all(),
      keyOf: ({ id }) => id,
    }),
    approvals: new SectionRows("approvals", {
      revision: () => openDrafts.revision,
      reports: () => openDrafts.all().map(({ report }) => report),
      keyOf: ({ key }) => key,
    }),
    connections: new SectionRows("connections", {
      revision: () => undefined,
      reports: () => connections.reports(),
      keyOf: ({ node }) => node,
    }),
    readers: new SectionRows("readers", {
      revision: () => undefined,
      reports: () => readers.reports(),
      keyOf: ({ node, flow, consumer }) => `${node} ${flow} ${consumer}`,
    }),
    operations: new SectionRows("operations", {
      revision: () => underWay.revision + ended.revision,
      reports: () => [...underWay.all(), ...ended.all()],
      keyOf: ({ key }) => key,
    }),
    watchers: new SectionRows("watchers", {
      revision: () => watchers.revision,
      reports: () => watchers.all(),
      keyOf: ({ id }) => id,
    }),
    wallets: new SectionRows("wallets", {
      revision: () => wallets.revision,
      reports: () => wallets.all(),
      keyOf: ({ id }) => id,
    }),
    events: new SectionRows("events", {
      revision: () => events.revision,
      reports: () => events.all(),
      keyOf: ({ number }) => String(number),
    }),
  };
}
