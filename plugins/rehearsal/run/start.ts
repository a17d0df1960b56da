import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NodeAPI } from "node-red";
import { invalidRequest } from "../../../nodes/common/admin/answer.ts";
import type { NodeRedContext } from "../../../nodes/common/context.ts";
import { stateFolderFor } from "../../../nodes/common/folder/state-folder.ts";
import { eventsOfFile, parseEventFile } from "../../../rehearsal/parent/events/event-file.ts";
import { mergeByTime } from "../../../rehearsal/parent/events/merge.ts";
import {
  type PastEvents,
  readEvents,
  type Span,
  spanOf,
} from "../../../rehearsal/parent/events/read-events.ts";
import { type ChosenFlows, chooseFlows } from "../../../rehearsal/parent/flows/choose.ts";
import { fitToFile } from "../../../rehearsal/parent/flows/fit-to-file.ts";
import { placesOf, runningNodeRed } from "../../../rehearsal/parent/installed-node-red.ts";
import { makeJob } from "../../../rehearsal/parent/make-job.ts";
import { type Ask, askNewestBlock } from "../../../rehearsal/parent/queries.ts";
import { type Rehearsal, startRehearsal } from "../../../rehearsal/parent/run.ts";
import { readSnapshot } from "../../../rehearsal/parent/snapshot.ts";
import type { Job, ServiceSnapshot, TickedModule } from "../../../rehearsal/shared/job.ts";
import type { Note, Report } from "../../../rehearsal/shared/report.ts";
import type { AskedSpan, StartQuestion } from "../types.ts";
import { contextCopy, type DeployedChannels, deployedChannels } from "./deployed.ts";
import type { Uploads } from "./question.ts";

/** `notes`: of what was chosen and read. The report of the rehearsal is without them. */
export type Started = { rehearsal: Rehearsal; job: Pick<Job, "span" | "timeZone">; notes: Note[] };

type Input = { chosen: ChosenFlows; past: PastEvents; snapshot: ServiceSnapshot; ask?: Ask };

/** What a rehearsal is started with, besides what was asked. */
type Starting = NodeRedContext & {
  uploads: Uploads;
  /** Ends the reading and the rehearsal. */
  signal: AbortSignal;
  /** The report of a rehearsal with the same events. */
  again: Report | undefined;
};

const MINUTE_MS = 60_000;

/**
 * Reads what a rehearsal needs, and starts it.
 * @throws what the parts throw, for the person who asked
 */
export async function start(starting: Starting, question: StartQuestion): Promise<Started> {
  const { RED, signal } = starting;
  const nodeRed = runningNodeRed(require);
  const { userDir, lang } = RED.settings as NodeAPI["settings"] & { lang?: string };
  const modules = tickedModules(question.modules, [userDir ?? process.cwd(), nodeRed.runtime]);
  const folder = stateFolderFor(RED, "rehearsal");
  const { chosen, past, snapshot, ask } = await inputOf(starting, question, join(folder, "events"));
  const job = makeJob({
    chosen,
    span: past.span,
    replies: question.replies,
    snapshot,
    modules,
    context: question.copyContext ? await contextCopy(starting, chosen.flows) : undefined,
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
    isInBackground: true,
    signal,
  });
  return { rehearsal, job, notes: chosen.notes };
}

