import type { EditedNode } from "../common/editor/api.ts";
import { inputOf } from "../common/editor/form-fields.ts";
import { askForReport, keepSecrets } from "../common/editor/kept-secrets.ts";
import { SIGNER_KINDS, type SignerKind } from "../common/shared/signer-kinds.ts";
import type { SecretName } from "./fields.ts";
import type { PlainName } from "./values.ts";

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

export function keepSecretsAtTheirService(node: EditedNode): void {
  const sentence = node._("signer.error.again");
  const lost = GROUPS.map((group) => keepSecrets({ ...group, sentence }));
  askForReport(`crec/signer/${encodeURIComponent(node.id)}/secrets`, () => {
    for (const onLost of lost) onLost();
  });
}

/** The ARN of a key names its region. */
export function fillInRegion(): void {
  const [keyId, region] = [inputOf("keyId"), inputOf("region")];
  keyId.on("change", () => {
    const [, found] = /^arn:[\w-]+:kms:([\w-]+):/.exec(String(keyId.val() ?? "").trim()) ?? [];
    if (found && String(region.val() ?? "").trim() === "") region.val(found).trigger("change");
  });
}

/** The empty box says how long a signature of the chosen kind may take. */
export function showTimeout(): void {
  const [kind, timeout] = [inputOf("kind"), inputOf("timeout")];
  const show = (): void => {
    const { timeout: seconds = 0 } = SIGNER_KINDS[String(kind.val()) as SignerKind] ?? {};
    timeout.attr("placeholder", String(seconds));
  };
  kind.on("change", show);
  show();
}
