import { toSmallestUnit } from "../../abi/index.ts";
import { ArgumentError } from "../../errors.ts";
import {
  aNumber,
  callable,
  checkedBy,
  flag,
  type Kind,
  like,
  name,
  oneOf,
  optional,
  options,
  options as optionsOf,
  positiveWhole,
  text,
  whole,
} from "../../options/index.ts";
import { storeKind } from "../input-kinds.ts";
import type { AlertSettings, AlertStore, AlertWhen } from "../types.ts";

/** Longer times than a thousand years are mistakes. */
const LONGEST_MS = 1_000 * 366 * 24 * 60 * 60_000;

export const time = aNumber("a time in milliseconds, 0 or more", (ms) => ms >= 0 && ms <= LONGEST_MS);
export const someTime = aNumber("a time in milliseconds, above 0", (ms) => ms > 0 && ms <= LONGEST_MS);
/** Of a token. */
export const decimalsKind = whole(0, 77);

type When<Kind extends AlertWhen["kind"]> = AlertWhen & { kind: Kind };

const WHEN: { readonly [Name in AlertWhen["kind"]]: Kind<When<Name>> } = {
  each: like<When<"each">>({}),
  count: like<When<"count">>({ times: positiveWhole, withinMs: someTime }),
  sum: like<When<"sum">>({
    withinMs: someTime,
    field: text,
    limit: checkedBy((limit: string, path) => toSmallestUnit(limit, 77, path)),
    is: optional(oneOf("atLeast", "atMost")),
    unit: optional(oneOf("token")),
    decimals: optional(decimalsKind),
  }),
  rate: like<When<"rate">>({
    factor: aNumber("a number above 0", (factor) => Number.isFinite(factor) && factor > 0),
    withinMs: someTime,
    comparedMs: someTime,
    least: positiveWhole,
  }),
  absence: like<When<"absence">>({ forMs: someTime }),
};

const kindOfWhen = like<{ kind: AlertWhen["kind"] }>({
  kind: oneOf("each", "count", "sum", "rate", "absence"),
});

export const whenKind: Kind<AlertWhen> = (value, path) => WHEN[kindOfWhen(value, path).kind](value, path);

/** @throws {ArgumentError} for settings with which no alert could be raised as meant. */
const settingsKind: Kind<AlertSettings> = checkedBy((given: AlertSettings, path) => {
  const { when, maxMarks } = members(given, path);
  if (when.kind === "count" && when.times > maxMarks)
    fail("when.times", `when.times must be at most maxMarks, which is ${maxMarks}.`);
  if (when.kind === "rate" && when.comparedMs < when.withinMs) {
    fail(
      "when.comparedMs",
      "when.comparedMs must be at least when.withinMs: it is the time before the window.",
    );
  }
});

const members = options<AlertSettings>({
  when: whenKind,
  quietMs: time,
  recovers: flag,
  summarizes: optional(flag),
  slackMs: time,
  confirmWithinMs: optional(someTime),
  maxKeys: positiveWhole,
  maxMarks: positiveWhole,
});

function fail(path: string, message: string): never {
  throw new ArgumentError(path, message);
}

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
   * Keeps all outcomes but the alert of an input, such as an absence or a recovery, until they are acknowledged: see
   * `pending`. Without it, a crash just after the store was written loses them.
   * @default false
   */
  keepsPending?: boolean | undefined;
  /**
   * What the rule compares and counts, without its limits, times and texts. An open alert of another one ends when the
   * rule is opened, with the outcome `ended`. In a shared store it stays open while a copy has the other rule, which then
   * decides on it, and ends afterwards.
   * @default alerts stay open whatever is changed
   */
  fingerprint?: string | undefined;
  /** Called with whether a copy that shares the store has another fingerprint now. @default ignores it */
  onDifference?: ((isDifferent: boolean) => void) | undefined;
  /** The present, in milliseconds. @default Date.now */
  now?: (() => number) | undefined;
  /**
   * Monotonic time, in milliseconds. Where `now` goes on otherwise, by more than a minute, waits for an absence begin
   * again, and nothing is over before its time.
   * @default performance.now, or `now` where that is given
   */
  elapsed?: (() => number) | undefined;
  /** Called with a sentence when the clocks disagreed. @default ignores it */
  onClockStep?: ((message: string) => void) | undefined;
  /** Called with a sentence when a limit is reached; at most once in ten minutes for each limit. @default ignores it */
  onWarning?: ((message: string) => void) | undefined;
};

export const ruleOptions = optionsOf<AlertRuleOptions>({
  id: name,
  settings: settingsKind,
  store: storeKind,
  forEach: optional(flag),
  keepsPending: optional(flag),
  fingerprint: optional(text),
  onDifference: optional(callable()),
  now: optional(callable()),
  elapsed: optional(callable()),
  onClockStep: optional(callable()),
  onWarning: optional(callable()),
});

/** The rules of this process that are open, by their ids: how many, and what they have in common. */
const open = new Map<string, { settings: string; rules: number }>();

/**
 * Notes a rule that is opened. Returns the function that notes its end.
 * @throws {ArgumentError} where one with the same id and other settings is open: the ids of their alerts would be the same
 */
export function noteOpen(id: string, settings: string): () => void {
  const known = open.get(id) ?? { settings, rules: 0 };
  if (known.settings !== settings) {
    throw new ArgumentError(
      "id",
      `The alert rule ${JSON.stringify(id)} is open already, with other settings. Give each rule an id of its own, or close the other one first.`,
    );
  }
  known.rules += 1;
  open.set(id, known);
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    known.rules -= 1;
    if (known.rules === 0) open.delete(id);
  };
}
