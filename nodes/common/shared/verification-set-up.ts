import { PUBLIC_VERIFICATION } from "../../../src/protocol/signers.ts";

type Filled = {
  validSigners: readonly string[];
  orgId?: unknown;
  workflowOwner?: unknown;
  /** As a list or by name. */
  families?: unknown;
};

/**
 * Whether nobody has set up verification: there is no organization, and no signers but those that a new connection
 * comes with. What is filled in by half is a mistake, and no choice.
 */
export function isVerificationUntouched({ validSigners, orgId, workflowOwner, families }: Filled): boolean {
  if (isFilled(orgId) || isFilled(workflowOwner) || Object.keys(families ?? {}).length > 0) return false;
  const preset: readonly string[] = PUBLIC_VERIFICATION.validSigners;
  return (
    validSigners.length === 0 ||
    (validSigners.length === preset.length &&
      validSigners.every((signer) => preset.includes(signer.toLowerCase())))
  );
}

/** The addresses of a field, with whatever between them. */
export function signersIn(text: unknown): string[] {
  return String(text ?? "")
    .split(/[\s,;]+/)
    .filter((signer) => signer !== "");
}

function isFilled(value: unknown): boolean {
  return String(value ?? "").trim() !== "";
}
