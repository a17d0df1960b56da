import type { EditedNode } from "../lib/editor/api.ts";
import type { NewKey } from "../lib/form-types.ts";

/** What Node-RED puts into the box while a key is stored. */
const STORED_PASSWORD = "__PWRD__";

RED.nodes.registerType("crec-signer", {
  category: "config",
  defaults: {
    name: { value: "" },
    address: { value: "" },
  },
  credentials: { privateKey: { type: "password" } },
  label() {
    return this.name || String(this.address || "") || this._("signer.label.signer");
  },
  oneditprepare() {
    $("#crec-signer-generate").on("click", () => generate(this));
    $("#node-config-input-privateKey").on("change", () => showAddress(this));
    $.getJSON(`crec/signer/address/${encodeURIComponent(this.id)}`).then(
      ({ address }: { address: string }) => {
        if (address) $("#node-config-input-address").val(address);
      },
    );
  },
});

function generate(node: EditedNode): void {
  $.ajax({ url: "crec/signer/generate", method: "POST" }).then(
    ({ privateKey, address }: NewKey) => {
      $("#node-config-input-privateKey").val(privateKey);
      $("#node-config-input-address").val(address);
      say(node._("signer.generated"), "success");
    },
    (failure: JQuery.jqXHR) => say(refusal(node, failure), "error"),
  );
}

/** Asked only for a key that was just typed in: a stored one never comes back to the browser. */
function showAddress(node: EditedNode): void {
  const privateKey = String($("#node-config-input-privateKey").val() ?? "").trim();
  if (privateKey === "" || privateKey === STORED_PASSWORD || privateKey.startsWith("${")) {
    say("", "success");
    return;
  }
  $.ajax({
    url: "crec/signer/address",
    method: "POST",
    contentType: "application/json",
    data: JSON.stringify({ privateKey }),
  }).then(
    ({ address }: { address: string }) => {
      $("#node-config-input-address").val(address);
      say("", "success");
    },
    (failure: JQuery.jqXHR) => say(failure.responseJSON?.message ?? refusal(node, failure), "error"),
  );
}

function refusal(node: EditedNode, { status }: JQuery.jqXHR): string {
  return node._(status === 401 || status === 403 ? "signer.error.forbidden" : "signer.error.failed");
}

function say(text: string, tone: "success" | "error"): void {
  $("#crec-signer-result").text(text).css("color", `var(--red-ui-text-color-${tone})`);
}
