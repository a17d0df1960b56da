import { randomUUID } from "node:crypto";
import { readJournal, sealed } from "../../journal/stored-journal.ts";
import { readWatch, sealedWatch } from "../../taken-back/index.ts";
import type { AlertStore } from "../../types.ts";
import { ruleNameOf } from "../ids.ts";
import { areOutcomes, pendingOf } from "../pending.ts";
import type { SourceTimes } from "../rule-clock.ts";
import { isRuleState, type RuleState, startedAt } from "../rule-state.ts";
import {
  isInUse,
  OtherRules,
  type RuleUse,
  type RuleUses,
  SAID_EACH_MS,
  withoutUse,
  withUnknown,
  withUse,
} from "../rule-uses.ts";
import { MOST_AHEAD_MS } from "../state.ts";
import { CachedRecord, namesOf, type RecordForm } from "./cached-record.ts";

type RuleRecordOptions = {
  store: AlertStore;
  times: SourceTimes;
  /** See `AlertRuleOptions`. */
  fingerprint: string | undefined;
  onDifference: ((isDifferent: boolean) => void) | undefined;
};

/** What a rule remembers besides its keys. */
export class RuleRecord {
  readonly record: CachedRecord<RuleState>;
  /** Of the rule, where copies with other ones may share its store. */
  readonly name: string | undefined;
  readonly #copy = randomUUID().slice(0, 8);
  readonly #others = new OtherRules();
  readonly #options: RuleRecordOptions;
  readonly #form: RecordForm<RuleState>;

  constructor(options: RuleRecordOptions) {
    this.#options = options;
    const { fingerprint, store } = options;
    this.name = store.isShared && fingerprint !== undefined ? ruleNameOf(fingerprint) : undefined;
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
  async start(at: number, now: number): Promise<void> {
    const { fingerprint } = this.#options;
    const state = { ...startedAt(at), ...(fingerprint === undefined ? {} : { fingerprint }) };
    // Another copy may have started meanwhile.
    await this.record.change((known) => ({ state: this.#used(known ?? state, now, true) }));
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

  /** Whether another rule has written it last. */
  get isOfAnother(): boolean {
    const { fingerprint } = this.#options;
    return this.value !== undefined && fingerprint !== undefined && this.value.fingerprint !== fingerprint;
  }

  /** From now on it is that of this rule. */
  async claim(now: number): Promise<void> {
    const { fingerprint } = this.#options;
    if (fingerprint === undefined) return;
    await this.record.change((state) => ({
      state: state && { ...this.#used(state, now, true), fingerprint },
    }));
  }

  /** Says that this copy is there: where others have another rule each time, else once an hour. */
  async stay(now: number): Promise<void> {
    const { uses = [] } = this.value ?? {};
    const own = uses.find(({ rule }) => rule === this.name)?.copies.find(([copy]) => copy === this.#copy);
    if (this.name === undefined || (uses.length === 1 && own && now - own[1] < SAID_EACH_MS)) return;
    await this.record.change((state) => ({ state: state && this.#used(state, now, false) }));
  }

  /** The rules that no copy has any more, for the copies with the newest one to end what is open by them. `ofKeys`: of keys. */
  async lookAtOthers(now: number, elapsed: number, ofKeys: ReadonlySet<string>): Promise<RuleUse[]> {
    const { uses } = this.value ?? {};
    if (uses === undefined || this.name === undefined) return [];
    const { gone, isNewest, isDifferent } = this.#others.look(withUnknown(uses, ofKeys), this.name, elapsed);
    this.#options.onDifference?.(isDifferent);
    if (isNewest && uses.at(-1)?.rule !== this.name) await this.claim(now);
    return gone;
  }

  /** Nothing of them is left. One that a copy has again meanwhile is kept. */
  async forget(gone: readonly RuleUse[]): Promise<void> {
    const left = new Map(gone.map(({ rule, copies }) => [rule, JSON.stringify(copies)]));
    const isLeft = ({ rule, copies }: RuleUse) => left.get(rule) !== JSON.stringify(copies);
    await this.record.change((state) => ({
      state: state?.uses ? { ...state, uses: state.uses.filter(isLeft) } : state,
    }));
  }

  /** This copy ends. `isStopped`: by a person; unless another copy goes on, that is noted: see `AlertRule.suspend`. */
  async leave(now: number, { isStopped = false } = {}): Promise<void> {
    const { name: rule } = this;
    // One change: of copies that leave at once, the last one knows that it is the last.
    await this.record.change((state) => {
      const uses = state?.uses && rule && withoutUse(state.uses, { rule, copy: this.#copy, at: now });
      if (state === undefined || !(uses || isStopped)) return { state };
      const isOver = isStopped && !isInUse(uses || [], now);
      return {
        state: { ...state, ...(uses && { uses, leftAt: now }), ...(isOver && { isSuspended: true }) },
      };
    });
  }

  /** It is watched again. */
  async resume(): Promise<void> {
    if (this.value?.isSuspended) await this.#set({ isSuspended: false });
  }

  /** See `RuleClock`. */
  async setHeld(heldMs: number): Promise<void> {
    if ((this.value?.heldMs ?? 0) !== heldMs) await this.#set({ heldMs });
  }

  /** `isDeployed`: this rule is the newest one. */
  #used(state: RuleState, at: number, isDeployed: boolean): RuleState {
    const { name: rule } = this;
    if (rule === undefined) return state;
    return { ...state, uses: withUse(usesOf(state), { rule, copy: this.#copy, at }, isDeployed) };
  }

  async #set(change: Partial<RuleState>): Promise<void> {
    await this.record.change((state) => ({ state: state && { ...state, ...change } }));
  }
}

/** Before copies were noted, only the rule that wrote last was. */
function usesOf({ uses, fingerprint }: RuleState): RuleUses {
  if (uses !== undefined || fingerprint === undefined) return uses ?? [];
  return [{ rule: ruleNameOf(fingerprint), copies: [] }];
}

/** The form of the record of a rule. */
export function ruleForm(store: AlertStore): RecordForm<RuleState> {
  return {
    read: async (_key, value, known) => {
      if (!isRuleState(value)) return undefined;
      const { watch, pending, ...state } = value;
      const kept = areOutcomes(pending)
        ? pendingOf(pending)
        : (await readJournal(pending, store, areOutcomes, known?.pending))?.journal;
      return {
        ...state,
        ...(watch === undefined ? {} : { watch: await readWatch(watch, store, known?.watch) }),
        ...(kept && { pending: kept }),
      };
    },
    sealed: async (state) => {
      const watch = state.watch && (await sealedWatch(state.watch, store));
      const pending = state.pending && (await sealed(state.pending, store));
      if (watch === state.watch && pending === state.pending) return state;
      return { ...state, ...(watch && { watch }), ...(pending && { pending }) };
    },
    stored: ({ watch, pending, ...state }) => ({
      ...state,
      ...(watch && { watch: { ...watch, watched: watch.watched.toJSON(), past: watch.past.toJSON() } }),
      ...(pending && { pending: pending.toJSON() }),
    }),
    renewed: (state) => (state.pending ? { ...state, pending: state.pending.renewed() } : state),
    journals: ({ watch, pending }) => [watch?.watched.journal, watch?.past, pending],
  };
}
