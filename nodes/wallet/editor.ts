import { checkAddress } from "../lib/editor/check-address.ts";
import { inputOf } from "../lib/editor/form-fields.ts";
import type { NodeForm } from "../lib/editor/node-form.ts";
import { checkSignerKey } from "./editor-signer.ts";

export const form: NodeForm = {
  label: (node) => String(node.wallet || "") || node._("wallet.title"),
  opened: (node) => {
    checkAddress(node, inputOf("wallet"));
    checkAddress(node, inputOf("owner"));
    checkSignerKey(node);
  },
};