async function inputOf(
  starting: Starting,
  { flows, tabs, span: asked, goOn }: StartQuestion,
  cacheFolder: string,
): Promise<Input> {
  const { uploads, signal, again } = starting;
  const span = again ? spanAgain(asked, again) : asked;
  const chosen = chooseFlows(flows, tabs);
  if ("upload" in span) {
    const file = parseEventFile(uploads.text(span.upload));
    const fitted = fitToFile(chosen.flows, file);
    const notes = [...chosen.notes, ...fitted.notes];
    const past = goingOn(eventsOfFile(file), goOn);
    return { chosen: { ...chosen, flows: fitted.flows, notes }, past, snapshot: file.snapshot };
  }
  const read = spanOf(span, Date.now());
  const [first, ...others] = await deployedChannels(starting, chosen.flows);
  if (!first) return { chosen, ...withoutEvents(read) };
  const all = [first, ...others];
  const snapshots: ServiceSnapshot[] = [];
  const pasts: PastEvents[] = [];
  for (const { client, channelIds } of all) {
    snapshots.push(await readSnapshot(client, channelIds, signal));
    pasts.push(await readEvents(client, channelIds, read, { signal, cacheFolder }));
  }
  const everything = together(pasts);
  const past =
    again && read.kind === "times"
      ? { ...everything, batches: readBefore(everything.batches, again) }
      : everything;
  return {
    chosen,
    past: read.kind === "offsets" ? goingOn(past, goOn) : past,
    snapshot: {
      networks: snapshots.flatMap(({ networks }) => networks),
      wallets: snapshots.flatMap(({ wallets }) => wallets),
      channels: snapshots.flatMap(({ channels }) => channels),
    },
    ask: await askEach(all),
  };
}

function together(pasts: readonly PastEvents[]): PastEvents {
  const from = Math.min(...pasts.map(({ span }) => span.from));
  const to = Math.max(...pasts.map(({ span }) => span.to));
  return { span: { from, to }, batches: mergeByTime(pasts.map(({ batches }) => batches)) };
}

/** Time goes on after the last event, so that windows and recoveries end. */
function goingOn({ span, batches }: PastEvents, minutes: number): PastEvents {
  return { span: { from: span.from, to: span.to + minutes * MINUTE_MS }, batches };
}

/** Each call goes to the connection of its channel. */
async function askEach(all: readonly DeployedChannels[]): Promise<Ask> {
  const asks = new Map<string, Ask>();
  for (const { client, connection, channelIds } of all) {
    const ask = askNewestBlock(client, await connection.verifier());
    for (const id of channelIds) asks.set(id, ask);
  }
  return async (call, signal) =>
    (await asks.get(call.channelId)?.(call, signal)) ?? { error: "No channel of these tabs has this query." };
}

/** Time alone may do something, too. */
function withoutEvents(read: Span): Omit<Input, "chosen"> {
  if (read.kind === "offsets")
    return invalidRequest("These tabs read no channel, so there are no offsets. Choose times instead.");
  const batches = async function* () {};
  return { past: { span: read, batches: batches() }, snapshot: { networks: [], wallets: [], channels: [] } };
}

/** The span of a rehearsal that is repeated: of "the last hours" those of then. Offsets and files stay as they are. */
export function spanAgain(span: AskedSpan, { span: { from, to } }: Pick<Report, "span">): AskedSpan {
  return "last" in span ? { from, to } : span;
}

/** Without what has come since to the channels that were read then, also where it is dated into the span. */
export async function* readBefore(
  batches: PastEvents["batches"],
  { channels }: Pick<Report, "channels">,
): PastEvents["batches"] {
  const last = new Map(channels.map(({ id, lastOffset = -1 }) => [id, lastOffset]));
  for await (const batch of batches) {
    const known = batch.filter(
      ({ channelId, event }) => event.headers.offset <= (last.get(channelId) ?? Number.POSITIVE_INFINITY),
    );
    if (known.length > 0) yield known;
  }
}

const NAME = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/;

/**
 * Where the palettes are that a person ticked: in the user directory, or beside Node-RED.
 * @param folders from which they are found as Node.js does it
 * @throws INVALID_REQUEST
 */
export function tickedModules(names: readonly string[], folders: readonly string[]): TickedModule[] {
  return names.map((name) => {
    const found = NAME.test(name)
      ? folders.flatMap((from) => placesOf(name, from)).find(isPalette)
      : undefined;
    if (found) return { name, folder: found };
    return invalidRequest(`The palette ${name} was not found. Do not tick it, or install it first.`);
  });
}

/** A package with nodes. No other may be loaded by this. */
function isPalette(folder: string): boolean {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return false;
  return typeof (JSON.parse(readFileSync(file, "utf8")) as { "node-red"?: unknown })["node-red"] === "object";
}
