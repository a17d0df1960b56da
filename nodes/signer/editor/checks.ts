import type { ConfigNode, EditedNode } from "../../common/editor/api.ts";
import { fieldTexts, partOf } from "../../common/editor/form-fields.ts";
import { inputOf } from "../../common/editor/form-rows.ts";
import { postJson, requestFailure } from "../../common/editor/lookups/admin-requests.ts";
import { TYPED } from "../../common/editor/while-open.ts";
import type { SignerKey, WalletAnswers, WalletQuestion } from "../../common/shared/form-types.ts";
import { SIGNER_KINDS, type SignerKind } from "../../common/shared/signers.ts";
import { NODE } from "../fields.ts";
import { type KeyView, shortKey } from "./key.ts";
import { type Checks, linesIn } from "./lines.ts";
import { signerTest } from "./test.ts";

const SENT = Object.entries(NODE.fields)
  .filter(([, { kind }]) => ["text", "number", "select", "credential", "config"].includes(kind))
  .map(([name]) => name);

/** The buttons "Fetch the address", "Test signer" and "Check wallets", in one row, and what they found. */
export function keyChecks(node: EditedNode, view: KeyView): void {
  const part = partOf(NODE, "check").addClass("crec-checks");
  const row = $('<div class="crec-check-buttons">').appendTo(part);
  const result = $('<div class="crec-result" role="status">').appendTo(part);
  const fieldText = fieldTexts(SENT);
  let asked = 0;
  const checks: Checks = {
    node,
    view,
    settings: () => ({ id: node.id, ...Object.fromEntries(SENT.map((name) => [name, fieldText(name)])) }),
    begin: () => {
      asked += 1;
      return linesIn(node, result.empty(), asked, () => asked);
    },
  };
  const button = (name: string, icon: string, press: () => void): JQuery =>
    $('<button type="button" class="red-ui-button">')
      .attr("id", `crec-signer-${name}`)
      .append($('<i class="fa" aria-hidden="true">').addClass(`fa-${icon}`), " ")
      .append($("<span>").text(node._(`signer.label.${name}`)))
      .on("click", press)
      .appendTo(row);
  const fetch = button("fetch", "download", () => void fetchKey(checks));
  button("test", "check-square-o", () => signerTest(checks));
  button("wallets", "credit-card", () => void walletCheck(checks));
  const kind = inputOf("kind");
  const showFetch = (): void => {
    const { timeout = 0 } = SIGNER_KINDS[String(kind.val()) as SignerKind] ?? {};
    fetch.toggle(timeout > 0);
  };
  kind.on("change", showFetch);
  showFetch();
  const before = new Map(SENT.map((name) => [name, fieldText(name)]));
  for (const name of SENT.filter((one) => one !== "address"))
    inputOf(name).on(TYPED, () => {
      // A key that changes nothing, such as Tab, leaves the result.
      if (before.get(name) === fieldText(name)) return;
      before.set(name, fieldText(name));
      asked += 1;
      result.empty();
    });
}

async function fetchKey({ node, view, settings, begin }: Checks): Promise<void> {
  const lines = begin();
  lines.progress(node._("signer.fetch.running"));
  try {
    const answer = await postJson<SignerKey>("crec/signer/address", settings());
    if (!lines.isCurrent()) return;
    lines.clear();
    if (answer.problem !== undefined) return lines.add("problem", answer.problem);
    const before = view.read();
    const isOther = shortKey(before) !== "" && JSON.stringify(before) !== JSON.stringify(answer);
    view.show(answer);
    lines.add("ok", node._(answer.publicKey ? "signer.fetch.public-key" : "signer.fetch.address"));
    if (isOther) lines.add("problem", node._("signer.fetch.other", { key: shortKey(before) }));
  } catch (failure) {
    lines.clear();
    lines.add("problem", requestFailure(node, failure, "crec.write"));
  }
}

const STATES = { allowed: "ok", refused: "problem", unknown: "unchecked" } as const;

/** Whether the wallets of the flow that use this signer name its key among their signers. */
async function walletCheck({ node, view, begin }: Checks): Promise<void> {
  const lines = begin();
  const key = view.read();
  if (shortKey(key) === "") return lines.add("unchecked", node._("signer.wallets.no-key"));
  const wallets = walletsOf(node.id);
  if (wallets.length === 0) return lines.add("unchecked", node._("signer.wallets.none"));
  lines.progress(node._("signer.wallets.running"));
  try {
    const answer = await postJson<WalletAnswers>("crec/signer/wallets", { key, wallets });
    lines.clear();
    if (answer.problem !== undefined) return lines.add("problem", answer.problem);
    for (const { id, state, why = "" } of answer.wallets) {
      const wallet = wallets.find((one) => one.id === id)?.name ?? id;
      lines.add(STATES[state], node._(`signer.wallets.${state}`, { wallet, why }));
    }
  } catch (failure) {
    lines.clear();
    lines.add("problem", requestFailure(node, failure, "crec.read"));
  }
}

function walletsOf(signer: string): WalletQuestion[] {
  const found: ConfigNode[] = [];
  RED.nodes.eachConfig((one) => {
    if (one.type === "crec-wallet" && one.signer === signer) found.push(one);
  });
  return found.map((one) => {
    const wallet = String(one.wallet ?? "");
    return { id: one.id, name: one.name || wallet, connection: String(one.connection ?? ""), wallet };
  });
}
