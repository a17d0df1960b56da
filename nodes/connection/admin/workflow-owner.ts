import { answerForms, fieldsOf, textIn } from "../../common/admin/answer.ts";
import { deployedVariable, requireVariable } from "../../common/admin/deployed.ts";
import type { NodeRedContext } from "../../common/context.ts";
import { loadLibrary } from "../../common/library.ts";
import type { Owner } from "../../common/shared/form-types.ts";
import { isReference } from "../../common/shared/variables.ts";

const FIELDS = ["orgId", "creTenantId", "workflowOwner"] as const;
type Field = (typeof FIELDS)[number];

/**
 * `POST /crec/connection/owner`: the workflow owner of the organization in the form, and whether the form has
 * another owner. Empty while organization or tenant is missing.
 */
export function registerWorkflowOwner(context: NodeRedContext): void {
  answerForms(context.RED, "post", "/crec/connection/owner", "crec.read", ({ body }) =>
    ownerOf(context, fieldsOf(body)),
  );
}

/** @throws DEPLOY_FIRST, VARIABLE_MISSING */
async function ownerOf(context: NodeRedContext, body: Readonly<Record<string, unknown>>): Promise<Owner> {
  const [orgId, creTenantId, given] = FIELDS.map((field) => settingOf(context, body, field));
  if (!orgId || !creTenantId) return { owner: "", differs: false };
  const { workflowOwnerFromOrgId } = await loadLibrary();
  const owner = workflowOwnerFromOrgId(orgId, creTenantId);
  return { owner, differs: Boolean(given) && given?.toLowerCase() !== owner.toLowerCase() };
}

function settingOf(context: NodeRedContext, body: Readonly<Record<string, unknown>>, field: Field): string {
  const typed = textIn(body[field]);
  if (!isReference(typed)) return typed;
  return requireVariable(deployedVariable(context.RED, textIn(body.id), field, typed), typed);
}
