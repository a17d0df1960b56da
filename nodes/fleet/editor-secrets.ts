import type { EditedNode } from "../common/editor/api.ts";
import { askForReport, keepSecrets, markTypedSecrets } from "../common/editor/kept-secrets.ts";

const SECRETS = ["url", "sentinelPassword"] as const;

/** TLS and, with sentinels, the fields of the form say who can read the secrets, beside the URL itself. */
export function keepSecretsAtTheirServers(node: EditedNode): void {
  const onLost = keepSecrets({
    secrets: SECRETS,
    places: ["servers", "sentinels", "master", "tls"],
    sentence: node._("fleet.error.again"),
  });
  askForReport(`crec/fleet/${encodeURIComponent(node.id)}/secrets`, onLost);
}

export function markTypedFleetSecrets(): void {
  markTypedSecrets(SECRETS);
}
