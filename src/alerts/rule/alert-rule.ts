import type { Accepted, AlertInput, AlertOutcome, AlertSettings, AlertStore } from "../types.ts";

export type AlertRuleOptions = {
  /** Part of the ids of its alerts: the same after a restart, and on each copy. */
  id: string;
  settings: AlertSettings;
  /** Where its keys are remembered. The rule closes it. */
  store: AlertStore;
  /**
   * Whether inputs have keys of their own. Where they do not, an absence is watched from the first `readUpTo`.
   * @default false
   */
  forEach?: boolean | undefined;
  /**
   * Keeps outcomes that no input led to, such as an absence, until they are reported as told: see `untold`.
   * @default false
   */
  keepsUntold?: boolean | undefined;
  /** The present, in milliseconds. @default Date.now */
  now?: (() => number) | undefined;
  /** Called with a sentence when a limit is reached; at most once in ten minutes for each limit. @default ignores it */
  onWarning?: ((message: string) => void) | undefined;
};

/** Decides which inputs become alerts. Several copies may share a store: each alert is then raised by one of them. */
export class AlertRule {
  constructor(options: AlertRuleOptions) {
    void options;
  }

  /** When `readUpTo` next has something to do, in event time, in milliseconds; undefined while there is nothing. */
  get nextCheckAt(): number | undefined {
    throw new Error("not written yet");
  }

  /** Counts an input. Resolves when the store has what became of it. */
  accept(_input: AlertInput): Promise<Accepted> {
    throw new Error("not written yet");
  }

  /** Says that all inputs up to this event time were given: what was due by then is the answer. */
  readUpTo(_at: number): Promise<AlertOutcome[]> {
    throw new Error("not written yet");
  }

  /** Outcomes of `readUpTo` and `learn`, of this run and earlier ones, that were not reported as told. */
  untold(): Promise<AlertOutcome[]> {
    throw new Error("not written yet");
  }

  /** Forgets an outcome of `untold`. */
  told(_outcome: AlertOutcome): Promise<void> {
    throw new Error("not written yet");
  }

  /** Waits for what is under way, and closes the store. */
  close(): Promise<void> {
    throw new Error("not written yet");
  }
}
