// Whether the registry has a version already, and with which content: a version can be published only once.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { npm } from "../lib/npm.mjs";
import { packedIn, unpack } from "../packing/stage.ts";

type Finding = { problems: string[]; note: string };

/** Of a registry that answers: it has no such package, or no such version. */
const NOT_THERE = /\b(?:E404|ETARGET)\b/;
/** Once: a registry that cannot be reached is no reason to wait for minutes. */
const IMPATIENT = ["--fetch-retries=0", "--fetch-timeout=20000"];

/** @param folder of the files as they are packed. @param env settings of npm, such as another registry */
export async function publishedFinding(
  { name, version }: { name: string; version: string },
  folder: string,
  env: Record<string, string> = {},
): Promise<Finding> {
  const temporary = await mkdtemp(join(tmpdir(), "crec-published-"));
  try {
    const printed = await npm(["pack", `${name}@${version}`, "--json", ...IMPATIENT], {
      cwd: temporary,
      env: { ...process.env, ...env },
    });
    await unpack(join(temporary, packedIn(printed).filename), join(temporary, "package"));
    const differing = await differences(join(temporary, "package"), folder);
    if (differing.length === 0)
      return { problems: [], note: `${name} ${version} is published with this content` };
    const some = differing.slice(0, 5).join(", ");
    const sentence = `${name} ${version} is published with other content (${some}). Raise the version in all package.json files.`;
    return { problems: [sentence], note: "" };
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    if (NOT_THERE.test(stderr ?? ""))
      return { problems: [], note: `${name} ${version} is not published yet` };
    const [, reason = message] = /npm error code (\S+)/.exec(stderr ?? "") ?? [];
    const note = `not checked whether ${name} ${version} is published, because the registry did not answer (${reason}); check again where it can be reached`;
    return { problems: [], note };
  } finally {
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** @returns the files that are not in both folders with the same content */
export async function differences(one: string, other: string): Promise<string[]> {
  const filesIn = async (folder: string) => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const files = paths.map(
      async (path) => [relative(folder, path), await readFile(path, "base64")] as const,
    );
    return new Map(await Promise.all(files));
  };
  const [ours, theirs] = [await filesIn(one), await filesIn(other)];
  const files = new Set([...ours.keys(), ...theirs.keys()]);
  return [...files].filter((file) => ours.get(file) !== theirs.get(file)).sort();
}
