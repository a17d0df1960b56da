import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { arch, platform } from "node:os";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { NodeAPI } from "node-red";
import { answerForms } from "../../../nodes/common/admin/answer.ts";
import type { NodeRedContext } from "../../../nodes/common/context.ts";
import { stateFolder } from "../../../nodes/common/folder/state-folder.ts";
import { loadLibrary } from "../../../nodes/common/library.ts";
import { isContainer, isKubernetes } from "../container.ts";
import type { MonitorContext } from "../context.ts";
import { healthOf, stateOf } from "../monitoring/health.ts";
import { monitoringSettings } from "../monitoring/register.ts";
import { activityEntries, type Describing, errorEntry, issueEntry } from "./activity-entries.ts";
import { deployed, nodeEntries } from "./deployed.ts";
import { ownWords, redactor } from "./redact.ts";
import {
  type Diagnostics,
  diagnosticsText,
  type HealthReport,
  type StateFolderReport,
  shorten,
  type Versions,
} from "./report.ts";
import { LastErrors, Statuses } from "./statuses-and-errors.ts";

/** As JSON: short enough for an issue tracker to accept as a file. */
const MOST_CHARACTERS = 200_000;

/** What a bug report needs, as text and as JSON: `GET /crec/diagnostics`, `GET /crec/diagnostics?format=text`. */
export function registerDiagnostics(monitor: MonitorContext): void {
  const noted = { statuses: new Statuses(monitor.RED), errors: new LastErrors(monitor.RED) };
  answerForms(monitor.RED, "get", "/crec/diagnostics", "crec.read", async ({ query }) => {
    const diagnostics = shorten(await collect(monitor, noted), MOST_CHARACTERS);
    return query.format === "text" ? { text: diagnosticsText(diagnostics) } : diagnostics;
  });
}

type Noted = { statuses: Statuses; errors: LastErrors };

async function collect(monitor: MonitorContext, { statuses, errors }: Noted): Promise<Diagnostics> {
  const { RED, activity, issues } = monitor;
  const [installed, folder, words] = await Promise.all([
    versions(monitor),
    stateFolderReport(monitor),
    ownWords(),
  ]);
  const nodes = deployed(RED.nodes);
  const redact = redactor({ words, entered: nodes.entered });
  const describing: Describing = { labelOf: nodes.labelOf, redact };
  const found = issues.all();
  return {
    madeAt: new Date().toISOString(),
    versions: installed,
    stateFolder: folder,
    health: healthReport(monitor),
    issues: found.map((issue) => issueEntry(issue, describing)),
    errors: [...errors.all()].reverse().map((error) => errorEntry(error, describing)),
    ...activityEntries(activity, describing),
    nodes: nodeEntries(RED.nodes, nodes, statuses.all(), redact),
    leftOut: {},
  };
}

/** The sentences name nodes: only the codes are taken. */
function healthReport(monitor: MonitorContext): HealthReport {
  const { status, reasons } = healthOf(stateOf(monitor), () => "");
  const codes = [...new Set(reasons.map(({ code }) => code))];
  const { kind } = monitoringSettings(monitor.RED.settings);
  return { status, reasons: codes.join(", "), monitoring: kind };
}

/** A folder on a network can answer never. */
const ACCESS_MS = 1_000;

async function versions(nodeRed: NodeRedContext): Promise<Versions> {
  const { VERSION } = await loadLibrary();
  return {
    package: VERSION,
    nodeRed: String(await nodeRed.RED.version()),
    node: process.versions.node,
    os: `${platform()} ${arch()}`,
    host: hostOf(nodeRed.RED.settings),
  };
}

async function stateFolderReport(nodeRed: NodeRedContext): Promise<StateFolderReport> {
  const { path, chosenBy } = stateFolder(nodeRed.RED);
  const isUserDirectory = path === resolve(nodeRed.RED.settings.userDir ?? process.cwd());
  const canWrite = access(path, constants.W_OK).then(
    () => "writable" as const,
    () => "not writable" as const,
  );
  const late = new AbortController();
  const noAnswer = sleep(ACCESS_MS, "no answer" as const, { signal: late.signal }).catch(
    () => "no answer" as const,
  );
  const found = await Promise.race([canWrite, noAnswer]);
  late.abort();
  return { chosenBy, isUserDirectory, access: found };
}

function hostOf(settings: NodeAPI["settings"]): Versions["host"] {
  if ((settings as { flowforge?: unknown }).flowforge) return "flowfuse";
  if (isKubernetes()) return "kubernetes";
  return isContainer() ? "container" : "machine";
}
