import type { EditedNode } from "../common/editor/api.ts";
import { markTypedSecrets } from "../common/editor/kept-secrets.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { credentialsOf } from "../common/shared/field-rules.ts";
import type { SignerKey } from "../common/shared/form-types.ts";
import { keyChecks } from "./editor-checks.ts";
import { type KeyView, keyView, shortKey } from "./editor-key.ts";
import { type LocalKeys, localKeys } from "./editor-local.ts";
import { fillInRegion, keepSecretsAtTheirService, showTimeout } from "./editor-settings.ts";
import { NODE } from "./fields.ts";

/** Of the form that is open. */
let view: KeyView | undefined;
let local: LocalKeys | undefined;

export const form: NodeForm = {
  label: (node) => {
    const key = shortKey({ address: String(node.address ?? ""), publicKey: node.publicKey } as SignerKey);
    const kind = String(node.kind || "local");
    return [node._(`signer.called.${kind}`), key].filter(Boolean).join(" ");
  },
  opened: (node) => {
    view = keyView(node);
    local = localKeys(node, view);
    keyChecks(node, view);
    keepSecretsAtTheirService(node);
    fillInRegion();
    showTimeout();
  },
  saved: (node) => {
    const { publicKey } = view?.read() ?? {};
    // Done without a change must not change a signer that was stored without it.
    if (publicKey || node.publicKey) node.publicKey = publicKey ?? "";
    // The marks are for secrets that are sent: these keys are not.
    const secrets = Object.keys(credentialsOf(NODE)).filter((name) => !LOCAL.has(name));
    markTypedSecrets(secrets);
    // A person who presses Done right after typing is faster than the answer.
    local?.pending()?.then((answer) => answer && keepKey(node.id, answer));
    [view, local] = [undefined, undefined];
  },
  cancelled: () => {
    [view, local] = [undefined, undefined];
  },
};

const LOCAL: ReadonlySet<string> = new Set(["privateKey", "rsaKey"]);

function keepKey(id: EditedNode["id"], { address, publicKey }: SignerKey): void {
  const signer = RED.nodes.node(id);
  const isKept =
    signer?.address === address &&
    JSON.stringify(signer.publicKey || undefined) === JSON.stringify(publicKey);
  if (!signer || isKept) return;
  signer.address = address;
  signer.publicKey = publicKey ?? "";
  signer.changed = true;
  RED.nodes.dirty(true);
  RED.events.emit("nodes:change", signer);
}
