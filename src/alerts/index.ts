export { AlertRule, type AlertRuleOptions } from "./rule/alert-rule.ts";
export { SharedAlertStore, type SharedAlertStoreOptions } from "./stores/shared-store.ts";
export { blockEvidenceOf, logPlaceOf } from "./taken-back/index.ts";
export type * from "./types.ts";
