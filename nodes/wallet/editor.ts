import { checkAddress } from "../common/editor/check-address.ts";
import { inputOf } from "../common/editor/form-fields.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { checkSignerKey } from "./editor-signer.ts";

export const form: NodeForm = {
  label: (node) => String(node.wallet || "") || node._("wallet.title"),
  opened: (node) => {
    checkAddress(node, inputOf("wallet"));
    checkAddress(node, inputOf("owner"));
    checkSignerKey(node);
  },
};
