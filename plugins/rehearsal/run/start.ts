import { dirname, join } from "node:path";
import type { NodeAPI } from "node-red";
import { invalidRequest } from "../../../nodes/lib/admin/answer.ts";
import { stateFolderFor } from "../../../nodes/lib/runtime/state-folder.ts";
import {
  eventsOfFile,
  type PastEvents,
  parseEventFile,
  readEvents,
  type Span,
  spanOf,
} from "../../../rehearsal/parent/events/index.ts";
import { chooseFlows } from "../../../rehearsal/parent/flows/index.ts";
import { runningNodeRed } from "../../../rehearsal/parent/installed-node-red.ts";
import { makeJob } from "../../../rehearsal/parent/make-job.ts";
import { type Ask, askToday } from "../../../rehearsal/parent/queries.ts";
import { type Rehearsal, startRehearsal } from "../../../rehearsal/parent/run.ts";
import { readSnapshot } from "../../../rehearsal/parent/snapshot.ts";
import type { FlowNode, Job, ServiceSnapshot } from "../../../rehearsal/shared/job.ts";
import type { StartQuestion } from "../types.ts";
import { contextCopy } from "./context-copy.ts";
import { deployedChannels } from "./deployed-channels.ts";
import { tickedModules } from "./ticked-modules.ts";
import type { Uploads } from "./uploads.ts";

export type Started = { rehearsal: Rehearsal; job: Pick<Job, "span" | "timeZone"> };

type Input = { past: PastEvents; snapshot: ServiceSnapshot; ask?: Ask };

/**
 * Reads what a rehearsal needs, and starts it. `signal` ends the reading and the rehearsal.
 * @throws what the parts throw, for the person who asked
 */
export async function start(
  RED: NodeAPI,
  question: StartQuestion,
  uploads: Uploads,
  signal: AbortSignal,
): Promise<Started> {
  const chosen = chooseFlows(question.flows, question.tabs);
  const nodeRed = runningNodeRed(require);
  const { userDir, lang } = RED.settings as NodeAPI["settings"] & { lang?: string };
  const modules = tickedModules(question.modules, [userDir ?? process.cwd(), nodeRed.runtime]);
  const folder = stateFolderFor(RED, "rehearsal");
  const { past, snapshot, ask } = await inputOf(RED, question, chosen.flows, {
    uploads,
    signal,
    cacheFolder: join(folder, "events"),
  });
  const job = makeJob({
    chosen,
    span: past.span,
    snapshot,
    modules,
    context: question.copyContext ? await contextCopy(RED, chosen.flows) : undefined,
    seed: question.seed,
    language: lang,
    askQueries: question.askQueries,
  });
  signal.throwIfAborted();
  const rehearsal = startRehearsal({
    nodeRed,
    packageFolder: dirname(__dirname),
    job,
    events: past.batches,
    ...(ask ? { ask } : {}),
    workRoot: join(folder, "work"),
    signal,
  });
  return { rehearsal, job };
}

async function inputOf(
  RED: NodeAPI,
  { span }: StartQuestion,
  flows: readonly FlowNode[],
  { uploads, signal, cacheFolder }: { uploads: Uploads; signal: AbortSignal; cacheFolder: string },
): Promise<Input> {
  if ("upload" in span) {
    const file = parseEventFile(uploads.text(span.upload));
    return { past: eventsOfFile(file), snapshot: file.snapshot };
  }
  const read = spanOf(span, Date.now());
  const channels = await deployedChannels(RED, flows, signal);
  if (!channels) return withoutEvents(read);
  const { client, connection, channelIds } = channels;
  const snapshot = await readSnapshot(client, channelIds, signal);
  const past = await readEvents(client, channelIds, read, { signal, cacheFolder });
  return { past, snapshot, ask: askToday(client, await connection.verifier()) };
}

/** Time alone may do something, too. */
function withoutEvents(read: Span): Input {
  if (read.kind === "offsets")
    return invalidRequest("These tabs read no channel, so there are no offsets. Choose times instead.");
  const batches = async function* () {};
  return { past: { span: read, batches: batches() }, snapshot: { networks: [], wallets: [], channels: [] } };
}
