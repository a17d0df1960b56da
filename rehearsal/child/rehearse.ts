import { nodeRedContext } from "../../nodes/common/context.ts";
import { loadLibrary } from "../../nodes/common/library.ts";
import type { Job } from "../shared/job.ts";
import { type CallAnswer, type CallToAsk, MAX_ASKED, type ToChild } from "../shared/messages.ts";
import type { Note } from "../shared/report.ts";
import type { Channel } from "./channel.ts";
import { startClock } from "./clock.ts";
import { drive, EventQueue } from "./driver.ts";
import type { ChildHost } from "./host.ts";
import { isPartOfFlow, isReplaced, isSubflow } from "./kinds.ts";
import { makeReport } from "./make-report.ts";
import { copyContext, type NodeRed, runnable } from "./node-red.ts";
import { registerOurNodes } from "./our-nodes/index.ts";
import { seedRandomness } from "./randomness.ts";
import { countRealWork } from "./real-work.ts";
import { recorderType } from "./recorder.ts";
import { SeenEvents } from "./seen-events.ts";
import { settle } from "./settle.ts";
import { Trace } from "./trace.ts";

/** Real time between two messages about progress. */
const PROGRESS_MS = 200;
/** Of a call, as JSON. */
const LONGEST_CALL = 30_000;

const realNow = performance.now.bind(performance);

/** Says that it is ready, waits for the job, runs it, and sends the report. */
export async function rehearse(nodeRed: NodeRed, channel: Channel): Promise<void> {
  const seen = new SeenEvents();
  const queue = new EventQueue(() => channel.send({ kind: "more" }));
  const answers = new Map<number, (answer: CallAnswer) => void>();
  const notes: Note[] = [];
  let isCancelled = false;
  const job = await new Promise<Job>((resolve) => {
    channel.listen((message: ToChild) => {
      if (message.kind === "job") resolve(message.job);
      else if (message.kind === "events") queue.add(message.events, message.isLast);
      else if (message.kind === "answer") answers.get(message.id)?.(message.answer);
      else {
        isCancelled = true;
        queue.end();
      }
    });
    channel.send({ kind: "ready" });
  });

  const { span, seed, limits } = job;
  const ticked = tickedTypes(nodeRed, job);
  // The time zone is that of the rehearsal, also where the flow names this variable.
  Object.assign(process.env, job.environment, { TZ: job.timeZone });
  const trace: Trace = new Trace(limits, () => clock.now());
  const outside = (): (() => void) => {
    trace.activity.outside += 1;
    return () => {
      trace.activity.outside -= 1;
    };
  };
  await warmUp();
  countRealWork(outside);
  const clock = await startClock(span.from, (error) => trace.noteStray(error));
  seedRandomness(seed);
  trace.listen(nodeRed.RED, nodeRed.Node);
  process.on("uncaughtException", (error) => trace.noteStray(error));
  process.on("unhandledRejection", (error) => trace.noteStray(error));

  let lastCall = 0;
  const host: ChildHost = {
    job,
    note: (outcome, msg) => trace.note(outcome, msg),
    onEvent: (channelId, take) => seen.onEvent(channelId, take),
    past: (channelId) => seen.past(channelId),
    mark: (msg, event) => {
      seen.noteDelivered(event);
      trace.mark(msg, event);
    },
    begin: () => trace.activity.pending.begin(),
    ask: async (call) => {
      lastCall += 1;
      const id = lastCall;
      const refused = whyNotAsked(id, call);
      if (refused !== undefined) return { error: refused };
      const end = outside();
      try {
        const answer = new Promise<CallAnswer>((resolve) => answers.set(id, resolve));
        channel.send({ kind: "ask", id, call });
        return await answer;
      } finally {
        answers.delete(id);
        end();
      }
    },
  };
  replaceTypes(nodeRed, host, ticked);
  copyContext(nodeRed, job);
  await nodeRed.startFlows(runnable(job.flows, notes));

  let toldAt = realNow();
  channel.send({ kind: "more" });
  await drive(
    {
      clock,
      events: queue,
      publish: (event) => seen.publish(event),
      settle: () => settle(trace.activity),
      moved: () => {
        if (realNow() - toldAt < PROGRESS_MS) return;
        toldAt = realNow();
        channel.send({ kind: "progress", at: clock.now(), events: seen.count.read, ...totalsOf(trace) });
      },
      isCancelled: () => isCancelled,
    },
    span.to,
  );
  if (isCancelled)
    notes.push({ kind: "stopped", text: "The rehearsal was cancelled: later events are missing." });
  await channel.report(makeReport({ job, trace, events: seen, ticked, notes }));
}

/** The parent ends a rehearsal that sends more. */
function whyNotAsked(number: number, call: CallToAsk): string | undefined {
  if (number > MAX_ASKED) return `a rehearsal asks for ${MAX_ASKED} calls at most`;
  if (Buffer.byteLength(JSON.stringify(call)) > LONGEST_CALL)
    return `its data is longer than ${LONGEST_CALL} bytes`;
  return undefined;
}

/** Ours by those that reach no service; all others that could act, or that nobody has installed, by recorders. */
function replaceTypes(nodeRed: NodeRed, host: ChildHost, ticked: ReadonlySet<string>): void {
  const { RED, isKnown } = nodeRed;
  const context = { ...nodeRedContext(RED), host };
  registerOurNodes(context);
  const types = new Set(host.job.flows.filter((node) => !isPartOfFlow(node)).map(({ type }) => type));
  for (const type of types) {
    if (isReplaced(type, ticked) || !(isKnown(type) || isSubflow(type))) {
      RED.nodes.registerType(type, recorderType(context) as never);
    }
  }
}

/** Types of the palettes that the person lets run. */
function tickedTypes({ moduleOf }: NodeRed, { flows, modules }: Job): ReadonlySet<string> {
  const names = new Set(modules.map(({ name }) => name));
  return new Set(flows.map(({ type }) => type).filter((type) => names.has(moduleOf(type) ?? "")));
}

/** Messages that would have left. */
function totalsOf({ outcomes: { totals } }: Trace): { alerts: number; left: number } {
  const { alert = 0, sent = 0, operation = 0, watcher = 0, call = 0 } = totals;
  return { alerts: alert, left: sent + operation + watcher + call };
}

/**
 * Loads what our nodes load when they first need it: the library, and the WebAssembly that checks proofs. Call it before
 * the clock is simulated. Later, the simulated time would go on while they load.
 */
async function warmUp(): Promise<void> {
  const { recoverReportSigners } = await loadLibrary();
  // It is refused as malformed, after the engine was loaded.
  await recoverReportSigners({ ocr_report: "0x", ocr_context: "0x", signatures: [] }).catch(() => {});
}
