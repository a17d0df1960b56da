import { WALLET_TYPES } from "../../src/protocol/resources.ts";
import { COMMON } from "../common/shared/common-fields.ts";
import { isAddress, isNameOrAddress } from "../common/shared/field-checks.ts";
import { describeNode, type SettingsOf } from "../common/shared/fields.ts";
import { configurationError } from "./json-object.ts";

export const NODE = describeNode({
  type: "crec-wallet",
  version: 1,
  fields: {
    name: COMMON.name,
    connection: COMMON.connection,
    chainSelector: COMMON.network,
    /** The wallet's name, or the address of its smart account. */
    wallet: {
      kind: "text",
      icon: "credit-card",
      placeholder: true,
      required: true,
      check: (text, other) => isNameOrAddress(text, other) || "common.error.address",
      lookup: { list: "wallets", by: "connection", unknown: "wallet.hint.missing" },
    },
    /** Not chosen where operations are only drafted: another flow, or another Node-RED, signs them. */
    signer: {
      kind: "config",
      type: "crec-signer",
      required: false,
      preselect: true,
      icon: "pencil-square-o",
      hint: true,
    },
    newWallet: { kind: "section", folded: true },
    /** Empty for that of the signer's key. Of a wallet that exists, the signer is checked against it. */
    walletType: {
      kind: "select",
      icon: "id-card-o",
      options: ["", ...WALLET_TYPES],
      default: "",
      hint: true,
    },
    /** The address that may change the signers on chain. Empty for that of the signer. */
    owner: {
      kind: "text",
      icon: "user",
      placeholder: true,
      hint: true,
      monospace: true,
      check: isAddress,
      error: "common.error.address",
      lookup: { list: "addresses", by: "connection" },
    },
    /** A JSON object. */
    configuration: {
      kind: "text",
      lines: 3,
      monospace: true,
      placeholder: true,
      hint: true,
      check: (text) => configurationError(text) ?? true,
    },
  },
});

export type WalletDef = SettingsOf<typeof NODE>;
