import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { arch, platform } from "node:os";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { NodeAPI } from "node-red";
import { stateFolder } from "../../../nodes/common/folder/state-folder.ts";
import { loadLibrary } from "../../../nodes/common/library.ts";
import { isContainer, isKubernetes } from "../container.ts";
import type { StateFolderReport, Versions } from "./types.ts";

/** A folder on a network can answer never. */
const ACCESS_MS = 1_000;

export async function versions(RED: NodeAPI): Promise<Versions> {
  const { VERSION } = await loadLibrary();
  return {
    package: VERSION,
    nodeRed: String(await RED.version()),
    node: process.versions.node,
    os: `${platform()} ${arch()}`,
    host: hostOf(RED),
  };
}

export async function stateFolderReport(RED: NodeAPI): Promise<StateFolderReport> {
  const { path, chosenBy } = stateFolder(RED);
  const isUserDirectory = path === resolve(RED.settings.userDir ?? process.cwd());
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

function hostOf(RED: NodeAPI): Versions["host"] {
  if ((RED.settings as { flowforge?: unknown }).flowforge) return "flowfuse";
  if (isKubernetes()) return "kubernetes";
  return isContainer() ? "container" : "machine";
}
