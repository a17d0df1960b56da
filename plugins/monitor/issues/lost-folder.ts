import { readFile, realpath } from "node:fs/promises";
import { isContainer } from "../container.ts";

/** When a folder is emptied: with its container, or when the machine restarts. */
type Loss = "container" | "memory";

const IN_MEMORY = new Set(["tmpfs", "ramfs"]);
/** The file systems of containers, which last as long as they do. */
const LAYERS = new Set(["overlay", "aufs", "fuse-overlayfs"]);

/** How a folder is lost, as far as Linux says it; undefined where nothing shows that it is. */
export async function lossOf(folder: string): Promise<Loss | undefined> {
  try {
    const [path, mounts] = await Promise.all([realpath(folder), readFile("/proc/self/mountinfo", "utf8")]);
    return lossIn(mounts, { path, isContainer: isContainer() });
  } catch {
    // Another system, or a folder that nothing was written to yet.
    return undefined;
  }
}

/**
 * @param mounts the text of `/proc/self/mountinfo`
 * @param place.path of the folder, without links
 */
export function lossIn(mounts: string, place: { path: string; isContainer: boolean }): Loss | undefined {
  let [longest, type] = [-1, ""];
  for (const line of mounts.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const point = (before.split(" ")[4] ?? "").replaceAll("\\040", " ");
    const isAbove = point === "/" || place.path === point || place.path.startsWith(`${point}/`);
    // A later one hides an earlier one at the same place.
    if (point !== "" && isAbove && point.length >= longest)
      [longest, type] = [point.length, after.split(" ")[0] ?? ""];
  }
  if (IN_MEMORY.has(type)) return "memory";
  return place.isContainer && LAYERS.has(type) ? "container" : undefined;
}
