import { type Learned, learn, nextSettleAt, settle, watchAlert, watchStateOf } from "../taken-back/index.ts";
import type { AlertEvidence, AlertInput, AlertOutcome, AlertSettings, RaisedAlert } from "../types.ts";
import { openIn, withoutLogOf } from "./aside.ts";
import { recordKeyOf } from "./ids.ts";
import { listed, withoutOutcome, withPending } from "./pending.ts";
import type { CachedRecord } from "./records/cached-record.ts";
import type { KeyRecords } from "./records/key-records.ts";
import { type RuleState, startedAt } from "./rule-state.ts";
import { boundedTime } from "./state.ts";

type WatchState = ReturnType<typeof watchStateOf>;

type RuleWatchOptions = {
  settings: AlertSettings;
  rule: CachedRecord<RuleState>;
  keys: KeyRecords;
  isShared: boolean;
  keepsPending: boolean;
  now: () => number;
  /** Called with the alerts that were taken back or not confirmed. */
  onOutcomes: (outcomes: readonly AlertOutcome[]) => void;
};

/** Watches the alerts of a rule whose blocks are not final. Its state is in the rule's own record. */
export class RuleWatch {
  readonly #options: RuleWatchOptions;

  constructor(options: RuleWatchOptions) {
    this.#options = options;
  }

  /** The event time from which on `settle` has something to do. */
  get nextDueAt(): number | undefined {
    const { rule, settings } = this.#options;
    return nextSettleAt(watchStateOf(rule.value?.watch), settings);
  }

  /** Those that are watched. */
  get alerts(): RaisedAlert[] {
    return watchStateOf(this.#options.rule.value?.watch)
      .watched.all()
      .map(({ alert }) => alert);
  }

  /** The alert that the log of an input has raised, perhaps from another block. */
  async learnFrom(
    input: AlertInput,
  ): Promise<Pick<Learned, "belongsTo" | "again" | "beside" | "contradicts">> {
    const { log, isHighest, redelivered } = input;
    if (log === undefined || this.#isOff) return {};
    const { rule, isShared, now } = this.#options;
    if (isShared) await rule.read();
    const evidence: AlertEvidence = {
      kind: "log",
      log,
      at: boundedTime(input.at, now()),
      ...(isHighest === undefined ? {} : { isHighest }),
      ...(redelivered === undefined ? {} : { redelivered }),
    };
    return this.#change((watch) => learn(watch, evidence, this.#moment()));
  }

  async learn(evidence: AlertEvidence): Promise<void> {
    if (this.#isOff) return;
    await this.#change((watch) => learn(watch, evidence, this.#moment()));
  }

  /** A program that ended in between left an alert open that was taken back. */
  async resume(): Promise<void> {
    for (const outcome of listed([this.#options.rule.value])) {
      if (outcome.kind !== "takenBack" || outcome.stands || outcome.isOpen) continue;
      await this.#withdraw(outcome.alert);
    }
  }

  /** Decides what was due by an event time. */
  async settle(time: number): Promise<void> {
    if (this.#isOff) return;
    await this.#change((watch) => settle(watch, this.#options.settings, time));
  }

  async add(
    { alert, repeated }: AlertOutcome & { kind: "alert" },
    isHighest: boolean | undefined,
  ): Promise<void> {
    if (this.#isOff) return;
    const now = this.#options.now();
    await this.#change((watch) => ({
      state: watchAlert(watch, alert, { now, isHighest, isRepeated: repeated === true }),
      outcomes: [],
    }));
  }

  get #isOff(): boolean {
    return this.#options.settings.confirmWithinMs === undefined;
  }

  #moment(): { now: number; slackMs: number } {
    const { now, settings } = this.#options;
    return { now: now(), slackMs: settings.slackMs };
  }

  async #change<Changed extends { state: WatchState; outcomes: AlertOutcome[] }>(
    change: (watch: WatchState) => Changed,
  ): Promise<Changed> {
    const { rule, keepsPending, now, onOutcomes } = this.#options;
    const { changed } = await rule.change((state) => {
      const before = watchStateOf(state?.watch);
      const changed = change(before);
      if (changed.state === before) return { state, changed };
      // A shared store may have forgotten it.
      const known = state ?? startedAt(now());
      const kept = keepsPending ? withPending(known, changed.outcomes) : known;
      return { state: { ...kept, watch: changed.state }, changed };
    });
    const outcomes: AlertOutcome[] = [];
    for (const outcome of changed.outcomes) {
      const isUndone = outcome.kind === "takenBack" && !outcome.stands;
      outcomes.push(
        isUndone && (await this.#withdraw(outcome.alert)) ? await this.#asOpen(outcome) : outcome,
      );
    }
    onOutcomes(outcomes);
    return changed;
  }

  /** An alert that was taken back keeps no other one quiet, and its log does not count. Returns whether it stays open. */
  async #withdraw(alert: RaisedAlert): Promise<boolean> {
    const { keys, settings, rule } = this.#options;
    const record = await keys.find(recordKeyOf(alert.key));
    if (record === undefined) return false;
    const since = rule.value?.since ?? 0;
    const { state: left } = await record.change((state) => ({
      state: state && withoutLogOf(settings, state, alert, since),
    }));
    keys.settle(record);
    return openIn(left).some(({ active }) => active?.id === alert.id);
  }

  /** Other events hold the alert, which stays open. */
  async #asOpen(outcome: AlertOutcome & { kind: "takenBack" }): Promise<AlertOutcome> {
    const open = { ...outcome, isOpen: true as const };
    await this.#options.rule.change((state) => {
      const rest = withoutOutcome(state, outcome);
      return { state: rest === undefined || rest === state ? state : withPending(rest, [open]) };
    });
    return open;
  }
}
