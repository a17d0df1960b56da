import { RSA_KEY_BITS } from "../../../src/protocol/index.ts";
import type { EditedNode } from "../../common/editor/api.ts";
import { copyButton } from "../../common/editor/buttons.ts";
import { fieldTexts, partOf } from "../../common/editor/form-fields.ts";
import { inputOf } from "../../common/editor/form-rows.ts";
import { TYPED } from "../../common/editor/while-open.ts";
import type { SignerKey } from "../../common/shared/form-types.ts";
import { keyOfSigner, SIGNER_KINDS, type SignerKind } from "../../common/shared/signers.ts";
import { NODE } from "../fields.ts";

/** The address or the RSA key in the form. */
export type KeyView = {
  read(): SignerKey;
  show(key: SignerKey): void;
};

const NO_KEY: SignerKey = { address: "" };
/** Without these the same key is in use. */
const NOT_OF_KEY: ReadonlySet<string> = new Set([
  "name",
  "address",
  "timeout",
  "tls",
  "proxy",
  "fireblocksNote",
  "fireblocksSends",
  "privySends",
]);

/** Shows the public part of the key. What is changed in the form may mean another key: then it is no longer shown. */
export function keyView(node: EditedNode): KeyView {
  const [address, kind] = [inputOf("address"), inputOf("kind")];
  let shown: SignerKey = { address: String(address.val() ?? ""), ...rsaKeyOf(node) };
  const [first, fields] = [shown, fieldTexts(KEY_FIELDS)];
  const rsaBox = rsaRow(node, () => shown);
  address.after(copyButton(node, "common.label.copy-address", () => shown.address));
  const rows = { address: address.closest(".form-row"), rsa: partOf(NODE, "publicKey-row") };
  const draw = (): void => {
    const isRsa =
      shown.publicKey !== undefined || (shown.address === "" && keyOfSigner({ kind: kind.val() }) === "rsa");
    const isFetched = (SIGNER_KINDS[String(kind.val()) as SignerKind]?.timeout ?? 0) > 0;
    const placeholder = node._(`signer.placeholder.${isFetched ? "fetched" : "address"}`);
    for (const box of [address, rsaBox]) box.attr("placeholder", placeholder);
    address.val(shown.address);
    rsaBox.val(shown.publicKey ? node._("signer.rsa-key", { bits: RSA_KEY_BITS, key: shortKey(shown) }) : "");
    rows.address.toggle(!isRsa);
    rows.rsa.toggle(isRsa);
  };
  const before = KEY_FIELDS.map(fields);
  let latest = before;
  for (const name of KEY_FIELDS)
    inputOf(name).on(TYPED, () => {
      const now = KEY_FIELDS.map(fields);
      if (now.every((text, index) => text === latest[index])) return;
      latest = now;
      shown = now.every((text, index) => text === before[index]) ? first : NO_KEY;
      draw();
    });
  draw();
  return {
    read: () => shown,
    show: (key) => {
      shown = key;
      draw();
    },
  };
}

/** `0x12ab…9f01`: the ends of the address, or of the modulus of an RSA key. Empty without a key. */
export function shortKey({ address, publicKey }: SignerKey): string {
  const text = publicKey ? publicKey.n : address;
  return text.length > 12 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text;
}

/** Credentials of a key service do not choose the key: another one there is refused at run time. */
const KEY_FIELDS = Object.entries(NODE.fields)
  .filter(([name, { kind }]) => ["text", "number", "select"].includes(kind) && !NOT_OF_KEY.has(name))
  .map(([name]) => name)
  .concat("privateKey", "rsaKey");

function rsaKeyOf({ publicKey }: EditedNode): Pick<SignerKey, "publicKey"> | object {
  return typeof publicKey === "object" && publicKey !== null ? { publicKey } : {};
}

/** A box with the short form, and buttons that copy the whole exponent and modulus. */
function rsaRow(node: EditedNode, shown: () => SignerKey): JQuery {
  const part = partOf(NODE, "publicKey").css({
    display: "inline-flex",
    "align-items": "center",
    width: "calc(100% - 110px)",
  });
  const box = $('<input type="text" readonly id="crec-signer-rsa-key">')
    .attr("aria-labelledby", "crec-signer-publicKey-label")
    .css({ "font-family": "monospace", flex: "1 1 auto", "min-width": "0" })
    .appendTo(part);
  for (const name of ["e", "n"] as const) {
    const copy = copyButton(node, `signer.copy-rsa.${name}`, () => shown().publicKey?.[name] ?? "");
    copy.find("button").append($("<span>").text(` ${name}`));
    part.append(copy);
  }
  return box;
}
