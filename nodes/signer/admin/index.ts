import type { NodeAPI } from "node-red";
import { registerKeys } from "./keys.ts";
import { registerSecretsReport } from "./secrets-report.ts";
import { registerSignerTest } from "./test-signer.ts";
import { registerWalletCheck } from "./wallets.ts";

/** What the form of a signer asks. */
export function registerSignerForm(RED: NodeAPI): void {
  registerKeys(RED);
  registerSecretsReport(RED);
  registerSignerTest(RED);
  registerWalletCheck(RED);
}
