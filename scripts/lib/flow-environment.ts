import { join } from "node:path";
import { serviceVariables } from "../../service/src/flow-variables.ts";
import { dataDir } from "./paths.mjs";

/**
 * The environment variables that the example flows read. Those that are not about the service can be set from outside.
 */
export function flowEnvironment(ready: import("../../service/src/start/types.ts").ReadyInfo) {
  return {
    ...serviceVariables(ready),
    CREC_CSV_FILE: process.env.CREC_CSV_FILE ?? join(dataDir(), "transfers.csv"),
    CREC_EVENTS_FILE: process.env.CREC_EVENTS_FILE ?? join(dataDir(), "events.json"),
    CREC_APPROVALS_FILE: process.env.CREC_APPROVALS_FILE ?? join(dataDir(), "approvals.jsonl"),
    ALERT_OUTLET: process.env.ALERT_OUTLET ?? "",
    ALERT_SECOND_OUTLET: process.env.ALERT_SECOND_OUTLET ?? "",
    ALERT_SECRET: process.env.ALERT_SECRET ?? "",
    MQTT_HOST: process.env.MQTT_HOST ?? "127.0.0.1",
    MQTT_PORT: process.env.MQTT_PORT ?? "1883",
  };
}
