// What the example flows read from the environment, in the forms in which Node-RED takes it.
import { randomBytes } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { secretFile } from "./secrets.ts";
import type { ReadyInfo } from "./start/types.ts";

/** The environment variables of the example flows that are about the service. `npm start` sets the same. */
export function serviceVariables(ready: ReadyInfo) {
  const { contracts } = ready;
  return {
    CREC_BASE_URL: ready.base_url,
    CREC_GRAPHQL_URL: ready.graphql_url,
    CREC_API_KEY: ready.api_key,
    CREC_ORG_ID: ready.org_id,
    CREC_WORKFLOW_OWNER: ready.workflow_owner,
    CREC_TENANT_ID: ready.cre_tenant_id,
    CREC_VALID_SIGNERS: ready.valid_signers.join(","),
    CREC_MIN_SIGNATURES: String(ready.min_required_signatures),
    CREC_CHAIN_SELECTOR: ready.chain_selector,
    CREC_CHAIN_ID: ready.chain_id,
    CREC_TOKEN_ADDRESS: contracts.DemoToken ?? "",
    CREC_GUARDED_TOKEN_ADDRESS: contracts.GuardedToken ?? "",
    CREC_DVP_ADDRESS: contracts.DemoDvp ?? "",
    CREC_DTA_ADDRESS: contracts.DemoDta ?? "",
    CREC_COUNTER_ADDRESS: contracts.Counter ?? "",
    CREC_SENSOR_REGISTRY_ADDRESS: contracts.SensorRegistry ?? "",
  };
}

/** The same, and the key that signs in the example flows. */
export function flowVariables(ready: ReadyInfo, signerKey: string): Record<string, string> {
  return { ...serviceVariables(ready), CREC_SIGNER_KEY: signerKey };
}

/** For the editor's Import: it adds the variables to the global ones of the flows, and replaces those of the same name. */
export function nodeRedImport(variables: Record<string, string>) {
  const env = Object.entries(variables).map(([name, value]) => ({ name, value, type: "str" }));
  return [{ id: "c7ec10ca15e771a9", type: "global-config", env, modules: {} }];
}

/** For `--env-file` of Node.js, and for containers. */
function environmentFile(variables: Record<string, string>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

/** The key with which the example flows sign, made at the first start of a data directory. */
export function flowSignerKey(dataDir: string): string {
  return secretFile(join(dataDir, "flow-signer-key"), () => randomBytes(32).toString("hex"));
}

/** Replaces the environment file in the data directory. */
export function writeEnvironmentFile(dataDir: string, variables: Record<string, string>): void {
  const file = join(dataDir, "node-red.env");
  writeFileSync(`${file}.new`, environmentFile(variables), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
