import { postJson } from "../common/editor/admin-requests.ts";
import type { EditedNode } from "../common/editor/api.ts";
import { fieldTexts } from "../common/editor/field-texts.ts";
import { inputOf } from "../common/editor/form-fields.ts";
import { hintUnder, problemUnder } from "../common/editor/form-rows.ts";
import { liveCheck } from "../common/editor/live-check.ts";
import type { Answer, Owner } from "../common/shared/form-types.ts";
import { thresholdWarnings } from "./threshold.ts";

const OWNER_FIELDS = ["orgId", "creTenantId", "workflowOwner"] as const;
const SIGNER_FIELDS = ["validSigners", "minRequiredSignatures"] as const;

/** Warns about signers and threshold while a person types: in a flow such a mistake is hard to see. */
export function warnOfThreshold(node: EditedNode): void {
  const problem = problemUnder(inputOf("minRequiredSignatures"));
  const fieldText = fieldTexts(SIGNER_FIELDS);
  const update = (): void => {
    const warnings = thresholdWarnings(fieldText("validSigners"), fieldText("minRequiredSignatures"));
    problem.say(warnings.map(({ key, values }) => node._(key, values)).join(" "));
  };
  for (const name of SIGNER_FIELDS) inputOf(name).on("input change", update);
  update();
}

/** Shows the workflow owner of the organization, and a problem when the form has another one. */
export function showOwner(node: EditedNode): void {
  const field = inputOf("workflowOwner");
  const [hint, problem] = [hintUnder(field), problemUnder(field)];
  const fieldText = fieldTexts(OWNER_FIELDS);
  const show = (owner: Owner | undefined): void => {
    const text = (key: string) => node._(key, { owner: owner?.owner ?? "" });
    hint.say(owner && !owner.differs ? text("connection.owner.is") : "");
    problem.say(owner?.differs ? text("connection.owner.differs") : "");
  };
  const check = liveCheck<Answer<Owner>>(
    field,
    () => {
      show(undefined);
      if (fieldText("orgId") === "" || fieldText("creTenantId") === "") return undefined;
      const body = Object.fromEntries(OWNER_FIELDS.map((name) => [name, fieldText(name)]));
      return postJson("crec/connection/owner", { id: node.id, ...body });
    },
    // Only a help: where the owner is not known, the form shows nothing.
    (answer) => show(answer?.problem === undefined && answer?.owner ? answer : undefined),
  );
  for (const name of OWNER_FIELDS) inputOf(name).on("input change", () => check.soon());
  check.now();
}
