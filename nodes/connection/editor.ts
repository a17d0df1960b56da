import { PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL } from "../../src/protocol/limits.ts";
import { PUBLIC_VERIFICATION } from "../../src/protocol/signers.ts";
import { layOutHints } from "../lib/editor/hints.ts";
import { forms } from "../lib/editor/register.ts";
import { ADDRESS, both, filled, matching, numberFrom, WEB_ADDRESS } from "../lib/editor/validate.ts";
import { type FamiliesForm, familiesForm, judgeFamilies, storedFamilies } from "./editor-families.ts";
import { fillIn } from "./editor-fields.ts";
import { keepKeyAtItsAddress, markTypedKey } from "./editor-key.ts";
import { connectionTest } from "./editor-test.ts";
import { showOwner, warnOfThreshold } from "./editor-verification.ts";

const SIGNERS = { test: (text: string) => text.split(/[\s,;]+/).every((one) => ADDRESS.test(one)) };

/** What the two preset buttons fill in. Nothing else in the form changes. */
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

forms.registerType("crec-connection", {
  category: "config",
  defaults: {
    name: { value: "" },
    baseUrl: {
      value: PUBLIC_BASE_URL,
      validate: both(
        filled("connection.error.base-url-missing"),
        matching(WEB_ADDRESS, "connection.error.base-url"),
      ),
    },
    graphqlUrl: { value: PUBLIC_GRAPHQL_URL, validate: matching(WEB_ADDRESS, "connection.error.base-url") },
    orgId: { value: "" },
    workflowOwner: { value: "", validate: matching(ADDRESS, "common.error.address") },
    creTenantId: { value: PUBLIC_VERIFICATION.creTenantId },
    validSigners: {
      value: PUBLIC_VERIFICATION.validSigners.join("\n"),
      validate: matching(SIGNERS, "connection.error.signers"),
    },
    minRequiredSignatures: {
      value: String(PUBLIC_VERIFICATION.minRequiredSignatures),
      validate: numberFrom(1, "connection.error.threshold"),
    },
    families: {
      value: [],
      validate(value, _options) {
        return judgeFamilies(this, value);
      },
    },
    timeout: { value: "30", validate: numberFrom(1, "common.error.seconds") },
    tls: { value: "", type: "tls-config", required: false },
    proxy: { value: "", type: "http proxy", required: false },
  },
  credentials: { apiKey: { type: "password" } },
  label() {
    return this.name || String(this.baseUrl ?? "") || this._("connection.label.connection");
  },
  oneditprepare() {
    layOutHints();
    $("#crec-connection-preset-public").on("click", () => fillIn(PRESETS.public));
    $("#crec-connection-preset-local").on("click", () => fillIn(PRESETS.local));
    connectionTest(this);
    keepKeyAtItsAddress(this);
    showOwner(this);
    warnOfThreshold(this);
    families = familiesForm(this, $("#crec-connection-family-sets"));
  },
  oneditsave() {
    markTypedKey();
    const sets = families?.read() ?? storedFamilies(this);
    // A connection drawn before there were any stays as it is.
    if (sets.length > 0 || this.families) this.families = sets;
  },
});
