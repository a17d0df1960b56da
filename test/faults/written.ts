import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Borrowed } from "../support/borrowed-node-red.ts";

/** Files that hold secrets on purpose, encrypted or to encrypt them with. */
const SECRET_FILES = /^(?:flows_cred\.json|\.flows_cred\.json\.backup|credential-secret)$/;

/** Everything that a Node-RED wrote, by the place: log, editor, admin API, files. */
export async function writtenBy(
  { nodeRed, userDir }: Borrowed,
  token: string,
): Promise<Record<string, string>> {
  const written: Record<string, string> = { log: nodeRed.log, "the messages to the editor": nodeRed.heard };
  for (const path of [
    "flows",
    "crec/diagnostics",
    "crec/diagnostics?format=text",
    "crec/metrics",
    "crec/health",
  ]) {
    const answer = await nodeRed.fetch(path, { headers: { authorization: `Bearer ${token}` } });
    written[path] = await answer.text();
    if (written[path] === "") throw new Error(`${path} is empty.`);
  }
  for (const entry of await readdir(userDir.path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || SECRET_FILES.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    written[file.slice(userDir.path.length + 1)] = await readFile(file, "latin1");
  }
  return written;
}
