import { systemClock } from "../../timing/index.ts";
import { evidenceKind, inputKind, outcomeKind, outcomesKind } from "../input-kinds.ts";
import { isSegment, removeSegments } from "../journal/stored-journal.ts";
import type {
  Accepted,
  AlertEvidence,
  AlertInput,
  AlertLimits,
  AlertOutcome,
  AlertSettings,
  AlertStore,
  RaisedAlert,
} from "../types.ts";
import { afterChange, asOfRule, ofRule, openIn, waitingFrom, watchedFrom, withoutRules } from "./aside.ts";
import { type AlertRuleOptions, noteOpen, ruleOptions, time as timeKind } from "./check-settings.ts";
import { logOf, recordKeyOf } from "./ids.ts";
import { quietEndOf, withDetailsOnce } from "./incident.ts";
import { dueAt, idleAt, overAt, passTime, remaining } from "./pass-time.ts";
import { hasPending, listed, withoutOutcome, withPending } from "./pending.ts";
import { KeyRecords } from "./records/key-records.ts";
import { RuleRecord } from "./records/rule-record.ts";
import { type Report, Reports } from "./reports.ts";
import { RuleClock, SourceTimes } from "./rule-clock.ts";
import { type RuleState, startedAt, tellLimit } from "./rule-state.ts";
import { RuleWatch } from "./rule-watch.ts";
import {
  awaitedFrom,
  boundedTime,
  isOfState,
  type KeyState,
  MOST_AHEAD_MS,
  type StepContext,
  UNAWAITED,
} from "./state.ts";
import { step } from "./step.ts";

/** How often the records of other copies are looked at. */
const REFRESH_MS = 10_000;
const REREAD_AT_ONCE = 100;
/** While a store cannot be reached, inputs may fail without end. */
const MOST_FAILED = 1_000;

/**
 * Decides which inputs become alerts, and remembers in a store what it needs for that. Several copies may share a
 * store: each alert is then raised by one of them.
 */
export class AlertRule {
  readonly #id: string;
  readonly #settings: AlertSettings;
  readonly #store: AlertStore;
  readonly #forEach: boolean;
  readonly #keepsPending: boolean;
  readonly #clock: RuleClock;
  readonly #elapsed: () => number;
  readonly #onClockStep: (message: string) => void;
  /** Of its settings: what another open rule with its id must have too. */
  readonly #common: string;
  readonly #reports: Reports;
  readonly #rule: RuleRecord;
  readonly #keys: KeyRecords;
  readonly #watch: RuleWatch;
  readonly #times = new SourceTimes();
  /** The next call returns them: also where the call that led to them failed. */
  #unreturned: AlertOutcome[] = [];
  /** The ids of inputs that failed: the store may have what they led to, which nobody heard of. */
  readonly #failed = new Set<string>();
  #loading: Promise<void> | undefined;
  #closed = (): void => {};
  #refreshedAt = 0;
  /** The clocks came to disagree, and what waits has not begun again. */
  #isStepped = false;

