import { PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL } from "../../src/protocol/limits.ts";
import { PUBLIC_VERIFICATION } from "../../src/protocol/signers.ts";
import type { EditedNode } from "../common/editor/api.ts";
import { fillIn } from "../common/editor/field-texts.ts";
import { partOf } from "../common/editor/form-fields.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { type FamiliesForm, familiesForm, familiesProblem } from "./editor-families.ts";
import { keepKeyAtItsAddress, markTypedKey } from "./editor-key.ts";
import { connectionTest } from "./editor-test.ts";
import { showOwner, warnOfThreshold } from "./editor-verification.ts";
import { NODE } from "./fields.ts";

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
