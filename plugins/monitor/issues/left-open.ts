import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import { fileNameOf } from "../../../nodes/common/fields/file-name.ts";
import type { Flows } from "../../../nodes/common/flows/flows.ts";
import { LeasedStore } from "../../../nodes/common/folder/leased-store.ts";
import { stateFiles } from "../../../nodes/common/folder/state-files.ts";
import { stateFolderFor } from "../../../nodes/common/folder/state-folder.ts";
import { loadLibrary } from "../../../nodes/common/library.ts";
import type { RaisedAlert } from "../../../src/index.ts";
import { forgetSharedLeftOpen, type LeftOpen, sharedLeftOpen } from "./left-open-shared.ts";

const ENDING = ".log";
/** A file is read again only when it has changed. */
const known = new Map<string, { state: string; alerts: readonly RaisedAlert[] }>();

/** The open alerts of alert nodes that are not in the flows any more: nothing will tell their end. */
export async function leftOpen(RED: NodeAPI, flows: Flows): Promise<LeftOpen[]> {
  const places = [openInFiles(RED, flows), sharedLeftOpen(RED, flows)];
  const left = await Promise.allSettled(places);
  // One that cannot be read hides no other.
  return left.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

async function openInFiles(RED: NodeAPI, flows: Flows): Promise<LeftOpen[]> {
  const files = await filesWithoutNode(RED, flows);
  for (const file of known.keys()) if (!files.includes(file)) known.delete(file);
  if (files.length === 0) return [];
  const left = await whileHeld(RED, () => Promise.allSettled(files.map((file) => readOpen(RED, file))));
  return left.flatMap((one) =>
    one.status === "fulfilled" && one.value.alerts.length > 0 ? [one.value] : [],
  );
}

/** A person has closed them where they were sent to. */
export async function forgetLeftOpen(RED: NodeAPI, flows: Flows, file: string): Promise<void> {
  await forgetSharedLeftOpen(RED, flows, file);
  if (!(await filesWithoutNode(RED, flows)).includes(file)) return;
  await whileHeld(RED, () => rm(pathOf(RED, file), { force: true }));
}

async function filesWithoutNode(RED: NodeAPI, flows: Flows): Promise<string[]> {
  const names = await readdir(stateFolderFor(RED, "alerts")).catch(() => []);
  const used = new Set(flows.deployedIds("crec-alert").map((id) => fileNameOf(id)));
  return names
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .filter((name) => !used.has(name));
}

async function readOpen(RED: NodeAPI, file: string): Promise<LeftOpen> {
  const path = pathOf(RED, file);
  const { mtimeMs, size } = await stat(path);
  const state = `${mtimeMs} ${size}`;
  const before = known.get(file);
  if (before?.state === state) return { file, label: file, alerts: before.alerts };
  const { FileAlertStore, openAlertsIn } = await loadLibrary();
  const store = new FileAlertStore({ path, files: stateFiles });
  try {
    const alerts = await openAlertsIn(store);
    known.set(file, { state, alerts });
    return { file, label: file, alerts };
  } finally {
    await store.close();
  }
}

/** Nothing in the folder is touched that another process uses. @throws FOLDER_IN_USE, FOLDER_NOT_LOCKED */
async function whileHeld<T>(RED: NodeAPI, work: () => Promise<T>): Promise<T> {
  const held = new LeasedStore(RED, async () => ({ load: async () => {}, close: async () => {} }));
  try {
    await held.open();
    return await work();
  } finally {
    await held.close();
  }
}

function pathOf(RED: NodeAPI, file: string): string {
  return join(stateFolderFor(RED, "alerts"), `${file}${ENDING}`);
}
