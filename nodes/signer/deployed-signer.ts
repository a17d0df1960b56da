import type { SignerNode } from "../common/fields/config-nodes.ts";

/** A signer, with what its form's questions are compared with. */
export type DeployedSigner = SignerNode & {
  /** Everything that can read its secrets; undefined where they are not sent. */
  receivers?: readonly string[];
  /** What the environment or the machine supplies in place of a secret. */
  ambient?: string | undefined;
};
