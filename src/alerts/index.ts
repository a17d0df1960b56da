export * from "./conditions/index.ts";
export {
  type AlertEvent,
  type CreateAlertRuleOptions,
  createAlertRule,
  type EventAlertRule,
} from "./create-alert-rule.ts";
export { isRuleInUse, openAlertsIn } from "./open-alerts.ts";
export { AlertRule, type AlertRuleOptions } from "./rule/alert-rule.ts";
export { FileAlertStore, type FileAlertStoreOptions } from "./stores/file-store.ts";
export { MemoryAlertStore, SharedAlertStore, type SharedAlertStoreOptions } from "./stores/memory-store.ts";
export { blockEvidenceOf, logPlaceOf } from "./taken-back/index.ts";
export type * from "./types.ts";
