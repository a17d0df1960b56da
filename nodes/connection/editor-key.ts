import { getJson } from "../lib/editor/admin-requests.ts";
import type { EditedNode } from "../lib/editor/api.ts";
import { problemUnder } from "../lib/editor/form-rows.ts";
import { STORED_PASSWORD } from "../lib/editor/typed-inputs.ts";
import { isReference } from "../lib/editor/validate.ts";
import type { KeyReport } from "../lib/shared/form-types.ts";
import { field } from "./editor-fields.ts";
import { canonicalUrl } from "./key/canonical-url.ts";
import { markTyped, withoutMark } from "./key/typed-key.ts";

/**
 * A stored key is only for the addresses it was typed for. Where the form has others, edited here or brought by an
 * import, the box is emptied and the form asks for the key again.
 */
export function keepKeyAtItsAddress(node: EditedNode): void {
  const key = $("#node-config-input-apiKey");
  const problem = problemUnder(key);
  // Typed before, and not deployed yet.
  key.val(withoutMark(String(key.val() ?? "")));
  const [baseUrl, graphqlUrl] = [field("baseUrl"), field("graphqlUrl")];
  let isLost = false;
  let bound: readonly string[] | undefined;
  const wasStored = key.val() === STORED_PASSWORD;
  const look = (): void => {
    const isEdited = field("baseUrl") !== baseUrl || field("graphqlUrl") !== graphqlUrl;
    const isElsewhere =
      bound !== undefined && [field("baseUrl"), field("graphqlUrl")].some((one) => !isAmong(bound, one));
    const isMoved = isEdited || isElsewhere || isLost;
    if (isMoved && key.val() === STORED_PASSWORD) key.val("");
    // Typed back as it was, nothing has happened.
    else if (!isMoved && wasStored && key.val() === "" && !key.is(":focus")) key.val(STORED_PASSWORD);
    const isMissing = field("apiKey") === "" && isMoved;
    problem.say(isMissing ? node._("connection.error.key-again") : "");
  };
  $("#node-config-input-baseUrl, #node-config-input-graphqlUrl, #node-config-input-apiKey").on(
    "input change",
    look,
  );
  getJson<KeyReport>(`crec/connection/${encodeURIComponent(node.id)}/key`).then(
    (report) => {
      if (report.problem !== undefined) return;
      isLost = report.needsConfirmation;
      bound = report.typedFor;
      look();
    },
    // Without an answer the form knows less, and the nodes still say it.
    () => undefined,
  );
}

/** A key typed here is told from one that was left as it was. */
export function markTypedKey(): void {
  const key = $("#node-config-input-apiKey");
  const typed = String(key.val() ?? "").trim();
  if (typed === "" || typed === STORED_PASSWORD || isReference(typed)) return;
  key.val(markTyped(typed, RED.nodes.id()));
}

/** What a variable stands for is not known here. */
function isAmong(bound: readonly string[] | undefined, address: string): boolean {
  if (address === "" || isReference(address) || !URL.canParse(address)) return true;
  return bound?.includes(canonicalUrl(address)) ?? true;
}
