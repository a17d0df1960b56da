import { getJson, postJson, requestFailure } from "../lib/editor/admin-requests.ts";
import type { EditedNode } from "../lib/editor/api.ts";
import { copyButton } from "../lib/editor/copy-button.ts";
import { askInDialog } from "../lib/editor/dialog.ts";
import { inputOf, partOf } from "../lib/editor/form-fields.ts";
import type { NodeForm } from "../lib/editor/node-form.ts";
import type { Answer, KeyAddress, NewKey } from "../lib/shared/form-types.ts";
import { STORED_PASSWORD } from "../lib/shared/stored-password.ts";
import { NODE } from "./fields.ts";

/** The address of the key in the form, while Node-RED has not answered yet. */
let pendingAddress: Promise<string | undefined> | undefined;

export const form: NodeForm = {
  label: (node) => String(node.address || "") || node._("signer.title"),
  opened: (node) => {
    const result = partOf(NODE, "generate-result");
    inputOf("address").after(
      copyButton(node, "common.label.copy-address", () => String(inputOf("address").val() ?? "")),
    );
    const isStored = inputOf("privateKey").val() === STORED_PASSWORD;
    partOf(NODE, "generate").on("click", () => {
      const isTyped = String(inputOf("privateKey").val() ?? "").trim() !== "";
      if (isStored || isTyped) askToReplace(node, () => void generate(node, result));
      else void generate(node, result);
    });
    inputOf("privateKey").on("change", () => showAddress(node, result));
    showAddress(node, result);
  },
  saved: ({ id }) => {
    // A person who presses Done right after typing is faster than the answer.
    pendingAddress?.then((address) => {
      const signer = RED.nodes.node(id);
      if (!signer || address === undefined || signer.address === address) return;
      signer.address = address;
      signer.changed = true;
      RED.nodes.dirty(true);
      RED.events.emit("nodes:change", signer);
    });
    pendingAddress = undefined;
  },
  cancelled: () => {
    pendingAddress = undefined;
  },
};

/** The old key may be the only one that a wallet with funds allows. */
function askToReplace(node: EditedNode, replace: () => void): void {
  const address = String(inputOf("address").val() ?? "");
  const content = $("<div>");
  const line = (text: string) => $("<p>").text(text).appendTo(content);
  if (address !== "") line(node._("signer.replace.address", { address })).css("overflow-wrap", "anywhere");
  line(node._("signer.replace.explained"));
  askInDialog(node, {
    title: node._("signer.replace.title"),
    content,
    action: node._("signer.replace.action"),
    act: () => {
      replace();
      return true;
    },
  });
}

async function generate(node: EditedNode, result: JQuery): Promise<void> {
  try {
    const answer = await postJson<NewKey>("crec/signer/generate");
    if (answer.problem !== undefined) return say(result, answer.problem, "error");
    // The line under the field may tell of a variable that was there.
    inputOf("privateKey").val(answer.privateKey).trigger("input");
    inputOf("address").val(answer.address);
    pendingAddress = undefined;
    showKey(node, result, answer.privateKey);
  } catch (failure) {
    say(result, requestFailure(node, failure, "crec.write"), "error");
  }
}

/** Shows the new key until another one is entered or the form is closed. The box is not part of what is stored. */
function showKey(node: EditedNode, result: JQuery, privateKey: string): void {
  say(result, node._("signer.generated"), "success");
  const row = $("<div>").css({ display: "flex", "align-items": "center", "margin-top": "6px" });
  $('<input type="text" readonly id="crec-signer-new-key">')
    .attr("aria-label", node._("signer.new-key"))
    .css({
      "font-family": "monospace",
      color: "var(--red-ui-form-text-color)",
      flex: "1 1 auto",
      "min-width": "0",
      margin: "0",
    })
    .val(privateKey)
    .on("focus", (event) => $(event.target).trigger("select"))
    .appendTo(row);
  row.append(copyButton(node, "signer.copy-key", () => privateKey)).appendTo(result);
  $("<div>").css("margin-top", "6px").text(node._("signer.back-up")).appendTo(result);
}

/** Shows the address of the key. A stored key never returns to the browser: Node-RED answers with its address. */
function showAddress(node: EditedNode, result: JQuery): void {
  const privateKey = String(inputOf("privateKey").val() ?? "").trim();
  const shown = inputOf("address");
  const isStored = privateKey === STORED_PASSWORD;
  say(result, "", "success");
  pendingAddress = undefined;
  // The form must never show an address beside another key.
  if (!isStored) shown.val("");
  if (privateKey === "" || privateKey.startsWith("${")) return;
  const asked: Promise<string | undefined> = addressOf(node.id, isStored, privateKey).then(
    (answer) => {
      const { problem } = answer;
      // The key was changed in the meantime.
      if (pendingAddress !== asked && shown[0]?.isConnected) return undefined;
      if (problem === undefined) shown.val(answer.address);
      else say(result, problem, "error");
      return problem === undefined ? answer.address : undefined;
    },
    (failure: unknown) => {
      if (pendingAddress === asked) say(result, requestFailure(node, failure, "crec.write"), "error");
      return undefined;
    },
  );
  pendingAddress = asked;
}

function addressOf(id: string, isStored: boolean, privateKey: string): Promise<Answer<KeyAddress>> {
  return isStored
    ? getJson(`crec/signer/address/${encodeURIComponent(id)}`)
    : postJson("crec/signer/address", { privateKey });
}

function say(result: JQuery, text: string, tone: "success" | "error"): void {
  result.text(text).css("color", `var(--red-ui-text-color-${tone})`);
}
