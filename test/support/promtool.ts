import { spawnSync } from "node:child_process";
import { HOW_TO_GET_PROMTOOL, promtoolPath } from "../../scripts/lib/engines.mjs";
import { isInstalled } from "./installed.ts";

/** Whether there is Prometheus' own linter: see `isInstalled`. */
export function hasPromtool(): boolean {
  return isInstalled("promtool", promtoolPath(), HOW_TO_GET_PROMTOOL);
}

/** What promtool says against it; empty when nothing. */
export function promtool(args: readonly string[], input = ""): string {
  const { status, stdout, stderr } = spawnSync(promtoolPath() ?? "", args, { input, encoding: "utf8" });
  return status === 0 && !/error|lint/i.test(stderr) ? "" : `${stdout}${stderr}`;
}
