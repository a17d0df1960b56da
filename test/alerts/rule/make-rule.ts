import { AlertRule, type AlertRuleOptions, MemoryAlertStore } from "../../../src/alerts/index.ts";
import type { AlertInput, AlertOutcome, AlertSettings, AlertWhen } from "../../../src/alerts/types.ts";

/** Event times of tests start here, in milliseconds. */
export const START = Date.UTC(2026, 0, 1);

export function settingsWith(when: AlertWhen, more: Partial<AlertSettings> = {}): AlertSettings {
  return {
    when,
    quietMs: 0,
    recovers: false,
    slackMs: 0,
    confirmWithinMs: undefined,
    maxKeys: 1_000,
    maxMarks: 1_000,
    ...more,
  };
}

export type MadeRule = {
  rule: AlertRule;
  /** Gives an input this long after `START`; it matches, and its id is its time, unless it says otherwise. */
  at: (ms: number, more?: Partial<AlertInput>) => Promise<string>;
  /** Says that all was read up to this long after `START`. */
  upTo: (ms: number) => Promise<string>;
  warnings: string[];
};

/** Rules that are open together have the same id only with the same settings. */
export function ruleIdOf(settings: AlertSettings, fingerprint?: string): string {
  return JSON.stringify([settings, fingerprint]);
}

/** A rule whose answers are short texts: what was passed, then each outcome with its time after `START`. */
export function makeRule(
  when: AlertWhen,
  more: Partial<AlertSettings> = {},
  options: Partial<AlertRuleOptions> = {},
): MadeRule {
  const warnings: string[] = [];
  const settings = settingsWith(when, more);
  const rule = new AlertRule({
    id: ruleIdOf(settings, options.fingerprint),
    settings,
    store: new MemoryAlertStore(),
    now: () => START + 1_000_000_000,
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  return {
    rule,
    warnings,
    at: async (ms, input = {}) => {
      const { passed, outcomes } = await rule.accept({
        key: "",
        at: START + ms,
        id: `${ms}`,
        matches: true,
        ...input,
      });
      return [passed, ...outcomes.map(brief)].filter((text) => text !== undefined).join(", ");
    },
    upTo: async (ms) => (await rule.readUpTo(START + ms)).map(brief).join(", "),
  };
}

export function brief(outcome: AlertOutcome): string {
  const { alert, kind } = outcome;
  const at = (outcome.kind === "alert" ? alert.at : outcome.at) - START;
  const details = [
    ...(alert.limit ? ["of the rule"] : alert.key === "" ? [] : [`of ${alert.key}`]),
    ...(kind === "alert" && alert.count !== 1 && !alert.limit ? [`count ${alert.count}`] : []),
    ...(kind === "alert" && alert.sum !== undefined ? [`sum ${alert.sum}`] : []),
    ...(kind === "alert" && alert.suppressed > 0 ? [`suppressed ${alert.suppressed}`] : []),
    ...(kind === "alert" && outcome.kind === "alert" && outcome.repeated ? ["repeated"] : []),
  ];
  return [`${kind} at ${at}`, ...details].join(" ");
}

/** Gives inputs one after another. */
export async function each(times: number[], give: (ms: number) => Promise<string>): Promise<string[]> {
  const answers: string[] = [];
  for (const ms of times) answers.push(await give(ms));
  return answers;
}
