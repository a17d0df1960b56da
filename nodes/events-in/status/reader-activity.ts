import type { ChannelEvent, CursorState, CursorStore, Delivery, Verification } from "../../../src/index.ts";
import type { CodedError } from "../../common/shared/errors.ts";
import { activity } from "../../common/telemetry/activity.ts";
import { eventReport } from "../../common/telemetry/event-report.ts";
import { noteStatusEvent } from "../../common/telemetry/resources.ts";
import type { Origin, ReaderReport } from "../../common/telemetry/types.ts";
import type { Reader } from "../reader/reader.ts";
import {
  type ReaderState,
  type ReportedState,
  readerState,
  reportedState,
  type Standing,
  type WaitsFor,
} from "./reader-state.ts";

/** A node as it is when its report is asked for. */
type Sampled = Omit<Standing<Reader>, "waitsFor">;

/** How an event left the node. */
type Left = {
  delivery: Delivery;
  channelId: string;
  service: string;
  /** Its payload as a message has it. */
  decoded: unknown;
  /** Where it was not sent as an event for something else than its proof. */
  reason?: string | undefined;
  proofTimes: ProofTimes;
};

/** What one node reports, for all readers that it has since the last deploy. */
export class ReaderActivity {
  readonly #origin: Origin;
  readonly #consumer: string;
  readonly #channelOf: () => string;
  readonly #onStopped: (isStopped: boolean) => void;
  #isStopped = false;
  /** Looked up once: a change of the channel's node restarts this one. */
  #channel = "";
  #delivered = 0;
  #rejected = 0;
  #late = 0;
  #waitsFor: WaitsFor | undefined;
  #problem: { code: string; since: number } | undefined;
  #hasWorked = false;
  /** The time of the newest event that the current reader sent. Unix milliseconds. */
  #newestAt: number | undefined;

  /** @param onStopped called when the reader is refused or ends with an error, and when it goes on */
  constructor(
    origin: Origin,
    consumer: string,
    channel: () => string,
    onStopped: (isStopped: boolean) => void = () => {},
  ) {
    this.#origin = origin;
    this.#consumer = consumer;
    this.#channelOf = channel;
    this.#onStopped = onStopped;
  }

  /** What the node waits for before it reads; undefined once that is over, before a reader opens. */
  waitFor(waitsFor: WaitsFor | undefined): void {
    this.#waitsFor = waitsFor;
    // Another copy may have read on since the last reader of this node.
    this.#newestAt = undefined;
    if (waitsFor) this.#note(waitsFor.kind === "refused");
  }

  /** Nothing can be read, until the next deploy or the next turn of this copy. */
  giveUp(error: CodedError): WaitsFor {
    this.#waitsFor = { error, kind: "given-up" };
    this.#note(true);
    return this.#waitsFor;
  }

  #note(isStopped: boolean): void {
    if (isStopped === this.#isStopped) return;
    this.#isStopped = isStopped;
    this.#onStopped(isStopped);
  }

