import { getJson } from "../lib/editor/admin-requests.ts";
import type { EditedNode } from "../lib/editor/api.ts";
import { fieldTexts } from "../lib/editor/field-texts.ts";
import { inputOf } from "../lib/editor/form-fields.ts";
import { problemUnder } from "../lib/editor/form-rows.ts";
import { isReference } from "../lib/editor/validate.ts";
import type { SecretsReport } from "../lib/shared/form-types.ts";
import { STORED_PASSWORD } from "../lib/shared/stored-password.ts";
import { markTyped, withoutMark } from "../lib/shared/typed-key.ts";

const SECRETS = ["url", "sentinelPassword"] as const;
/** What decides where the secrets are sent, beside the URL itself. */
const SERVERS = ["servers", "sentinels", "master"] as const;

/**
 * What is stored may only go to the servers it was typed for. When the form names other sentinels, edited here or from
 * an import, the form empties the boxes and asks for both again.
 */
export function keepSecretsAtTheirServers(node: EditedNode): void {
  const problem = problemUnder(inputOf("url"));
  const fieldText = fieldTexts([...SECRETS, ...SERVERS]);
  for (const name of SECRETS) inputOf(name).val(withoutMark(String(inputOf(name).val() ?? "")));
  const before = SERVERS.map(fieldText);
  const stored = SECRETS.filter((name) => inputOf(name).val() === STORED_PASSWORD);
  let isLost = false;
  const update = (): void => {
    const isMoved = isLost || SERVERS.some((name, index) => fieldText(name) !== before[index]);
    for (const name of stored) {
      const box = inputOf(name);
      if (isMoved && box.val() === STORED_PASSWORD) box.val("");
      // The old servers were typed again: nothing has changed.
      else if (!isMoved && box.val() === "" && !box.is(":focus")) box.val(STORED_PASSWORD);
    }
    const isMissing = isMoved && stored.includes("url") && fieldText("url") === "";
    problem.say(isMissing ? node._("fleet.error.again") : "");
  };
  for (const name of [...SECRETS, ...SERVERS]) inputOf(name).on("input change", update);
  getJson<SecretsReport>(`crec/fleet/${encodeURIComponent(node.id)}/secrets`).then(
    (report) => {
      isLost = report.problem === undefined && report.needsConfirmation;
      update();
    },
    // Without an answer the form knows less. The nodes still report the problem.
    () => undefined,
  );
}

/** Marks what was typed in this form, so that it differs from what was not changed. */
export function markTypedSecrets(): void {
  for (const name of SECRETS) {
    const box = inputOf(name);
    const typed = String(box.val() ?? "").trim();
    if (typed === "" || typed === STORED_PASSWORD || isReference(typed)) continue;
    box.val(markTyped(typed, RED.nodes.id()));
  }
}
