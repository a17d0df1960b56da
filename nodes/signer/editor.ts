import type { EditedNode } from "../lib/editor/api.ts";
import { STORED_PASSWORD } from "../lib/editor/fields.ts";
import { registerType } from "../lib/editor/register.ts";
import type { NewKey } from "../lib/form-types.ts";

registerType("crec-signer", {
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
    showAddress(this);
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

/** The address of the key in the box. A stored key never comes back to the browser: Node-RED tells its address. */
function showAddress(node: EditedNode): void {
  const privateKey = String($("#node-config-input-privateKey").val() ?? "").trim();
  const address = $("#node-config-input-address");
  const show = (answer: { address: string }) => {
    address.val(answer.address);
    say("", "success");
  };
  if (privateKey === STORED_PASSWORD) {
    $.getJSON(`crec/signer/address/${encodeURIComponent(node.id)}`).then(show);
    return;
  }
  // An address must never stand beside a key that is not its own.
  address.val("");
  if (privateKey === "" || privateKey.startsWith("${")) {
    say("", "success");
    return;
  }
  $.ajax({
    url: "crec/signer/address",
    method: "POST",
    contentType: "application/json",
    data: JSON.stringify({ privateKey }),
  }).then(show, (failure: JQuery.jqXHR) =>
    say(failure.responseJSON?.message ?? refusal(node, failure), "error"),
  );
}

function refusal(node: EditedNode, { status }: JQuery.jqXHR): string {
  return node._(status === 401 || status === 403 ? "signer.error.forbidden" : "signer.error.failed");
}

function say(text: string, tone: "success" | "error"): void {
  $("#crec-signer-result").text(text).css("color", `var(--red-ui-text-color-${tone})`);
}
