import type { Abi } from "../abi/index.ts";
import {
  aList,
  anything,
  callable,
  either,
  flag,
  isText,
  name,
  optional,
  options as optionsOf,
  positiveWhole,
  reading,
  text,
} from "../options/index.ts";
import { parseFieldPath, readField } from "./conditions/field-kind.ts";
import { compileConditions } from "./conditions/index.ts";
import {
  type AlertEvent,
  amountOf,
  type DecimalsOf,
  decimalsFor,
  decodedOf,
  evidenceOf,
  givenKind,
  idOf,
  isContractEvent,
  present,
  reasonsOf,
  reportedAtOf,
  subjectOf,
  timeOf,
} from "./event-input.ts";
import { storeKind } from "./input-kinds.ts";
import { AlertRule } from "./rule/alert-rule.ts";
import { shapeOf } from "./rule/aside.ts";
import { decimalsKind, someTime, time, whenKind } from "./rule/check-settings.ts";
import { MemoryAlertStore } from "./stores/memory-store.ts";
import type {
  Accepted,
  AlertEvidence,
  AlertOutcome,
  AlertSettings,
  AlertStore,
  AlertWhen,
  Condition,
  ConditionSet,
  RaisedAlert,
} from "./types.ts";

export type CreateAlertRuleOptions = {
  /** Part of the ids of its alerts: the same after a restart, and on each copy. */
  id: string;
  /** What an event has to be: see `matchEvent`. @default each event */
  conditions?: ConditionSet | readonly Condition[] | undefined;
  /** When matching events become an alert. @default `{ kind: "each" }` */
  when?: AlertWhen | undefined;
  /**
   * What is counted separately: `contract`, the path of a field such as `params.from`, or a function.
   * @default everything together
   */
  forEach?: "contract" | (string & {}) | ((decoded: unknown) => string | undefined) | undefined;
  /** Of the contract. Events are decoded with it, and conditions compare by its types. */
  abi?: Abi | undefined;
  /** Of the contract's token, for amounts in tokens; a function where events are those of several contracts. */
  decimals?: number | DecimalsOf | undefined;
  /** What matches this long after an alert of its key is told by one reminder, in milliseconds. @default 0 */
  quietMs?: number | undefined;
  /** See `AlertSettings`. @default true */
  summarizes?: boolean | undefined;
  /** Whether the end of the condition is an outcome. @default false */
  recovers?: boolean | undefined;
  /**
   * What ends an alert of `each` that recovers, such as `below 10` for `above 12`, or `Unpaused` for `Paused`.
   * @default an event of the same name for which it is known that `conditions` do not hold
   */
  endsWhen?: ConditionSet | readonly Condition[] | undefined;
  /** How late an event may arrive, against the newest one of its key, in milliseconds. @default 120_000 */
  slackMs?: number | undefined;
  /**
   * Watches whether an alert on a block that is not final is taken back, for this long, in milliseconds.
   * @default does not watch
   */
  confirmWithinMs?: number | undefined;
  /** See `AlertSettings`. @default 10_000 */
  maxKeys?: number | undefined;
  /** See `AlertSettings`. @default 10_000 */
  maxMarks?: number | undefined;
  /** Where its keys are remembered. The rule closes it. @default a new `MemoryAlertStore` */
  store?: AlertStore | undefined;
  /** JSON that an alert keeps. Asked for when an event raises one, and when that event is delivered again. */
  details?: ((alert: RaisedAlert, decoded: unknown) => unknown) | undefined;
  /** See `AlertRuleOptions`. @default false */
  keepsPending?: boolean | undefined;
  /** The present, in milliseconds. @default Date.now */
  now?: (() => number) | undefined;
  /** See `AlertRuleOptions`. @default performance.now, or `now` where that is given */
  elapsed?: (() => number) | undefined;
  /** See `AlertRuleOptions`. @default ignores it */
  onClockStep?: ((message: string) => void) | undefined;
  /** Called with a sentence when a limit is reached. @default ignores it */
  onWarning?: ((message: string) => void) | undefined;
  /** See `AlertRuleOptions`. @default ignores it */
  onDifference?: ((isDifferent: boolean) => void) | undefined;
};

