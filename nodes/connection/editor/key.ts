import type { EditedNode } from "../../common/editor/api.ts";
import { fieldTexts } from "../../common/editor/form-fields.ts";
import { hintUnder, inputOf, problemUnder } from "../../common/editor/form-rows.ts";
import { getJson } from "../../common/editor/lookups/admin-requests.ts";
import type { KeyReport } from "../../common/shared/form-types.ts";
import { canonicalUrl } from "../../common/shared/text.ts";
import { isReference, markTyped, STORED_PASSWORD, withoutMark } from "../../common/shared/variables.ts";

const KEY_FIELDS = ["baseUrl", "graphqlUrl", "apiKey"] as const;

/**
 * A stored key may only go to the addresses it was typed for. When the form has other addresses, edited here or from
 * an import, the form empties the box and asks for the key again.
 */
export function keepKeyAtItsAddress(node: EditedNode): void {
  const key = inputOf("apiKey");
  const problem = problemUnder(key);
  const fieldText = fieldTexts(KEY_FIELDS);
  // A key that was typed before and is not deployed yet has its mark.
  key.val(withoutMark(String(key.val() ?? "")));
  const [baseUrl, graphqlUrl] = [fieldText("baseUrl"), fieldText("graphqlUrl")];
  let isLost = false;
  let bound: readonly string[] | undefined;
  let variable: string | undefined;
  const wasStored = key.val() === STORED_PASSWORD;
  const update = (): void => {
    const isEdited = fieldText("baseUrl") !== baseUrl || fieldText("graphqlUrl") !== graphqlUrl;
    const isElsewhere =
      bound !== undefined &&
      [fieldText("baseUrl"), fieldText("graphqlUrl")].some((one) => !isAmong(bound, one));
    const isMoved = isEdited || isElsewhere || isLost;
    if (isMoved && key.val() === STORED_PASSWORD) key.val("");
    // The old address was typed again: nothing has changed.
    else if (!isMoved && wasStored && key.val() === "" && !key.is(":focus")) key.val(STORED_PASSWORD);
    const isMissing = fieldText("apiKey") === "" && isMoved && variable === undefined;
    problem.say(isMissing ? node._("connection.error.key-again") : "");
  };
  for (const name of KEY_FIELDS) inputOf(name).on("input change", update);
  getJson<KeyReport>(`crec/connection/${encodeURIComponent(node.id)}/key`).then(
    (report) => {
      if (report.problem !== undefined) return;
      isLost = report.needsConfirmation;
      bound = report.typedFor;
      variable = report.variable;
      if (variable) hintUnder(key).say(node._("connection.key.variable", { variable }));
      update();
    },
    // Without an answer the form knows less. The nodes still report the problem.
    () => undefined,
  );
}

/** Marks a key that was typed in this form, so that it differs from one that was not changed. */
export function markTypedKey(): void {
  const key = inputOf("apiKey");
  const typed = String(key.val() ?? "").trim();
  if (typed === "" || typed === STORED_PASSWORD || isReference(typed)) return;
  key.val(markTyped(typed, RED.nodes.id()));
}

/** The form does not know the value of a variable: that passes. */
function isAmong(bound: readonly string[] | undefined, address: string): boolean {
  if (address === "" || isReference(address) || !URL.canParse(address)) return true;
  return bound?.includes(canonicalUrl(address)) ?? true;
}
