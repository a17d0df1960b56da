import { getJson, postJson, requestFailure } from "../lib/editor/admin-requests.ts";
import type { EditedNode } from "../lib/editor/api.ts";
import { forms } from "../lib/editor/register.ts";
import { STORED_PASSWORD } from "../lib/editor/typed-inputs.ts";
import type { Answer, KeyAddress, NewKey } from "../lib/shared/form-types.ts";

/** The address of the key that is in the box, while that is being asked for. */
let awaited: Promise<string | undefined> | undefined;

forms.registerType("crec-signer", {
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
    const result = $("#crec-signer-result");
    $("#crec-signer-generate").on("click", () => generate(this, result));
    $("#node-config-input-privateKey").on("change", () => showAddress(this, result));
    showAddress(this, result);
  },
  oneditsave() {
    const { id } = this;
    // Who leaves the box by pressing Done is faster than the answer.
    awaited?.then((address) => {
      const signer = RED.nodes.node(id);
      if (!signer || address === undefined || signer.address === address) return;
      signer.address = address;
      signer.changed = true;
      RED.nodes.dirty(true);
      RED.events.emit("nodes:change", signer);
    });
    awaited = undefined;
  },
  oneditcancel() {
    awaited = undefined;
  },
});

async function generate(node: EditedNode, result: JQuery): Promise<void> {
  const [box, place] = [$("#node-config-input-privateKey"), $("#node-config-input-address")];
  try {
    const answer = await postJson<NewKey>("crec/signer/generate");
    if (answer.problem !== undefined) return say(result, answer.problem, "error");
    box.val(answer.privateKey);
    place.val(answer.address);
    awaited = undefined;
    say(result, node._("signer.generated"), "success");
  } catch (failure) {
    say(result, requestFailure(node, failure, "crec.write"), "error");
  }
}

/** The address of the key in the box. A stored key never comes back to the browser: Node-RED tells its address. */
function showAddress(node: EditedNode, result: JQuery): void {
  const privateKey = String($("#node-config-input-privateKey").val() ?? "").trim();
  const place = $("#node-config-input-address");
  const isStored = privateKey === STORED_PASSWORD;
  say(result, "", "success");
  awaited = undefined;
  // An address must never stand beside a key that is not its own.
  if (!isStored) place.val("");
  if (privateKey === "" || privateKey.startsWith("${")) return;
  const asked: Promise<string | undefined> = addressOf(node.id, isStored, privateKey).then(
    (answer) => {
      const { problem } = answer;
      // Another key is in the box by now.
      if (awaited !== asked && place[0]?.isConnected) return undefined;
      if (problem === undefined) place.val(answer.address);
      else say(result, problem, "error");
      return problem === undefined ? answer.address : undefined;
    },
    (failure: unknown) => {
      if (awaited === asked) say(result, requestFailure(node, failure, "crec.write"), "error");
      return undefined;
    },
  );
  awaited = asked;
}

function addressOf(id: string, isStored: boolean, privateKey: string): Promise<Answer<KeyAddress>> {
  return isStored
    ? getJson(`crec/signer/address/${encodeURIComponent(id)}`)
    : postJson("crec/signer/address", { privateKey });
}

function say(result: JQuery, text: string, tone: "success" | "error"): void {
  result.text(text).css("color", `var(--red-ui-text-color-${tone})`);
}
