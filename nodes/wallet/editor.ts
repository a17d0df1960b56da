import type { EditedNode } from "../common/editor/api.ts";
import { inputOf, problemUnder } from "../common/editor/form-rows.ts";
import { isMissing, listed } from "../common/editor/lookups/lookup.ts";
import { checkAddress } from "../common/editor/lookups/read-contract.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { liveCheck, onNodeChange, TYPED } from "../common/editor/while-open.ts";
import type { Answer, Choices } from "../common/shared/form-types.ts";
import { keyOfSigner, keyOfWallet } from "../common/shared/signers.ts";
import { isChosen } from "../common/shared/variables.ts";

export const form: NodeForm = {
  label: (node) => String(node.wallet || "") || node._("wallet.title"),
  opened: (node) => {
    checkAddress(node, inputOf("wallet"));
    checkAddress(node, inputOf("owner"));
    checkSignerKey(node);
  },
};

/**
 * Says under the signer that its key cannot sign for the wallet: for the one of the service, or the type in the form. Or
 * that a new wallet needs an owner, whose field is folded away.
 */
function checkSignerKey(node: EditedNode): void {
  const names = ["wallet", "connection", "walletType", "owner", "signer"];
  const [wallet, connection, type, owner, signer] = names.map(inputOf) as [
    ...[JQuery, JQuery, JQuery, JQuery, JQuery],
  ];
  const problem = problemUnder(signer);
  let ofService: string | undefined;
  let isNew = false;
  const show = (): void => {
    const walletType = ofService ?? text(type);
    const other = keyOfWallet(walletType);
    const chosen = RED.nodes.node(text(signer));
    const key = chosen ? keyOfSigner(chosen) : undefined;
    const isWrong = key !== undefined && other !== undefined && key !== other;
    const words = {
      key: node._(`wallet.key.${key}`),
      other: node._(`wallet.key.${other}`),
      type: walletType,
    };
    const isOwnerless = isNew && key === "rsa" && text(owner) === "";
    if (isWrong) problem.say(node._("wallet.error.key", words));
    else problem.say(isOwnerless ? node._("wallet.error.no-owner") : "");
  };
  const look = liveCheck<Answer<Choices>>(
    wallet,
    () =>
      text(wallet) !== "" && isChosen(text(connection)) ? listed("wallets", text(connection)) : undefined,
    (answer) => {
      ofService = answer?.problem === undefined ? typeOf(answer?.choices ?? [], text(wallet)) : undefined;
      isNew = answer !== undefined && isMissing(answer, text(wallet));
      show();
    },
  );
  wallet.on(TYPED, () => look.soon());
  connection.on("change", () => look.now());
  type.add(signer).on("change", show);
  owner.on(TYPED, show);
  onNodeChange(signer, ({ type: changed }) => {
    if (changed === "crec-signer") show();
  });
  show();
  look.now();
}

/** Of the wallet with this name or address. */
function typeOf(choices: Choices["choices"], label: string): string | undefined {
  const wanted = label.toLowerCase();
  const words = (detail = "") => detail.toLowerCase().split(/[\s,]+/);
  return choices.find(({ value, detail }) => value === label || words(detail).includes(wanted))?.walletType;
}

function text(input: JQuery): string {
  return String(input.val() ?? "").trim();
}
