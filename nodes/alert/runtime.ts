import type { Node } from "node-red";
import type { AlertLimits, AlertOutcome, AlertRule } from "../../src/index.ts";
import { channelOf, contractOf } from "../common/fields/config-nodes.ts";
import type { Task } from "../common/fields/input.ts";
import { type Library, loadLibrary } from "../common/library.ts";
import { isTest, override } from "../common/messages/message.ts";
import { forgetKeyLimit, noteKeyLimit } from "../common/telemetry/activity.ts";
import { noteContradiction } from "../common/telemetry/event-report.ts";
import { Alerting } from "./alerting.ts";
import { eventOf, eventOfAlert } from "./input/event-facts.ts";
import { evidenceOf, Levels } from "./input/evidence.ts";
import { type Memory, openMemory } from "./memory.ts";
import { separateId } from "./outputs/leaving.ts";
import { Router } from "./outputs/router.ts";
import { type AlertContext, type AlertFields, alertSettings, checkPaths, fingerprintOf } from "./settings.ts";
import { AlertStatus } from "./status.ts";
import { timeOfOutcome } from "./texts/message.ts";
import { Feeders, wiredReaders } from "./time/feeders.ts";
import { Ticker } from "./time/ticker.ts";

/** A copy has this long to send an outcome before another copy sends it. */
const OTHERS_MS = 60_000;

/** The running parts of a node. Messages and ticks pass through its rule one after the other. */
export class AlertRuntime {
  readonly #node: Node;
  readonly #fields: AlertFields;
  readonly #alerting: Alerting;
  readonly #memory: Memory;
  readonly #levels: Levels;
  readonly #router: Router;
  readonly #status: AlertStatus;
  readonly #feeders: Feeders;
  readonly #ticker: Ticker;
  readonly #serial = new Mutex();
  /** Messages leave in the order in which they came. What was counted meanwhile is written together. */
  readonly #leaving = new Mutex();
  readonly #library: Library;
  readonly #closing = new AbortController();
  #limits: AlertLimits = { notCounted: 0, forgotten: 0, forgottenEvents: 0 };
  /** When the outcomes of other copies were last looked at. */
  #lookedAt = performance.now();

