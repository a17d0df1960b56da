import { PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL } from "../../src/protocol/limits.ts";
import { PUBLIC_VERIFICATION } from "../../src/protocol/signers.ts";
import type { EditedNode } from "../lib/editor/api.ts";
import { STORED_PASSWORD } from "../lib/editor/fields.ts";
import { ADDRESS, both, filled, matching, numberFrom, WEB_ADDRESS } from "../lib/editor/validate.ts";
import type { TestAnswer } from "../lib/form-types.ts";

const SIGNERS = /^(0x[0-9a-fA-F]{40})([\s,;]+0x[0-9a-fA-F]{40})*$/;

/** What the two preset buttons fill in. Nothing else in the form changes. */
const PRESETS: Readonly<Record<string, Record<string, string>>> = {
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

RED.nodes.registerType("crec-connection", {
  category: "config",
  defaults: {
    name: { value: "" },
    baseUrl: {
      value: PUBLIC_BASE_URL,
      required: true,
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
    timeout: { value: "30", validate: numberFrom(1, "common.error.seconds") },
    tls: { value: "", type: "tls-config", required: false },
    proxy: { value: "", type: "http proxy", required: false },
  },
  credentials: { apiKey: { type: "password" } },
  label() {
    return this.name || String(this.baseUrl ?? "") || this._("connection.label.connection");
  },
  oneditprepare() {
    $("#crec-connection-preset-public").on("click", () => fill("public"));
    $("#crec-connection-preset-local").on("click", () => fill("local"));
    $("#crec-connection-test").on("click", () => test(this));
    keepKeyAtItsAddress(this);
    $("#node-config-input-validSigners, #node-config-input-minRequiredSignatures").on(
      "input change keyup",
      () => warnOfThreshold(this),
    );
    warnOfThreshold(this);
  },
});

function fill(preset: string): void {
  for (const [name, value] of Object.entries(PRESETS[preset] ?? {})) {
    $(`#node-config-input-${name}`).val(value).trigger("change");
  }
}

/**
 * A stored key is only for the address it was typed for: when that is edited, the box is emptied and says why.
 * What was found by a test no longer holds then, either.
 */
function keepKeyAtItsAddress(node: EditedNode): void {
  const addresses = ["baseUrl", "graphqlUrl"];
  const stored = addresses.map(field).join(" ");
  $("#node-config-input-baseUrl, #node-config-input-graphqlUrl, #node-config-input-apiKey").on(
    "input change keyup",
    () => {
      const moved = addresses.map(field).join(" ") !== stored;
      const key = $("#node-config-input-apiKey");
      if (moved && key.val() === STORED_PASSWORD) key.val("");
      const missing = moved && field("apiKey") === "";
      const result = $("#crec-connection-test-result").text(
        missing ? node._("connection.error.key-again") : "",
      );
      result.css("color", "var(--red-ui-text-color-error)");
    },
  );
}

function field(name: string): string {
  return String($(`#node-config-input-${name}`).val() ?? "").trim();
}

/** A threshold above the number of signers rejects every event, which is hard to see from the flow. */
function warnOfThreshold(node: EditedNode): void {
  const [signers, threshold] = [field("validSigners"), field("minRequiredSignatures")];
  const count = new Set(signers.toLowerCase().match(/0x[0-9a-f]{40}/g)).size;
  const unreachable = !signers.startsWith("${") && !threshold.startsWith("${") && Number(threshold) > count;
  $("#crec-connection-threshold")
    .text(unreachable ? node._("connection.error.threshold-unreachable", { threshold, count }) : "")
    .toggle(unreachable);
}

function test(node: EditedNode): void {
  const result = $("#crec-connection-test-result").text(node._("connection.test.running")).css("color", "");
  const body = {
    id: node.id,
    baseUrl: field("baseUrl"),
    apiKey: field("apiKey"),
    tls: field("tls"),
    proxy: field("proxy"),
  };
  $.ajax({
    url: "crec/connection/test",
    method: "POST",
    contentType: "application/json",
    data: JSON.stringify(body),
  }).then(
    (answer: TestAnswer) => {
      if (answer.ok) {
        const names = answer.networks.map(({ name }) => name).join(", ");
        result.text(node._("connection.test.ok", { networks: names }));
        result.css("color", "var(--red-ui-text-color-success)");
      } else {
        result.text(answer.message).css("color", "var(--red-ui-text-color-error)");
      }
    },
    (failure: { status: number }) => {
      const key =
        failure.status === 401 || failure.status === 403
          ? "connection.test.forbidden"
          : "connection.test.failed";
      result.text(node._(key)).css("color", "var(--red-ui-text-color-error)");
    },
  );
}