const isFunction = (value: unknown) => typeof value === "function";

const ruleOptions = optionsOf<CreateAlertRuleOptions>({
  id: name,
  // These have checks of their own.
  ...{ conditions: anything(), endsWhen: anything() },
  when: optional(whenKind),
  forEach: optional(either(isText, text, callable())),
  abi: optional(aList()),
  decimals: optional(either(isFunction, callable<DecimalsOf>(), decimalsKind)),
  quietMs: optional(time),
  summarizes: optional(flag),
  recovers: optional(flag),
  slackMs: optional(time),
  confirmWithinMs: optional(someTime),
  maxKeys: optional(positiveWhole),
  maxMarks: optional(positiveWhole),
  store: optional(storeKind),
  details: optional(callable()),
  keepsPending: optional(flag),
  now: optional(callable()),
  elapsed: optional(callable()),
  onClockStep: optional(callable()),
  onWarning: optional(callable()),
  onDifference: optional(callable()),
});

/** A rule for decoded events. Its other methods are those of `AlertRule`. */
export type EventAlertRule = Pick<
  AlertRule,
  | "nextCheckAt"
  | "limits"
  | "open"
  | "readUpTo"
  | "learn"
  | "pending"
  | "acknowledge"
  | "saved"
  | "refresh"
  | "suspend"
  | "close"
> & {
  /**
   * Counts an event. Acknowledge it after its outcomes were sent. `reasons` say why conditions cannot be decided.
   * @throws {CrecError} as `AlertRule.accept`; `MALFORMED_EVENT` for an event that does not fit its type or the ABI.
   */
  accept(given: AlertEvent): Promise<Accepted & { reasons?: string[] }>;
};

/**
 * A rule that decides which events become alerts: conditions, how often, and for what separately.
 *
 * @throws {ArgumentError} `INVALID_ARGUMENT` for a condition or a setting that is wrong, with its path.
 * @example
 * const rule = createAlertRule({
 *   id: "large transfers",
 *   conditions: [{ field: "params.value", is: "atLeast", value: "1000", unit: "token", decimals: 6 }],
 *   forEach: "params.from",
 *   quietMs: 600_000,
 * });
 * const decoded = { name: "Transfer", params: { from: "0x01", value: "2500000000" }, blockTime: 1_767_225_600 };
 * const { outcomes } = await rule.accept({ decoded, dedupeKey: "1:0xab:7:latest" });
 * outcomes.length; // → 1
 */
export function createAlertRule(options: CreateAlertRuleOptions): EventAlertRule {
  return ruleOf(ruleOptions(options));
}

