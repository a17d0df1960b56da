import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { NodeAPI } from "node-red";

/** What Node-RED keeps of projects, of which one is open. */
type Settings = {
  userDir?: string;
  editorTheme?: { projects?: { enabled?: boolean; path?: string } };
  get?(name: "projects"): { activeProject?: string } | undefined;
};

/** By consumer name: a project that is not open now and reads under that name. */
type OtherProjects = ReadonlyMap<string, string>;

let last: { startedAt: number; found: Promise<OtherProjects> } | undefined;

/** Looks once after each start of the flows: opening a project starts them. */
export function consumersElsewhere({ settings }: NodeAPI, startedAt: number): Promise<OtherProjects> {
  const { userDir = "", editorTheme, get } = settings as Settings;
  const { enabled, path } = editorTheme?.projects ?? {};
  if (!enabled) return Promise.resolve(new Map());
  const folder = path || join(userDir, "projects");
  const open = get?.("projects")?.activeProject;
  if (last?.startedAt !== startedAt) last = { startedAt, found: consumersIn(folder, open) };
  return last.found;
}

async function consumersIn(folder: string, open: string | undefined): Promise<OtherProjects> {
  const projects = await readdir(folder).catch(() => []);
  const found = new Map<string, string>();
  for (const project of projects.filter((one) => one !== open)) {
    try {
      const read = async (name: string) =>
        JSON.parse(await readFile(join(folder, project, name), "utf8")) as never;
      const about: { "node-red"?: { settings?: { flowFile?: string } } } = await read("package.json");
      const flows: ReadonlyArray<{ type: string; consumer?: string }> = await read(
        about["node-red"]?.settings?.flowFile ?? "flow.json",
      );
      for (const { type, consumer } of flows)
        if (type === "crec-events-in" && consumer) found.set(consumer, project);
    } catch {
      // It is no project, or has no flows yet.
    }
  }
  return found;
}
