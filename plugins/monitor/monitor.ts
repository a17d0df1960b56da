import type { NodeAPI } from "node-red";
import { nodeRedContext } from "../../nodes/common/context.ts";
import { processWide } from "../../nodes/common/process-wide.ts";
import { activity } from "../../nodes/common/telemetry/activity.ts";
import type { MonitorContext } from "./context.ts";
import { registerDiagnostics } from "./diagnostics/register.ts";
import { registerIssues } from "./issues/register.ts";
import { flowsRunning } from "./monitoring/monitoring.ts";
import { registerMonitoring } from "./monitoring/register.ts";
import { registerPush } from "./push/register.ts";
import { registerRefresh } from "./refresh.ts";

/** The editors' APIs that have its endpoints. */
const registered = processWide("monitor", () => new WeakSet<object>());

/**
 * The sidebar "CRE Connect" with the issues that it lists, diagnostics, metrics and health. All of it is known to the
 * nodes of this process; only a refresh asks the service.
 *
 * Node-RED loads it again where the package is removed and installed again without a restart. It never takes back the
 * endpoints and listeners of the first time, so these go on, and others would never be asked.
 */
export default function register(RED: NodeAPI): void {
  if (registered.has(RED.httpAdmin)) return;
  registered.add(RED.httpAdmin);
  const nodeRed = nodeRedContext(RED);
  const issues = registerIssues(nodeRed);
  const monitor: MonitorContext = { ...nodeRed, activity, issues, areFlowsRunning: flowsRunning(RED) };
  registerPush(monitor);
  registerRefresh(monitor);
  registerDiagnostics(monitor);
  registerMonitoring(monitor);
}
