import type { AlertInput, AlertOutcome, AlertSettings, PassedReason } from "../types.ts";
import type { KeyState, StepContext } from "./state.ts";

/** The input of each kind of step: new, and not too late. */
export type Arrival = {
  settings: AlertSettings;
  state: KeyState;
  input: AlertInput;
  /** The event time, bounded. */
  at: number;
  /** A hash of the input's id. */
  id: string | undefined;
  context: StepContext;
};

/** What is reported besides the outcomes. */
export type StepWarning = "details" | "ahead";

export type Stepped = {
  /** The same object where nothing changed; undefined where nothing is to be remembered. */
  state: KeyState | undefined;
  passed: PassedReason | undefined;
  outcomes: AlertOutcome[];
  warnings: StepWarning[];
  /** See `Accepted`. */
  contradicts?: true;
};
