// @ts-check
import { join } from "node:path";
import { dataDir } from "./paths.mjs";

/**
 * The environment variables that the example flows read. Those that are not about the service can be set from outside.
 *
 * @param {import("./local-service.mjs").Ready} ready
 */
export function flowEnvironment(ready) {
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
    CREC_CHAIN_ID: String(ready.chain_id),
    CREC_TOKEN_ADDRESS: ready.contracts.DemoToken,
    CREC_GUARDED_TOKEN_ADDRESS: ready.contracts.GuardedToken,
    CREC_DVP_ADDRESS: ready.contracts.DemoDvp,
    CREC_DTA_ADDRESS: ready.contracts.DemoDta,
    CREC_COUNTER_ADDRESS: ready.contracts.Counter,
    CREC_SENSOR_REGISTRY_ADDRESS: ready.contracts.SensorRegistry,
    CREC_CSV_FILE: process.env.CREC_CSV_FILE ?? join(dataDir(), "transfers.csv"),
    CREC_APPROVALS_FILE: process.env.CREC_APPROVALS_FILE ?? join(dataDir(), "approvals.jsonl"),
    ALERT_OUTLET: process.env.ALERT_OUTLET ?? "",
    ALERT_SECOND_OUTLET: process.env.ALERT_SECOND_OUTLET ?? "",
    ALERT_SECRET: process.env.ALERT_SECRET ?? "",
    MQTT_HOST: process.env.MQTT_HOST ?? "127.0.0.1",
    MQTT_PORT: process.env.MQTT_PORT ?? "1883",
  };
}
