import type { EditedNode } from "../../common/editor/api.ts";
import { copyButton } from "../../common/editor/buttons.ts";
import { askInDialog } from "../../common/editor/dialog.ts";
import { partOf } from "../../common/editor/form-fields.ts";
import { inputOf } from "../../common/editor/form-rows.ts";
import { getJson, postJson, requestFailure } from "../../common/editor/lookups/admin-requests.ts";
import { TYPED } from "../../common/editor/while-open.ts";
import type { Answer, NewKey, SignerKey } from "../../common/shared/form-types.ts";
import { STORED_PASSWORD } from "../../common/shared/variables.ts";
import { NODE } from "../fields.ts";
import { type KeyView, shortKey } from "./key.ts";

export type LocalKeys = {
  /** The key for what was typed last, while Node-RED has not answered yet. */
  pending(): Promise<SignerKey | undefined> | undefined;
};

/** The two kinds with a key in Node-RED: the field of the key, and the button that makes one. */
const KINDS = [
  { kind: "local", field: "privateKey", button: "generate" },
  { kind: "local-rsa", field: "rsaKey", button: "generateRsa" },
] as const;
type LocalKind = (typeof KINDS)[number];

/** Makes keys, and shows the address of what is typed. A stored key never returns to the browser. */
export function localKeys(node: EditedNode, view: KeyView): LocalKeys {
  let pending: Promise<SignerKey | undefined> | undefined;
  const forget = (): void => {
    pending = undefined;
  };
  inputOf("kind").on("change", forget);
  for (const one of KINDS) {
    const [box, result] = [inputOf(one.field), partOf(NODE, `${one.button}-result`)];
    const isStored = box.val() === STORED_PASSWORD;
    const text = () => String(box.val() ?? "").trim();
    let latest = text();
    // An answer about the text before is about another key.
    box.on(TYPED, () => {
      if (text() === latest) return;
      latest = text();
      forget();
    });
    const make = (): void => {
      void generate(node, one, result).then((key) => {
        if (!key) return;
        view.show(key);
        pending = undefined;
      });
    };
    partOf(NODE, one.button).on("click", () => {
      if (isStored || text() !== "") askToReplace(node, view.read(), make);
      else make();
    });
    const ask = (): void => {
      if (inputOf("kind").val() !== one.kind) return;
      forget();
      say(result, "", "success");
      const asked = keyOf(node, one, text());
      if (asked === undefined) return;
      const answered: Promise<SignerKey | undefined> = asked.then(
        (answer) => {
          // The key was changed in the meantime.
          if (pending !== answered && box[0]?.isConnected) return undefined;
          if (answer.problem === undefined) view.show(answer);
          else say(result, answer.problem, "error");
          return answer.problem === undefined ? answer : undefined;
        },
        (failure: unknown) => {
          if (pending === answered) say(result, requestFailure(node, failure, "crec.write"), "error");
          return undefined;
        },
      );
      pending = answered;
    };
    box.on("change", ask);
    inputOf("kind").on("change", ask);
    ask();
  }
  return { pending: () => pending };
}

/** The old key may be the only one that a wallet with funds allows. */
function askToReplace(node: EditedNode, key: SignerKey, replace: () => void): void {
  const content = $("<div>");
  const line = (text: string) => $("<p>").text(text).appendTo(content);
  const address = key.publicKey ? shortKey(key) : key.address;
  const sentence = key.publicKey ? "signer.replace.public-key" : "signer.replace.address";
  if (address !== "") line(node._(sentence, { address })).css("overflow-wrap", "anywhere");
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

async function generate(
  node: EditedNode,
  { kind, field }: LocalKind,
  result: JQuery,
): Promise<SignerKey | undefined> {
  try {
    const answer = await postJson<NewKey>("crec/signer/generate", { kind });
    if (answer.problem !== undefined) {
      say(result, answer.problem, "error");
      return undefined;
    }
    // The line under the field may tell of a variable that was there.
    inputOf(field).val(answer.privateKey).trigger("input");
    showKey(node, result, answer.privateKey);
    const { address, publicKey } = answer;
    return { address, ...(publicKey ? { publicKey } : {}) };
  } catch (failure) {
    say(result, requestFailure(node, failure, "crec.write"), "error");
    return undefined;
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

function keyOf(
  node: EditedNode,
  { kind, field }: LocalKind,
  text: string,
): Promise<Answer<SignerKey>> | undefined {
  if (text === "" || text.startsWith("${")) return undefined;
  // Without the permission to write. The key of a kind that is chosen again is stored, too, but is not in use.
  return text === STORED_PASSWORD && String(node.kind || "local") === kind
    ? getJson(`crec/signer/address/${encodeURIComponent(node.id)}`)
    : postJson("crec/signer/address", { id: node.id, kind, [field]: text });
}

function say(result: JQuery, text: string, tone: "success" | "error"): void {
  result.text(text).css("color", `var(--red-ui-text-color-${tone})`);
}
