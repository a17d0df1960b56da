import type {
  ChannelEvent,
  CrecClient,
  OcrProof,
  VerifyConfig,
  VerifyReason,
  VerifyResult,
} from "../../../src/index.ts";
import { type Library, loadLibrary } from "../../common/library.ts";
import type { TestCheck } from "../../common/shared/form-types.ts";
import { signersIn } from "../../common/shared/signers.ts";
import { isReference } from "../../common/shared/variables.ts";
import { isThreshold } from "../signer-set.ts";
import type { FormSetting, FormVerification } from "./tested-settings.ts";

/** The search for an event with a proof is a part of a test that a person waits for. */
const SEARCH_MS = 5_000;
const MOST_CHANNELS = 5;
const PAGE = 50;

/** Only these are looked for where the newest events of a channel have no proof. */
const TYPES = [undefined, "watcher.event"] as const;

type Found = { event: ChannelEvent; proof: OcrProof; channelId: string };

/** Checks owner, signers and threshold of the form on a real event, if the account has one with a proof. */
export async function proofChecks(
  client: CrecClient,
  form: FormVerification,
  families: VerifyConfig["families"] | undefined,
): Promise<TestCheck[]> {
  const variable = Object.values(form).find(
    ({ written, value }) => isReference(written) && value === undefined,
  );
  if (variable) return [unchecked("proof-variable", { form: variable.written })];
  if (families === undefined) return [unchecked("proof-families")];
  const signal = AbortSignal.timeout(SEARCH_MS);
  try {
    const library = await loadLibrary();
    const found = await findProof(client, library, signal);
    return found ? await checksOf(client, { form, families, found, library }) : [unchecked("proof-none")];
  } catch {
    return [unchecked(signal.aborted ? "proof-late" : "proof-unreadable")];
  }
}

type Checking = {
  form: FormVerification;
  families: VerifyConfig["families"] & object;
  found: Found;
  library: Library;
};

async function checksOf(
  client: CrecClient,
  { form, families, found, library }: Checking,
): Promise<TestCheck[]> {
  const { event, channelId, proof } = found;
  const donFamily = (watcherId: string) => client.watchers.familyOf(channelId, watcherId);
  const config = { ...configOf(form), families };
  const result = await library.createVerifier(config).verify(event, { channelId, donFamily });
  const signers = await signersOf(library, proof);
  const check = signersCheck(form, result, signers);
  const family =
    check.text === "signers-unknown" ? await familyIn(event, donFamily).catch(() => undefined) : undefined;
  return [
    ownerCheck(form, result),
    family === undefined
      ? check
      : { ...check, text: "signers-unknown-of-family", values: { ...check.values, family } },
  ].filter((check) => check !== undefined);
}

/** Only the event of a watcher has one. It is known to the form by no set, else that set would have been used. */
async function familyIn(
  event: ChannelEvent,
  familyOf: (watcherId: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const { watcher_id: watcherId } = event.payload as { watcher_id?: unknown };
  return isOfWatcher(event) && typeof watcherId === "string" ? familyOf(watcherId) : undefined;
}

/**
 * The newest event with a proof, in a few channels. One of a watcher comes last: its family may sign with other keys,
 * while the form's own signers are those of every operation and query.
 */
async function findProof(
  client: CrecClient,
  { isVerifiable }: Library,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const { data: channels } = await client.channels.list({ limit: MOST_CHANNELS }, { signal });
  for (const { channel_id: channelId } of channels) {
    for (const type of TYPES) {
      const { events } = await client.events.poll(channelId, { limit: PAGE, type }, { signal });
      const inOrder = events.toSorted(
        (one, other) =>
          Number(isOfWatcher(one)) - Number(isOfWatcher(other)) || other.headers.offset - one.headers.offset,
      );
      for (const event of inOrder) {
        const proof = event.headers.proofs.find(isOcrProof);
        const { status } = event.payload as { status?: string };
        if (proof && isVerifiable(event.headers.type, status)) return { event, proof, channelId };
      }
    }
  }
  return undefined;
}

function isOfWatcher({ headers }: ChannelEvent): boolean {
  return headers.type === "watcher.event";
}

function isOcrProof(proof: unknown): proof is OcrProof {
  return typeof proof === "object" && proof !== null && "ocr_report" in proof;
}

function configOf(form: FormVerification): VerifyConfig {
  return {
    orgId: form.orgId.value || null,
    creTenantId: form.creTenantId.value || null,
    workflowOwner: form.workflowOwner.value || null,
    validSigners: signersIn(form.validSigners.value),
    minRequiredSignatures: Number(form.minRequiredSignatures.value || 0),
  };
}

/** The owner is compared before content and signatures: for any later reason it is right. */
const AFTER_OWNER: readonly VerifyReason[] = [
  "event_hash_mismatch",
  "threshold_not_met",
  "unsigned_field_mismatch",
];

function ownerCheck({ workflowOwner }: FormVerification, result: VerifyResult): TestCheck | undefined {
  const text = workflowOwner.written === "" ? "owner-of-organization" : "owner";
  if (result.verified || AFTER_OWNER.includes(result.reason)) return { state: "ok", text };
  if (result.reason === "not_configured") return unchecked("owner-empty");
  if (result.reason !== "workflow_owner_mismatch") return undefined;
  return { state: "problem", text: `${text}-differs` };
}

/** The signatures are counted on their own, so that a wrong organization does not hide wrong signers. */
function signersCheck(form: FormVerification, result: VerifyResult, recovered: readonly string[]): TestCheck {
  const { reason = "", message = "" } = result.verified ? {} : result;
  if (result.donFamily !== undefined) {
    const values = { family: result.donFamily, message };
    return result.verified
      ? { state: "ok", text: "signers-of-family", values }
      : { state: "problem", text: "proof-rejected", values };
  }
  const known = new Set(signersIn(form.validSigners.value).map((signer) => signer.toLowerCase()));
  const threshold = form.minRequiredSignatures.value ?? "";
  if (known.size === 0 || !isThreshold(threshold)) return unchecked("signers-empty");
  const unknown = recovered.filter((signer) => !known.has(signer.toLowerCase()));
  const matching = recovered.length - unknown.length;
  const values = {
    ...{ count: recovered.length, matching, threshold: form.minRequiredSignatures.written },
    signer: unknown[0] ?? "",
  };
  if (matching === 0) return { state: "problem", text: "signers-unknown", values };
  if (matching < Number(threshold))
    return { state: "problem", text: unknown.length > 0 ? "signers-missing" : "signers-too-few", values };
  // Everything else that a verifier rejects: the event was changed, or cannot be read.
  const isAboutSettings = ["", "workflow_owner_mismatch", "not_configured"].includes(reason);
  if (!isAboutSettings) return { state: "problem", text: "proof-rejected", values: { message } };
  return { state: "ok", text: "signers", values };
}

async function signersOf({ recoverReportSigners }: Library, proof: OcrProof): Promise<string[]> {
  try {
    return await recoverReportSigners(proof);
  } catch {
    return [];
  }
}

function unchecked(text: string, values?: TestCheck["values"]): TestCheck {
  return { state: "unchecked", text, ...(values ? { values } : {}) };
}

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
