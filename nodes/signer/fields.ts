import { COMMON, describeNode, type SettingsOf } from "../lib/shared/fields.ts";

export const NODE = describeNode({
  type: "crec-signer",
  version: 1,
  fields: {
    name: COMMON.name,
    privateKey: { kind: "credential", icon: "key" },
    generate: { kind: "button", icon: "magic", result: true },
    /** Shown in the form; the key in the credentials signs. */
    address: {
      kind: "text",
      icon: "map-marker",
      label: "common.label.address",
      placeholder: true,
      monospace: true,
      readonly: true,
    },
    keyStorage: { kind: "note" },
  },
});

export type SignerDef = SettingsOf<typeof NODE>;
