import type { NodeAPI } from "node-red";
import { processWide } from "../../nodes/common/process-wide.ts";
import { registerDiagnostics } from "./diagnostics/register.ts";
import { registerIssues } from "./issues/register.ts";
import { flowsRunning } from "./monitoring/flows-running.ts";
import { registerMonitoring } from "./monitoring/register.ts";
import { registerPush } from "./push/register.ts";
import { registerRefresh } from "./refresh/register.ts";

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
  const issues = registerIssues(RED);
  const areFlowsRunning = flowsRunning(RED);
  registerPush(RED, issues);
  registerRefresh(RED, issues);
  registerDiagnostics(RED, issues, areFlowsRunning);
  registerMonitoring(RED, issues, areFlowsRunning);
}