  /** @throws {ArgumentError} for settings with which no alert could be raised as meant. */
  constructor(options: AlertRuleOptions) {
    const given = ruleOptions(options);
    const { id, settings, store, onWarning = () => {} } = given;
    const wallClock = given.now ?? systemClock.now;
    const elapsed = given.elapsed ?? given.now ?? systemClock.elapsed;
    this.#id = id;
    this.#settings = settings;
    this.#store = store;
    this.#forEach = given.forEach ?? false;
    this.#keepsPending = given.keepsPending ?? false;
    this.#common = JSON.stringify([settings, given.fingerprint]);
    this.#elapsed = elapsed;
    this.#clock = new RuleClock({ now: wallClock, elapsed });
    this.#onClockStep = given.onClockStep ?? (() => {});
    const now = () => this.#clock.now;
    this.#reports = new Reports(id, now, onWarning);
    const report = (kind: Report) => this.#reports.add(kind);
    const { fingerprint, onDifference } = given;
    this.#rule = new RuleRecord({ store, times: this.#times, fingerprint, onDifference });
    const { name } = this.#rule;
    this.#keys = new KeyRecords({
      store,
      maxKeys: settings.maxKeys,
      // Each event of a new key is an alert, whatever else the rule has to remember.
      leavesToStore: settings.when.kind === "each",
      keepsPending: this.#keepsPending,
      report,
      overAt: (state) => overAt(settings, ofRule(state, name)),
      isUntold: (state) => quietEndOf(settings, ofRule(state, name)) !== undefined,
      remaining: (state, at) => {
        const own = ofRule(state, name);
        const left = remaining(settings, own, at);
        return left === own ? state : left;
      },
      givenUpTo: () => this.#times.givenUpTo(settings.slackMs),
      beforeRemoval: (at) => this.#rule.forgetUpTo(at),
      dueAt: (stored) => {
        const state = ofRule(stored, name);
        const due = dueAt(settings, state, this.#rule.value?.since ?? 0);
        const idle = this.#times.isKnown || state.isPast ? undefined : idleAt(settings, state);
        return idle === undefined || (due !== undefined && due < idle) ? due : idle;
      },
    });
    this.#watch = new RuleWatch({
      ...{ settings, now, rule: this.#rule.record, keys: this.#keys },
      isShared: store.isShared === true,
      keepsPending: this.#keepsPending,
      onOutcomes: (outcomes) => this.#unreturned.push(...outcomes),
    });
  }

  /**
   * The time from which on `readUpTo` has something to do, in milliseconds; undefined while there is nothing, and before
   * the first call of another method.
   */
  get nextCheckAt(): number | undefined {
    const ofKeys = this.#keys.nextDueAt;
    const due = ofKeys === undefined ? undefined : ofKeys + this.#times.behindMs;
    const times = [this.#watch.nextDueAt, due].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : this.#clock.wallTimeOf(Math.min(...times));
  }

  /** What it could not remember since it was opened. */
  get limits(): AlertLimits {
    const { refused, forgotten, forgottenEvents } = this.#keys;
    return { notCounted: refused, forgotten, forgottenEvents };
  }

  /** Reads the store, as each other method does first. Resolves with the alerts that ended because the rule was changed. */
  async open(): Promise<AlertOutcome[]> {
    await this.#load();
    return this.#unreturned.splice(0);
  }

  /**
   * Counts an input. Resolves when the store has what became of it: acknowledge the event after its outcomes were sent.
   * @throws {CrecError} `ALERTS_BUSY`, and what the store throws. Then pass the input again.
   */
  async accept(input: AlertInput): Promise<Accepted> {
    inputKind(input, "input");
    // Two readings of a log have the same id.
    const id = input.id && input.log ? `${input.id} ${input.log.content}` : input.id;
    const isRetry = id !== undefined && this.#failed.delete(id);
    try {
      return await this.#accept({ ...input, isRetry });
    } catch (error) {
      if (id !== undefined && this.#failed.size < MOST_FAILED) this.#failed.add(id);
      throw error;
    }
  }

  async #accept({ isRetry, ...input }: AlertInput & { isRetry?: boolean }): Promise<Accepted> {
    await this.#load();
    if (input.log !== undefined) this.#clock.note(input.at);
    await this.#lookAtClock();
    const now = this.#clock.now;
    const time = boundedTime(input.at, now);
    await this.#started(time);
    const source = input.log?.source ?? input.source;
    if (source !== undefined) {
      const [{ slackMs }, { reportedAt }] = [this.#settings, input];
      if (this.#times.note(source, time, { now, slackMs, reportedAt })) await this.#rule.storeTimes();
    }
    // What a source reports in order cannot be among what was forgotten.
    const before = source === undefined ? undefined : this.#times.before(source, time);
    const { belongsTo, again = 0, beside = 0, contradicts } = await this.#watch.learnFrom(input);
    const key = recordKeyOf(input.key);
    if (!input.matches && !isOfState(this.#settings) && !this.#keys.has(key)) {
      return this.#passed("no_match", contradicts);
    }
    const once = withDetailsOnce(withLog(isRetry ? { ...input, redelivered: true } : input, again + beside));
    const stepOf = (state: KeyState | undefined) =>
      step(this.#settings, state, once, {
        ...this.#context(key, now, before),
        ...(input.log && { log: logOf(input.log, again) }),
        isCounted: belongsTo !== undefined,
        isBeside: beside > 0,
      });
    const record = await this.#keys.use(key);
    if (record === undefined) {
      const { state, passed } = stepOf(undefined);
      // It does not count, whether there is room or not.
      if (state === undefined) return this.#passed(passed, contradicts);
      return this.#passed("limit", contradicts, await this.#refused(now));
    }
    try {
      // Another copy may have raised the alert, and ended before it was sent.
      if (belongsTo !== undefined && this.#store.isShared) await record.read();
      const stepped = await record.change(asOfRule(this.#rule.name, stepOf));
      for (const warning of stepped.warnings) this.#reports.add(warning);
      for (const outcome of stepped.outcomes) {
        if (outcome.kind === "alert") await this.#watch.add(outcome, input.isHighest);
      }
      return this.#passed(stepped.passed, contradicts ?? stepped.contradicts, stepped.outcomes);
    } finally {
      await this.#keys.settleIdle(record);
    }
  }

  /**
   * Says that the channel was read up to this time, in milliseconds: what was due by then is the answer. Call it only with
   * a time up to which all was given, so that an outage does not become an absence. Inputs with a `log` or a
   * `source` show how far behind this time their sources are, and up to when these have reported: by that, time passes, and
   * a key is over. Of other inputs, `readUpTo` alone removes keys whose time is over: without it, a rule with `maxKeys`
   * keys counts no further ones.
   * @throws {CrecError} `ALERTS_BUSY`, and what the store throws. The next call has the outcomes.
   */
  async readUpTo(at: number): Promise<AlertOutcome[]> {
    timeKind(at, "at");
    await this.#load();
    await this.#lookAtClock();
    await this.#refresh();
    const now = this.#clock.now;
    const read = boundedTime(this.#clock.timeOf(at), now);
    const time = this.#times.readUpTo(read);
    await this.#started(time);
    await this.#watch.settle(read);
    const over = this.#times.isKnown ? this.#times.reportedUpTo(this.#settings.slackMs) : time;
    for (let due = this.#keys.takeDue(time); due.length > 0; due = this.#keys.takeDue(time)) {
      if (over !== undefined) await this.#rule.forgetUpTo(over);
      const results = await Promise.allSettled(
        due.map(async (record) => {
          const context = this.#context(record.key, now);
          const pass = (state: KeyState | undefined) =>
            state === undefined
              ? { state, outcomes: [] }
              : passTime(this.#settings, state, { time, over }, context);
          const passed = await record.change(asOfRule(this.#rule.name, pass));
          this.#unreturned.push(...passed.outcomes);
        }),
      );
      for (const record of due) await this.#keys.settleIdle(record);
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    }
    if (this.#times.isKnown) {
      if (over !== undefined) await this.#keys.removeOver(over);
      await this.#rule.storeTimes();
    }
    await this.#keys.expire(time);
    return this.#unreturned.splice(0);
  }

  /** Says what is proven besides the inputs, such as by the answer of a query. */
  async learn(evidence: AlertEvidence): Promise<AlertOutcome[]> {
    evidenceKind(evidence, "evidence");
    await this.#load();
    await this.#started(this.#clock.now);
    await this.#watch.learn(evidence);
    return this.#unreturned.splice(0);
  }

  /** Outcomes that were kept, of this run and earlier ones, and not acknowledged. The oldest comes first. */
  async pending(): Promise<AlertOutcome[]> {
    await this.#load();
    return listed([this.#rule.value, ...this.#keys.all().map((record) => record.value)]);
  }

  /** The alerts that are open, or may still be taken back. */
  async undecided(): Promise<RaisedAlert[]> {
    await this.#load();
    const open = this.#keys.all().flatMap(({ value }) => openIn(value).flatMap(({ active }) => active ?? []));
    return [...open, ...this.#watch.alerts];
  }

  /** Keeps outcomes that could not be sent, until they are acknowledged: see `pending`. */
  async keep(outcomes: readonly AlertOutcome[]): Promise<void> {
    outcomesKind(outcomes, "outcomes");
    await this.#load();
    const now = this.#clock.now;
    await this.#rule.record.change((state) => ({ state: withPending(state ?? startedAt(now), outcomes) }));
  }

  /** Forgets an outcome of `pending`. Resolves with whether it was still kept: of several copies, for one only. */
  async acknowledge(outcome: AlertOutcome): Promise<boolean> {
    outcomeKind(outcome, "outcome");
    await this.#load();
    const forget = <State extends KeyState | RuleState>(known: State | undefined) => {
      const state = withoutOutcome(known, outcome);
      return { state, isKept: state !== known };
    };
    if ((await this.#rule.record.change(forget)).isKept) return true;
    // A long key is shown without its end, and has to be looked for.
    const own = this.#keys.inMemory(recordKeyOf(outcome.alert.key));
    const isOwn = withoutOutcome(own?.value, outcome) !== own?.value;
    let wasKept = false;
    for (const record of own && isOwn ? [own] : this.#keys.all()) {
      if (!hasPending(record.value)) continue;
      const { isKept } = await record.change(forget);
      wasKept ||= isKept;
      this.#keys.settle(record);
    }
    return wasKept;
  }

  /**
   * Resolves when what was counted so far survives a crash. Acknowledge an event after that: what a store has only in
   * memory would be lost with the crash, and the event would not come again.
   */
  async saved(): Promise<void> {
    await this.#store.flush?.();
  }

  /**
   * Notes that a person stops the rule, for an unknown time: the next `open` begins to wait for what is absent. Time passes
   * without the rule after a restart as well, but then what was absent is told. Where another copy has the rule open, it
   * goes on, and nothing is noted. Close the rule afterwards.
   */
  async suspend(): Promise<void> {
    await this.#load();
    await this.#rule.leave(this.#clock.now, { isStopped: true });
  }

  /**
   * Says that this copy is there, and looks at what others did, as `readUpTo` does. For a copy of a shared store that waits
   * to read: call it every few seconds. Resolves with the alerts that ended because the rule was changed.
   * @throws {CrecError} `ALERTS_BUSY`, and what the store throws
   */
  async refresh(): Promise<AlertOutcome[]> {
    await this.#load();
    await this.#refresh();
    return this.#unreturned.splice(0);
  }

  /** Waits for what is under way, and closes the store. */
  async close(): Promise<void> {
    const isOpen = await this.#loading?.then(
      () => true,
      () => false,
    );
    try {
      const unreturned = this.#keepsPending ? [] : this.#unreturned;
      if (isOpen && unreturned.length > 0) await this.keep(unreturned).catch(() => {});
      // Without it, the others notice after some time that this copy has ended.
      if (isOpen) await this.#rule.leave(this.#clock.now).catch(() => {});
      await Promise.all([this.#rule.record, ...this.#keys.all()].map((record) => record.settled()));
      await this.#store.close();
    } finally {
      this.#closed();
    }
  }

  #load(): Promise<void> {
    this.#loading ??= this.#opened().catch((error) => {
      this.#closed();
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #opened(): Promise<void> {
    // Another copy of a shared store may have other settings for a while.
    if (!this.#store.isShared) this.#closed = noteOpen(this.#id, this.#common);
    this.#clock.start();
    await this.#rule.read();
    await this.#keys.load();
    const { heldMs } = this.#rule.value ?? {};
    if (heldMs) this.#clock.hold(heldMs, this.#keys.newest);
    await this.#watch.resume();
    await this.#endChanged();
    if (this.#rule.value?.isSuspended || heldMs) await this.#beginAgain();
    else await this.#cutBack();
    await this.#removeUnreferenced();
    this.#refreshedAt = this.#clock.now;
  }

  /** What is open by another rule has no end by this one. */
  async #endChanged(): Promise<void> {
    const { isOfAnother, name, value } = this.#rule;
    const isChanged = isOfAnother && value?.fingerprint !== undefined;
    if (isChanged && name === undefined) {
      await this.#keys.changeAll((state) => afterChange(state, this.#moment), this.#unreturned);
    }
    // The rule before may have no key.
    if (isChanged) await this.#watchAbsence(this.#clock.now);
    // Last: a program that ends in between ends the others at its next start.
    if (isOfAnother || name !== undefined) await this.#rule.claim(this.#clock.now);
    await this.#endOfOthers();
  }

  /** In a shared store, what is open by another rule is over once no copy has that rule. */
  async #endOfOthers(): Promise<void> {
    const { name } = this.#rule;
    if (name === undefined) return;
    const gone = await this.#rule.lookAtOthers(this.#clock.now, this.#elapsed(), this.#keys.rules);
    if (gone.length === 0) return;
    const [rules, moment] = [gone.map(({ rule }) => rule), { ...this.#moment, rule: name }];
    await this.#keys.changeAll((state) => withoutRules(state, rules, moment), this.#unreturned);
    await this.#rule.forget(gone);
  }

  get #moment(): { settings: AlertSettings; now: number; keepsPending: boolean } {
    return { settings: this.#settings, now: this.#clock.now, keepsPending: this.#keepsPending };
  }

  async #lookAtClock(): Promise<void> {
    if (this.#clock.look()) this.#isStepped = true;
    if (!this.#isStepped) return;
    this.#refreshedAt = 0;
    // Until the store has it.
    await this.#beginAgain();
    this.#isStepped = false;
    if (this.#settings.when.kind === "absence") this.#reports.add("clock", this.#onClockStep);
  }

  /** An absence waits anew; also after a restart while the machine's clock is not believed. */
  async #beginAgain(): Promise<void> {
    await this.#rule.cutBack(this.#clock.now);
    await this.#waitFrom(0);
    await this.#rule.resume();
    // Another copy has another clock.
    if (!this.#store.isShared) await this.#rule.setHeld(this.#clock.heldMs);
  }

  /** A clock that was ahead, or an earlier version, may have left waits that begin later than now. */
  async #cutBack(): Promise<void> {
    const now = this.#clock.now;
    await this.#rule.cutBack(now);
    if (this.#keys.newest > now + MOST_AHEAD_MS) await this.#waitFrom(now + MOST_AHEAD_MS);
  }

  /** What is absent since a time is awaited from now on. */
  async #waitFrom(since: number): Promise<void> {
    if (this.#settings.when.kind !== "absence") return;
    const now = this.#clock.now;
    const waiting = (state: KeyState) =>
      (awaitedFrom(state) ?? 0) < since ? state : waitingFrom(state, now);
    await this.#keys.changeAll((state) => {
      const own = ofRule(state, this.#rule.name);
      const left = waiting(own);
      return { state: left === own ? state : left, outcomes: [] };
    }, []);
  }

  /** A program that ended between two writes left segments that nothing refers to. A shared store forgets them by itself. */
  async #removeUnreferenced(): Promise<void> {
    if (this.#store.isShared) return;
    const segments = (await this.#store.keys()).filter(isSegment);
    if (segments.length === 0) return;
    const used = await this.#keys.segments();
    for (const name of this.#rule.segments) used.add(name);
    await removeSegments(
      segments.filter((name) => !used.has(name)),
      this.#store,
    );
  }

  /** Other copies may have new keys, and newer states of those that are known. */
  async #refresh(): Promise<void> {
    if (!this.#store.isShared || this.#clock.now - this.#refreshedAt < REFRESH_MS) return;
    this.#refreshedAt = this.#clock.now;
    await this.#rule.read();
    await this.#rule.stay(this.#refreshedAt);
    await this.#rule.record.keep(this.#refreshedAt);
    await this.#keys.load();
    await this.#keys.reread(REREAD_AT_ONCE, this.#refreshedAt);
    await this.#endOfOthers();
  }

  /** The first event time that the rule knows of: from then on it sees everything. */
  async #started(at: number): Promise<void> {
    const isNew = this.#rule.value === undefined;
    // First: a program that ends in between starts again here.
    if (isNew || this.#isUnawaited) await this.#watchAbsence(at);
    if (isNew) await this.#rule.start(at, this.#clock.now);
  }

  /** Copies with another rule may have taken this one for ended, and removed what it waits for. */
  get #isUnawaited(): boolean {
    const known = this.#keys.inMemory(recordKeyOf(""))?.value;
    return known !== undefined && ofRule(known, this.#rule.name).from === UNAWAITED;
  }

  /** Without keys, an absence is awaited before there is an event. */
  async #watchAbsence(since: number): Promise<void> {
    if (this.#settings.when.kind !== "absence" || this.#forEach) return;
    const record = await this.#keys.use(recordKeyOf(""));
    const watched = (known: KeyState | undefined) => ({ state: watchedFrom(known, since) });
    await record?.change(asOfRule(this.#rule.name, watched));
    if (record !== undefined) this.#keys.settle(record);
  }

  #context(recordKey: string, now: number, before = Number.POSITIVE_INFINITY): StepContext {
    return {
      ruleId: this.#id,
      recordKey,
      now,
      since: this.#rule.value?.since ?? 0,
      // Another copy's clock may be ahead.
      forgottenUpTo: Math.min(this.#rule.value?.forgottenUpTo ?? 0, before, now),
      reportedUpTo: this.#times.slowest,
      keepsPending: this.#keepsPending,
    };
  }

  /** An input of a new key is not counted, because there are too many. */
  async #refused(now: number): Promise<AlertOutcome[]> {
    this.#keys.refuse();
    const [ruleId, count, keepsPending] = [this.#id, this.#keys.refused, this.#keepsPending];
    const told = await this.#rule.record.change((state) =>
      tellLimit(state, { ruleId, now, keepsPending, count }),
    );
    return told.outcomes;
  }

  #passed(
    passed: Accepted["passed"],
    contradicts: true | undefined,
    outcomes: AlertOutcome[] = [],
  ): Accepted {
    const all = [...this.#unreturned.splice(0), ...outcomes];
    return { passed, outcomes: all, ...(contradicts && { contradicts }) };
  }
}

/**
 * The id of a log is made from its transaction and its index. Both may be the same in another block, with another
 * content, or with another one of the same logs. `number`: of alerts of the same log that were taken back before, or
 * that stand beside it.
 */
function withLog(input: AlertInput, number: number): AlertInput {
  const { id, log } = input;
  return id === undefined || log === undefined
    ? input
    : { ...input, id: `${id} ${log.blockNumber} ${log.content} ${number}` };
}
