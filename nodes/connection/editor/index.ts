import { PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL } from "../../../src/protocol/limits.ts";
import { PUBLIC_VERIFICATION } from "../../../src/protocol/signers.ts";
import type { EditedNode } from "../../common/editor/api.ts";
import { fieldTexts, fillIn, partOf } from "../../common/editor/form-fields.ts";
import { hintUnder, inputOf, problemUnder } from "../../common/editor/form-rows.ts";
import { postJson } from "../../common/editor/lookups/admin-requests.ts";
import type { NodeForm } from "../../common/editor/node-form.ts";
import { liveCheck } from "../../common/editor/while-open.ts";
import type { Answer, Owner } from "../../common/shared/form-types.ts";
import { NODE } from "../fields.ts";
import { thresholdWarnings } from "../signer-set.ts";
import { type FamiliesForm, familiesForm, familiesProblem } from "./families.ts";
import { keepKeyAtItsAddress, markTypedKey } from "./key.ts";
import { connectionTest } from "./test.ts";

const OWNER_FIELDS = ["orgId", "creTenantId", "workflowOwner"] as const;
const SIGNER_FIELDS = ["validSigners", "minRequiredSignatures"] as const;

/** What the preset buttons fill in. Nothing else in the form changes. */
const PRESETS = {
  public: {
    baseUrl: PUBLIC_BASE_URL,
    graphqlUrl: PUBLIC_GRAPHQL_URL,
    orgId: "",
    creTenantId: PUBLIC_VERIFICATION.creTenantId,
    validSigners: PUBLIC_VERIFICATION.validSigners.join("\n"),
    minRequiredSignatures: String(PUBLIC_VERIFICATION.minRequiredSignatures),
  },
  local: {
    apiKey: "${CREC_API_KEY}",
    baseUrl: "${CREC_BASE_URL}",
    graphqlUrl: "${CREC_GRAPHQL_URL}",
    orgId: "${CREC_ORG_ID}",
    creTenantId: "${CREC_TENANT_ID}",
    validSigners: "${CREC_VALID_SIGNERS}",
    minRequiredSignatures: "${CREC_MIN_SIGNATURES}",
  },
};

let families: FamiliesForm | undefined;

export const form: NodeForm = {
  label: (node) => String(node.baseUrl ?? "") || node._("connection.title"),
  checks: {
    families: (node, value) => {
      const isOnTop = RED.editor.getEditStack().at(-1)?.id === node.id;
      return familiesProblem(node, isOnTop && families ? families.read() : value);
    },
  },
  opened: (node) => {
    addPresets(node);
    connectionTest(node, () => families?.read() ?? []);
    keepKeyAtItsAddress(node);
    showOwner(node);
    warnOfThreshold(node);
    families = familiesForm(node);
  },
  saved: (node) => {
    markTypedKey();
    const sets = families?.read() ?? [];
    // Done without a change must not change a connection that was stored without the list.
    if (sets.length > 0 || node.families) node.families = sets;
    families = undefined;
  },
  cancelled: () => {
    families = undefined;
  },
};

function addPresets(node: EditedNode): void {
  const group = partOf(NODE, "presets").css("display", "inline-block");
  for (const [name, values] of Object.entries(PRESETS)) {
    $('<button type="button" class="red-ui-button">')
      .attr("id", `crec-connection-preset-${name}`)
      .css("margin-right", "6px")
      .text(node._(`connection.preset.${name}`))
      .on("click", () => fillIn(values))
      .appendTo(group);
  }
}

/** Warns about signers and threshold while a person types: in a flow such a mistake is hard to see. */
function warnOfThreshold(node: EditedNode): void {
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
function showOwner(node: EditedNode): void {
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
