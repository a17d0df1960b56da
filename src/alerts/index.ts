export * from "./conditions/index.ts";
export { AlertRule, type AlertRuleOptions } from "./rule/alert-rule.ts";
export type * from "./types.ts";
