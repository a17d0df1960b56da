import type { SignerKind } from "../../common/shared/signer-kinds.ts";
import type { CustodyKind } from "../fields.ts";
import { AWS_KMS } from "./aws-kms.ts";
import { FIREBLOCKS } from "./fireblocks.ts";
import type { KeyService } from "./key-service.ts";
import { PRIVY } from "./privy.ts";
import { REMOTE } from "./remote.ts";
import { VAULT } from "./vault.ts";

const KEY_SERVICES: Readonly<Record<CustodyKind, KeyService>> = {
  "aws-kms": AWS_KMS,
  vault: VAULT,
  fireblocks: FIREBLOCKS,
  privy: PRIVY,
  remote: REMOTE,
};

/** The key service of a kind; undefined where Node-RED has the key. */
export function keyServiceOf(kind: SignerKind): KeyService | undefined {
  return Object.hasOwn(KEY_SERVICES, kind) ? KEY_SERVICES[kind as CustodyKind] : undefined;
}
