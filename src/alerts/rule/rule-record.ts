import type { AlertStore } from "../types.ts";
import { CachedRecord } from "./cached-record.ts";
import { namesOf, type RecordForm } from "./record-form.ts";
import { ruleForm } from "./rule-form.ts";
import { type RuleState, startedAt } from "./rule-state.ts";
import type { SourceTimes } from "./source-times.ts";
import { MOST_AHEAD_MS } from "./state.ts";

export type RuleRecordOptions = {
  store: AlertStore;
  times: SourceTimes;
  /** See `AlertRuleOptions`. */
  fingerprint: string | undefined;
  onDifference: ((isDifferent: boolean) => void) | undefined;
};

/** What a rule remembers besides its keys. */
export class RuleRecord {
  readonly record: CachedRecord<RuleState>;
  readonly #options: RuleRecordOptions;
  readonly #form: RecordForm<RuleState>;

  constructor(options: RuleRecordOptions) {
    this.#options = options;
    this.#form = ruleForm(options.store);
    this.record = new CachedRecord(options.store, "", this.#form);
  }

  /** Undefined before the first input. */
  get value(): RuleState | undefined {
    return this.record.value;
  }

  /** The segments that it refers to. */
  get segments(): readonly string[] {
    return [...namesOf(this.#form, this.value)];
  }

  /** Reads it, again where another copy may have written. */
  async read(): Promise<void> {
    await this.record.read();
    this.#options.times.restore(this.value?.sources);
  }

  /** The rule sees everything from this event time on. */
  async start(at: number): Promise<void> {
    const { fingerprint } = this.#options;
    const state = { ...startedAt(at), ...(fingerprint === undefined ? {} : { fingerprint }) };
    await this.record.change((known) => ({ state: known ?? state }));
  }

  /** Before keys are removed, so that an input of theirs that comes again is known to be old. */
  async forgetUpTo(at: number): Promise<void> {
    await this.record.change((state) => ({
      state: state === undefined || state.forgottenUpTo >= at ? state : { ...state, forgottenUpTo: at },
    }));
  }

  /** A clock that was ahead may have stored times that were not reached. */
  async cutBack(now: number): Promise<void> {
    const { since = 0, forgottenUpTo = 0 } = this.value ?? {};
    if (Math.max(since, forgottenUpTo) <= now + MOST_AHEAD_MS) return;
    await this.#set({ since: Math.min(since, now), forgottenUpTo: Math.min(forgottenUpTo, now) });
  }

  /** So that after a restart no clock decides what the sources have reported. */
  async storeTimes(): Promise<void> {
    const { times } = this.#options;
    await this.record.change((state) => {
      // Another copy may have stored more.
      times.restore(state?.sources);
      const sources = times.stored(state?.sources);
      return { state: state === undefined || sources === state.sources ? state : { ...state, sources } };
    });
  }

  /** Whether another rule has written it. In a shared store, a copy may still count as before. */
  get isOfAnother(): boolean {
    const { fingerprint } = this.#options;
    return this.value !== undefined && fingerprint !== undefined && this.value.fingerprint !== fingerprint;
  }

  /** From now on it is that of this rule. */
  async claim(): Promise<void> {
    const { fingerprint } = this.#options;
    if (fingerprint !== undefined) await this.#set({ fingerprint });
  }

  /** Tells whether a copy that shares the store has another fingerprint. */
  noteDifference(): void {
    const { fingerprint, onDifference } = this.#options;
    if (fingerprint === undefined || this.value?.fingerprint === undefined) return;
    onDifference?.(this.isOfAnother);
  }

  /** Whether a person has stopped the rule: see `AlertRule.suspend`. */
  async setSuspended(isSuspended: boolean): Promise<void> {
    if ((this.value?.isSuspended ?? false) !== isSuspended) await this.#set({ isSuspended });
  }

  /** See `RuleClock`. */
  async setHeld(heldMs: number): Promise<void> {
    if ((this.value?.heldMs ?? 0) !== heldMs) await this.#set({ heldMs });
  }

  async #set(change: Partial<RuleState>): Promise<void> {
    await this.record.change((state) => ({ state: state && { ...state, ...change } }));
  }
}
