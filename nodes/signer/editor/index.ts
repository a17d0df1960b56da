import type { EditedNode } from "../../common/editor/api.ts";
import { inputOf } from "../../common/editor/form-rows.ts";
import type { NodeForm } from "../../common/editor/node-form.ts";
import { askForReport, keepSecrets, markTypedSecrets } from "../../common/editor/values/kept-secrets.ts";
import { credentialsOf } from "../../common/shared/field-rules.ts";
import type { SignerKey } from "../../common/shared/form-types.ts";
import { SIGNER_KINDS, type SignerKind } from "../../common/shared/signers.ts";
import { NODE, type SecretName } from "../fields.ts";
import type { PlainName } from "../values.ts";
import { keyChecks } from "./checks.ts";
import { type KeyView, keyView, shortKey } from "./key.ts";
import { type LocalKeys, localKeys } from "./local.ts";

type Group = {
  secrets: readonly [SecretName, ...SecretName[]];
  places: readonly PlainName[];
};

const VAULT = ["vaultUrl", "vaultNamespace"] as const;

/** Which fields decide where secrets are sent. The problem is said at the first emptied secret of a group. */
const GROUPS: readonly Group[] = [
  { secrets: ["awsAccessKeyId", "awsSecretAccessKey", "awsSessionToken"], places: ["region", "endpoint"] },
  { secrets: ["vaultToken"], places: VAULT },
  { secrets: ["vaultSecretId"], places: VAULT },
  { secrets: ["fireblocksApiKey", "fireblocksKey"], places: ["fireblocksUrl"] },
  { secrets: ["privyAppSecret", "privyAuthorizationKey"], places: ["privyUrl"] },
  { secrets: ["remoteToken"], places: ["remoteUrl"] },
  { secrets: ["remotePassword"], places: ["remoteUrl"] },
];

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

function keepSecretsAtTheirService(node: EditedNode): void {
  const sentence = node._("signer.error.again");
  const lost = GROUPS.map((group) => keepSecrets({ ...group, sentence }));
  askForReport(`crec/signer/${encodeURIComponent(node.id)}/secrets`, () => {
    for (const onLost of lost) onLost();
  });
}

/** The ARN of a key names its region. */
function fillInRegion(): void {
  const [keyId, region] = [inputOf("keyId"), inputOf("region")];
  keyId.on("change", () => {
    const [, found] = /^arn:[\w-]+:kms:([\w-]+):/.exec(String(keyId.val() ?? "").trim()) ?? [];
    if (found && String(region.val() ?? "").trim() === "") region.val(found).trigger("change");
  });
}

/** The empty box says how long a signature of the chosen kind may take. */
function showTimeout(): void {
  const [kind, timeout] = [inputOf("kind"), inputOf("timeout")];
  const show = (): void => {
    const { timeout: seconds = 0 } = SIGNER_KINDS[String(kind.val()) as SignerKind] ?? {};
    timeout.attr("placeholder", String(seconds));
  };
  kind.on("change", show);
  show();
}