  private constructor(context: AlertContext, library: Library) {
    const { RED, node, fields } = context;
    const { contract, channel = "", fleet } = fields.settings;
    const ofContract = contract ? contractOf(RED.nodes, contract) : undefined;
    this.#node = node;
    this.#fields = fields;
    this.#library = library;
    checkPaths(fields, library);
    const settings = alertSettings(fields);
    const keepsPending = fields.flag("untilAcked");
    // What is wrong shows before the first message.
    for (const name of ["severity", "match", "forEach"] as const) fields.choice(name);
    this.#status = new AlertStatus(context);
    this.#alerting = new Alerting(context, { settings, library });
    this.#levels = new Levels(RED.nodes, channel, library);
    this.#memory = openMemory(RED, node, {
      library,
      settings,
      fleet,
      onWarning: (message) => this.#status.warn(message),
      makeRule: (store) =>
        new library.AlertRule({
          ...{ id: node.id, settings, store, keepsPending },
          forEach: fields.choice("forEach") !== "",
          fingerprint: fingerprintOf(fields, ofContract),
          onDifference: (isDifferent) => this.#status.differs(isDifferent),
          onWarning: (message) => this.#status.warn(message),
          onClockStep: (message) => node.warn(message),
        }),
    });
    this.#router = new Router(context, {
      library,
      keepsPending,
      acknowledge: (outcome) => this.#acknowledge(outcome),
      isPending: (id) => this.#isPending(id),
    });
    this.#feeders = new Feeders({
      ...{ channel, isShared: this.#memory.isShared },
      wired: () => wiredReaders(RED, node.id),
      // Events in nodes with this config node are known without it.
      resolve: async () => {
        try {
          return await channelOf(RED.nodes, channel).resolve(this.#closing.signal);
        } catch {
          return undefined;
        }
      },
    });
    this.#ticker = new Ticker({
      given: () => this.#feeders.given(),
      isAbsence: settings.when.kind === "absence",
      slackMs: settings.slackMs,
      onWait: (waitsFor) => this.#status.waits(waitsFor),
      tick: (at) => this.#pass(at),
      wait: () => this.#stay(),
    });
  }

  /** @throws INVALID_FIELD, MISSING_VALUE, VARIABLE_MISSING, CONTRACT_MISSING */
  static async open(context: AlertContext): Promise<AlertRuntime> {
    return new AlertRuntime(context, await loadLibrary());
  }

  /** Whether the events in before this node has stopped. */
  readerStopped(isStopped: boolean): void {
    this.#status.readerStopped(isStopped);
  }

  /** Reads what is stored, sends what was not sent or not acknowledged, and follows the time. */
  async start(): Promise<void> {
    const open = async (rule: AlertRule): Promise<void> => {
      const ended = await rule.open();
      await this.#sendSeparate(await rule.pending(), true);
      if (!this.#fields.flag("untilAcked")) await this.#sendSeparate(ended);
      for (const event of (await rule.undecided()).map(eventOfAlert)) if (event) this.#feeders.know(event);
      this.#status.ready(this.#memory.isShared);
    };
    await this.#serial.run(() => this.#withRule(open, undefined));
    if (!this.#closing.signal.aborted) this.#ticker.start();
  }

  /** Resolves when what the message changed survives a crash, and the messages are sent. */
  async take(task: Task): Promise<void> {
    const { left } = await this.#serial.run(() => this.#count(task));
    await left;
  }

  /** Counts a message. What it led to leaves when the memory is written: the event may be acknowledged then. */
  async #count({ msg, send, signal }: Task): Promise<{ left: Promise<void> }> {
    const isCounted = !isTest(msg) || this.#fields.flag("allowTest");
    const evidence = isCounted && (await evidenceOf(msg, this.#library, this.#levels, signal));
    let rule: AlertRule | undefined;
    const loaded = async () => {
      rule ??= await this.#memory.rule();
      return rule;
    };
    let isAccepted = false;
    // Its log came with other parameters before: to a verify event node, or to this one.
    let contradicts = isCounted && msg.crec?.contradicts === true;
    const leaving = await this.#alerting.take(msg, {
      signal,
      accept: async (input) => {
        isAccepted = true;
        const { log, isHighest } = evidence && evidence.kind === "log" ? evidence : {};
        const more = { ...(log ? { log } : {}), ...(isHighest === undefined ? {} : { isHighest }) };
        const accepted = await (await loaded()).accept({ ...input, ...more });
        this.#lookAtLimits(rule?.limits);
        contradicts ||= accepted.contradicts === true;
        return accepted;
      },
    });
    // An event that is not counted can still be evidence about an alert.
    const learned =
      evidence && !(isAccepted && evidence.kind === "log") ? await (await loaded()).learn(evidence) : [];
    await this.#sendSeparate(learned);
    const event = isTest(msg) ? undefined : eventOf(msg);
    if (event) this.#feeders.count(event);
    this.#ticker.look(rule?.nextCheckAt);
    const left = this.#leaving.run(async () => {
      await rule?.saved();
      this.#router.send(leaving, send);
      if (contradicts) {
        this.#status.contradicted();
        const key = override(msg, "dedupeKey");
        if (key !== undefined) noteContradiction(this.#node, this.#library.eventKeyOf(key));
      }
      this.#status.left(leaving, msg);
    });
    return { left };
  }

  /** `isDisabled`: by a person, for an unknown time. */
  async close({ isDisabled }: { isDisabled: boolean }): Promise<void> {
    this.#ticker.stop();
    this.#closing.abort();
    // A node behind this one may be closed already: what is not sent yet is sent after the next start.
    this.#router.close();
    await this.#serial.idle();
    await this.#leaving.idle();
    await this.#router.idle();
    this.#status.close();
    forgetKeyLimit(this.#node);
    this.#alerting.close();
    await this.#keep(this.#router.unsent);
    // With a channel, its reading says how much time has passed.
    if (isDisabled && !this.#fields.settings.channel)
      await this.#withRule((rule) => rule.suspend(), undefined);
    await this.#memory.close();
  }

  async #keep(outcomes: readonly AlertOutcome[]): Promise<void> {
    if (outcomes.length > 0) await this.#withRule((rule) => rule.keep(outcomes), undefined);
  }

  /** What the time alone leads to. Returns when there is something to do next. */
  #pass(at: number): Promise<number | undefined> {
    const pass = async (rule: AlertRule): Promise<number | undefined> => {
      await this.#sendSeparate(await rule.readUpTo(at));
      await this.#sendSeparate(await this.#pendingOfOthers(rule), true);
      this.#status.ready(this.#memory.isShared);
      return rule.nextCheckAt;
    };
    return this.#serial.run(() => this.#withRule(pass, undefined));
  }

  /** Other copies know by that that this one is there, also while it does not read: what is due is theirs. */
  #stay(): Promise<number | undefined> {
    const stay = async (rule: AlertRule): Promise<number | undefined> => {
      if (!this.#memory.isShared) return rule.nextCheckAt;
      await this.#sendSeparate(await rule.refresh());
      this.#status.ready(true);
      return undefined;
    };
    return this.#serial.run(() => this.#withRule(stay, undefined));
  }

  #lookAtLimits(limits: AlertLimits | undefined): void {
    const { notCounted, forgotten, forgottenEvents } = this.#limits;
    if (limits === undefined) return;
    const isSame = notCounted === limits.notCounted && forgotten === limits.forgotten;
    if (isSame && forgottenEvents === limits.forgottenEvents) return;
    this.#limits = limits;
    this.#status.limited(this.#limits);
    noteKeyLimit(this.#node, this.#limits);
  }

  /** `isStored`: they are what the rule keeps. */
  async #sendSeparate(outcomes: readonly AlertOutcome[], isStored?: true): Promise<void> {
    if (outcomes.length === 0) return;
    const separate = await this.#alerting.separate(outcomes, this.#closing.signal);
    this.#router.sendSeparate(separate, isStored);
    this.#status.told(separate);
  }

  /** Outcomes of another copy, which may have ended before it could send them. */
  async #pendingOfOthers(rule: AlertRule): Promise<AlertOutcome[]> {
    const isDue = this.#memory.isShared && performance.now() - this.#lookedAt > OTHERS_MS;
    if (!isDue) return [];
    this.#lookedAt = performance.now();
    const now = Date.now();
    return (await rule.pending()).filter((outcome) => now - timeOfOutcome(outcome) > OTHERS_MS);
  }

  /** Another copy may have been told. Where that cannot be known, it is sent again. */
  async #isPending(id: string): Promise<boolean> {
    if (!this.#memory.isShared) return true;
    try {
      const outcomes = await (await this.#memory.rule()).pending();
      return outcomes.some((outcome) => separateId(outcome) === id);
    } catch {
      return true;
    }
  }

  #acknowledge(outcome: AlertOutcome): Promise<boolean> {
    // Where that fails, it is sent again after a restart.
    return this.#withRule((rule) => rule.acknowledge(outcome), true);
  }

  /** What keeps the memory from being used is shown. */
  async #withRule<T>(work: (rule: AlertRule) => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work(await this.#memory.rule());
    } catch (error) {
      this.#status.problem(error);
      return otherwise;
    }
  }
}

/** Runs tasks one after the other, in the order of the calls. */
class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Resolves when no task is running. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
