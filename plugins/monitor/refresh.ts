import { answerForms } from "../../nodes/common/admin/answer.ts";
import { sharedAnswers } from "../../nodes/common/admin/shared-answers.ts";
import type { NodeRedContext } from "../../nodes/common/context.ts";
import type { ChannelNode, Connection, ConnectionNode } from "../../nodes/common/fields/config-nodes.ts";
import { storedNodes } from "../../nodes/common/fields/flow-settings.ts";
import { errorText } from "../../nodes/common/messages/error-texts.ts";
import { activity } from "../../nodes/common/telemetry/activity.ts";
import { labelOf } from "../../nodes/common/telemetry/origin.ts";
import { noteResources } from "../../nodes/common/telemetry/resources.ts";
import type { RingBuffer } from "../../nodes/common/telemetry/ring-buffer.ts";
import type { ResourceReport } from "../../nodes/common/telemetry/types.ts";
import type { MonitorContext } from "./context.ts";
import { listWallets, listWatchers } from "./list-resources.ts";

/** What a refresh has found, and what went wrong, a sentence for each connection. */
type Refreshed = { watchers: number; wallets: number; problems: string[] };

/** A person waits for it. */
const LONGEST_MS = 30_000;

/** Asks the service for watchers and wallets when a person wants it. */
export function registerRefresh(monitor: MonitorContext): void {
  const shared = sharedAnswers<Refreshed>(monitor.RED, ({ problems }) => problems.length === 0);
  answerForms(monitor.RED, "post", "/crec/monitor/refresh", "crec.read", () =>
    shared("all", async () => {
      const refreshed = await refreshResources(monitor);
      await monitor.issues.check();
      return refreshed;
    }),
  );
}

/**
 * Asks the service, through each deployed connection that is usable, for its wallets and for the watchers of its
 * deployed channels. What is gone is forgotten. Never rejects: the errors of one connection do not hide the others.
 */
async function refreshResources(nodeRed: NodeRedContext): Promise<Refreshed> {
  const signal = AbortSignal.timeout(LONGEST_MS);
  const results = await Promise.all(
    storedNodes<ConnectionNode>(nodeRed.RED.nodes, "crec-connection").map(
      async ({ name, type = "", connection }) => {
        if (!connection || connection.problem) return { watchers: 0, wallets: 0, problems: [] };
        const { problems, ...counts } = await refreshConnection(nodeRed, connection, signal);
        return { ...counts, problems: problems.map((problem) => `${labelOf({ name, type })}: ${problem}`) };
      },
    ),
  );
  const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);
  return {
    watchers: sum(results.map(({ watchers }) => watchers)),
    wallets: sum(results.map(({ wallets }) => wallets)),
    problems: results.flatMap(({ problems }) => problems),
  };
}

/** A key may be allowed to see one of both lists. */
async function refreshConnection(
  nodeRed: NodeRedContext,
  connection: Connection,
  signal: AbortSignal,
): Promise<Refreshed> {
  const service = connection.baseUrl;
  const startedAt = Date.now();
  const problems = new Set<string>();
  const attempt = async (work: () => Promise<number>): Promise<number> => {
    try {
      return await work();
    } catch (error) {
      problems.add(signal.aborted ? nodeRed.t("monitor.refresh.too-slow") : errorText(error));
      return 0;
    }
  };
  const note = (items: readonly object[], isWhole: boolean) => {
    noteResources(items, { service });
    if (!isWhole) problems.add(nodeRed.t("monitor.refresh.cut"));
    return items.length;
  };
  const isOld = (report: ResourceReport) => report.service === service && report.seenAt < startedAt;

  const wallets = await attempt(async () => {
    const { items, isWhole } = await listWallets(await connection.client(), signal);
    if (isWhole) forget(activity.wallets, items, isOld);
    return note(items, isWhole);
  });
  const watchers = await attempt(async () => {
    const channels = channelsOf(nodeRed, connection);
    const { items, isWhole, channelIds } = await listWatchers(await connection.client(), channels, signal);
    const isListed = ({ channelId = "" }: ResourceReport) => channelIds.includes(channelId);
    if (isWhole) forget(activity.watchers, items, (report) => isOld(report) && isListed(report));
    return note(items, isWhole);
  });
  return { watchers, wallets, problems: [...problems] };
}

/** Their names or ids, each once. */
function channelsOf(nodeRed: NodeRedContext, connection: Connection): string[] {
  const labels = storedNodes<ChannelNode>(nodeRed.RED.nodes, "crec-channel").flatMap(({ channel }) =>
    channel && !channel.problem && channel.connection() === connection ? [channel.label] : [],
  );
  return [...new Set(labels)];
}

/** What was seen before and is not among these any more. */
function forget(
  reports: RingBuffer<ResourceReport>,
  items: ReadonlyArray<{ wallet_id: string } | { watcher_id: string }>,
  isOfList: (report: ResourceReport) => boolean,
): void {
  const ids = new Set(items.map((item) => ("wallet_id" in item ? item.wallet_id : item.watcher_id)));
  for (const report of reports.all()) {
    if (isOfList(report) && !ids.has(report.id)) reports.delete(report.id);
  }
}