  noteEvent({ delivery, channelId, service, decoded, reason, proofTimes }: Left): void {
    const { event, verification, attempt, redelivered, late } = delivery;
    const report = eventReport({
      ...{ origin: this.#origin, consumer: this.#consumer, channelId, event, decoded, verification, reason },
      proofMs: proofMsOf(proofTimes, verification),
      isRedelivered: redelivered || attempt > 1,
      isLate: late,
    });
    const isFirst = attempt === 1;
    if (report.reason !== undefined) this.#rejected += 1;
    else if (isFirst) this.#delivered += 1;
    if (late && isFirst) this.#late += 1;
    if (!late && report.createdAt !== undefined)
      this.#newestAt = Math.max(this.#newestAt ?? 0, report.createdAt);
    activity.note({ kind: "event", event: report });
    if (report.reason === undefined)
      noteStatusEvent(event.headers.type, decoded, {
        ...{ origin: this.#origin, channelId, service },
        createdAt: report.createdAt,
      });
  }

  /** Called at each change: when a problem begins may not depend on when a report is asked for. */
  look(sampled: Sampled): ReportedState & { of: ReaderState } {
    const of = readerState({ ...sampled, waitsFor: this.#waitsFor });
    const shown = { ...reportedState(of), of };
    const { state, problem } = shown;
    this.#note(state === "refused" || (state === "stopped" && problem !== undefined));
    if (problem && this.#problem?.code !== problem.code)
      this.#problem = { code: problem.code, since: this.#hasWorked ? Date.now() : 0 };
    // Between two attempts, it waits.
    if (problem || state === "waiting") return shown;
    this.#problem = undefined;
    this.#hasWorked = true;
    return shown;
  }

  /** Called twice a second for each node while a sidebar is open: it reads no file, and makes no request. */
  report(sampled: Sampled): ReaderReport {
    const { reader } = sampled;
    const consumer = reader?.consumer.state;
    const connected = consumer?.kind === "connected" ? consumer : undefined;
    const { state, problem } = this.look(sampled);
    this.#channel ||= this.#channelOf();
    const report: ReaderReport = {
      ...this.#origin,
      consumer: this.#consumer,
      channel: this.#channel,
      channelId: reader?.identity.channelId,
      state,
      inFlight: reader?.inFlight ?? 0,
      delivered: this.#delivered,
      rejected: this.#rejected,
      late: this.#late,
    };
    if (problem) report.problem = problem;
    if (problem && this.#problem) report.problemSince = this.#problem.since;
    if (reader?.epoch !== undefined) report.epoch = reader.epoch;
    if (reader?.position !== undefined) report.position = reader.position;
    // Asked for at each sample: the reader notes then whether the flow has completed what it was sent.
    const readUpTo = reader?.readUpTo;
    if (connected?.behind === undefined) return report;
    report.behind = connected.behind;
    // Since it was opened, it may never have had all events: a flow that stands still has lag, too.
    const upTo = readUpTo ?? this.#newestAt ?? reader?.openedAt;
    if (connected.behind > 0 && upTo !== undefined) report.behindMs = Math.max(0, Date.now() - upTo);
    return report;
  }
}

/** A cursor store that knows the last position, so that a report reads no file. */
export class PositionStore implements CursorStore {
  readonly #store: CursorStore;
  #position: number | undefined;

  constructor(store: CursorStore) {
    this.#store = store;
  }

  /** The offset up to which everything is settled. Undefined before the first event. */
  get position(): number | undefined {
    return this.#position;
  }

  async load(): Promise<CursorState | undefined> {
    const state = await this.#store.load();
    this.#note(state);
    return state;
  }

  async save(state: CursorState, urgency?: "now" | "soon"): Promise<void> {
    await this.#store.save(state, urgency);
    this.#note(state);
  }

  async begin(first: CursorState, signal: AbortSignal): Promise<CursorState | undefined> {
    const other = await this.#store.begin?.(first, signal);
    this.#note(other);
    return other;
  }

  async close(): Promise<void> {
    await this.#store.close?.();
  }

  #note(state: CursorState | undefined): void {
    this.#position = state === undefined || state.cursor < 0 ? undefined : state.cursor;
  }
}

type Verify = (event: ChannelEvent) => Promise<Verification>;

/** How long each check took, in milliseconds, by its result. */
export type ProofTimes = WeakMap<Verification, number>;

/** The same check, with its times: they have the look-up of an oracle family in them, where there are several. */
export function timed(verify: Verify, times: ProofTimes): Verify {
  return async (event) => {
    const begun = performance.now();
    const result = await verify(event);
    times.set(result, performance.now() - begun);
    return result;
  };
}

function proofMsOf(times: ProofTimes, result: Verification | undefined): number | undefined {
  return result && times.get(result);
}
