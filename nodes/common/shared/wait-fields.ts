import type { BooleanField, NumberField } from "./fields.ts";

/** How long a node waits for the service's work, in seconds. */
export function timeoutField(seconds: number): NumberField {
  return {
    kind: "number",
    icon: "clock-o",
    label: "common.label.timeout",
    unit: "common.label.seconds",
    default: String(seconds),
    least: 0.1,
    error: "common.error.seconds",
  };
}

/** Whether a wait that a deploy or a crash has interrupted is taken up again. */
export const RESUME_FIELD = {
  kind: "boolean",
  label: "common.label.resume",
  default: true,
  hint: "common.hint.resume",
} as const satisfies BooleanField;
