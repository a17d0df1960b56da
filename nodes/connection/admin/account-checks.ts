import type { TestCheck } from "../../common/shared/form-types.ts";
import type { FormSetting, FormVerification } from "./form-setting.ts";

/** What the account service says about the key; a part that it does not tell is undefined. */
type AccountOrganization = { organizationId?: string; tenantId?: string } | undefined;

/** Whether organization and tenant in the form are those of the key. */
export function accountChecks(
  form: FormVerification,
  account: AccountOrganization,
  hasAccountUrl: boolean,
): TestCheck[] {
  const { orgId, creTenantId, workflowOwner } = form;
  // With an owner alone, the organization is not used.
  const isByOwner = orgId.written === "" && workflowOwner.written !== "";
  return [
    isByOwner
      ? { state: "unchecked", text: "organization-by-owner" }
      : compared("organization", orgId, account?.organizationId, hasAccountUrl),
    ...(isByOwner ? [] : [compared("tenant", creTenantId, account?.tenantId, hasAccountUrl)]),
  ];
}

function compared(
  part: "organization" | "tenant",
  { written, value }: FormSetting,
  known: string | undefined,
  hasAccountUrl: boolean,
): TestCheck {
  if (!hasAccountUrl) return { state: "unchecked", text: `${part}-without-account` };
  if (known === undefined) return { state: "unchecked", text: `${part}-not-told` };
  const values = { account: known, form: written };
  if (written === "") return { state: "problem", text: `${part}-empty`, values };
  if (value === undefined) return { state: "unchecked", text: "variable", values };
  if (value === known) return { state: "ok", text: part, values };
  return { state: "problem", text: `${part}-differs`, values };
}