function ruleOf(options: CreateAlertRuleOptions): EventAlertRule {
  const { id, conditions = [], when = { kind: "each" }, abi, forEach } = options;
  const check = compileConditions(conditions, abi);
  const { endsWhen } = options;
  const isOver = endsWhen === undefined ? undefined : compileConditions(endsWhen, abi);
  const keyOf = keyReader(forEach);
  const amountAt = when.kind === "sum" ? parseFieldPath(when.field, "when.field") : undefined;
  const rule = new AlertRule({
    id,
    settings: settingsOf(options, when),
    store: options.store ?? new MemoryAlertStore(),
    forEach: forEach !== undefined,
    keepsPending: options.keepsPending,
    now: options.now,
    elapsed: options.elapsed,
    onWarning: options.onWarning,
    onClockStep: options.onClockStep,
    fingerprint: fingerprintOf(options, when),
    onDifference: options.onDifference,
  });
  const accept = async (given: AlertEvent): Promise<Accepted & { reasons?: string[] }> => {
    givenKind(given, "given");
    const decoded = reading("given", () => decodedOf(given, options));
    reading("given.decoded", () => isContractEvent(decoded));
    const evidence = evidenceOf(given, decoded);
    const outcomes = evidence?.kind === "block" ? await rule.learn(evidence) : [];
    const matches = check(decoded);
    const key = keyOf(decoded);
    const ends = !matches && (isOver ? isOver(decoded) === true : check.ends(decoded));
    if ((matches === undefined && !ends) || (key === undefined && matches)) {
      // A proven log is evidence even if the conditions cannot be decided.
      if (evidence?.kind === "log") outcomes.push(...(await rule.learn(evidence)));
      return { passed: "undecided", outcomes, reasons: reasonsOf(check, decoded, key) };
    }
    const accepted = await rule.accept({
      key: key ?? "",
      matches: matches === true,
      ends,
      // Other conditions say themselves what ends an alert.
      ...(isOver ? {} : present("subject", subjectOf(decoded))),
      at: timeOf(decoded) ?? Number.NaN,
      ...reading("given", () => idOf(given)),
      ...amountOf(decoded, amountAt),
      ...present("decimals", decimalsFor(decoded, options)),
      ...present("redelivered", given.redelivered),
      ...present("isHighest", given.isHighest),
      ...present(
        "reportedAt",
        "event" in given ? reading("given.event", () => reportedAtOf(given.event)) : undefined,
      ),
      ...(evidence?.kind === "log" ? { log: evidence.log } : {}),
      ...present("details", options.details && ((alert: RaisedAlert) => options.details?.(alert, decoded))),
    });
    return { ...accepted, outcomes: [...outcomes, ...accepted.outcomes] };
  };
  return {
    accept,
    get nextCheckAt() {
      return rule.nextCheckAt;
    },
    get limits() {
      return rule.limits;
    },
    open: () => rule.open(),
    readUpTo: (at: number): Promise<AlertOutcome[]> => rule.readUpTo(at),
    learn: (evidence: AlertEvidence): Promise<AlertOutcome[]> => rule.learn(evidence),
    pending: () => rule.pending(),
    acknowledge: (outcome: AlertOutcome) => rule.acknowledge(outcome),
    saved: () => rule.saved(),
    refresh: () => rule.refresh(),
    suspend: () => rule.suspend(),
    close: () => rule.close(),
  };
}

/** What the rule compares and counts: not its limits, times and texts. Functions count as the same. */
function fingerprintOf(
  { conditions = [], endsWhen = [], forEach, recovers = false }: CreateAlertRuleOptions,
  when: AlertWhen,
): string {
  const sum = when.kind === "sum" ? [when.field, when.unit ?? "smallest", when.is ?? "atLeast"] : [];
  const key = typeof forEach === "function" ? "function" : (forEach ?? "");
  const shape = [when.kind, sum, key, recovers, shapeOf(conditions), shapeOf(endsWhen)];
  // A condition may compare with a bigint.
  return JSON.stringify(shape, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}

function settingsOf(options: CreateAlertRuleOptions, when: AlertWhen): AlertSettings {
  return {
    when,
    quietMs: options.quietMs ?? 0,
    summarizes: options.summarizes,
    recovers: options.recovers ?? false,
    slackMs: options.slackMs ?? 120_000,
    confirmWithinMs: options.confirmWithinMs,
    maxKeys: options.maxKeys ?? 10_000,
    maxMarks: options.maxMarks ?? 10_000,
  };
}

function keyReader(forEach: CreateAlertRuleOptions["forEach"]): (decoded: unknown) => string | undefined {
  if (forEach === undefined) return () => "";
  if (typeof forEach === "function") return forEach;
  const path = parseFieldPath(forEach, "forEach");
  const chain = forEach === "contract" ? parseFieldPath("chainSelector", "forEach") : undefined;
  return (decoded) => {
    const value = readField(decoded, path);
    if (value === undefined || typeof value === "object") return undefined;
    // Checksummed or not, it is the same address; on another network it is another contract.
    const text = /^0x[0-9a-f]{40}$/i.test(String(value)) ? String(value).toLowerCase() : String(value);
    return chain === undefined ? text : `${readField(decoded, chain) ?? ""}:${text}`;
  };
}
