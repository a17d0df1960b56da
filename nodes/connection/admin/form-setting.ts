import type { NodeAPI } from "node-red";
import { fieldsOf, textIn } from "../../common/admin/answer.ts";
import { deployedVariable } from "../../common/admin/deployed.ts";
import { isReference } from "../../common/shared/variables.ts";
import { VERIFICATION_FIELDS } from "../fields.ts";

/** A setting of the form. A variable has no `value` unless the deployed connection has it in the same field. */
export type FormSetting = {
  /** As the form says it: a value or `${NAME}`. This may be shown. */
  written: string;
  /** What it stands for. It must never be shown where it differs from `written`. */
  value: string | undefined;
};

/** The settings of a form that proofs are checked against. */
export type FormVerification = Record<(typeof VERIFICATION_FIELDS)[number], FormSetting>;

export function formVerification(RED: NodeAPI, body: unknown): FormVerification {
  const fields = fieldsOf(body);
  const settings = VERIFICATION_FIELDS.map((field) => [
    field,
    settingOf(RED, textIn(fields.id), field, textIn(fields[field])),
  ]);
  return Object.fromEntries(settings) as FormVerification;
}

function settingOf(RED: NodeAPI, id: string, field: string, written: string): FormSetting {
  if (!isReference(written)) return { written, value: written };
  const variable = deployedVariable(RED, id, field, written);
  return { written, value: variable.state === "set" ? variable.value : undefined };
}
