import { appendFile, copyFile, mkdir, readFile, rename, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import should from "should";
import { SourcesCopy } from "./sources-copy.ts";

const INSTALLED = fileURLToPath(new URL("../../node_modules/.package-lock.json", import.meta.url));

/** `npm start` skips a build only when it would change nothing. */
describe("the stamp of a build", () => {
  let sources: SourcesCopy;
  let stamp: typeof import("../../scripts/lib/build-stamp.ts");
  const path = (name: string) => join(sources.folder, name);
  const isCurrent = async () => stamp.isStamped(path("dist"), await stamp.inputsHash());

  before(async () => {
    sources = await SourcesCopy.make(["tsconfig.json"]);
    // Of what is installed the build knows npm's list, which a test must not change.
    await unlink(path("node_modules"));
    await mkdir(path("node_modules"));
    await copyFile(INSTALLED, path("node_modules/.package-lock.json"));
    await mkdir(path("dist/nodes"), { recursive: true });
    await writeFile(path("dist/index.js"), "the library");
    await writeFile(path("dist/nodes/ack.js"), "a node");
    stamp = await import(pathToFileURL(path("scripts/lib/build-stamp.ts")).href);
    await stamp.writeStamp(path("dist"), (await stamp.inputsHash()) ?? "");
  });
  after(() => sources?.remove());

  it("is valid while nothing changes, also when a file gets another time", async () => {
    should(await isCurrent()).be.true();
    await writeFile(path("src/index.ts"), await readFile(path("src/index.ts")));
    should(await isCurrent()).be.true();
  });

  /** What a person or a tool does; each is undone afterwards. */
  const edit = (name: string, by: (text: string) => string) => async () => {
    const before = await readFile(path(name), "utf8");
    should(by(before)).not.equal(before);
    await writeFile(path(name), by(before));
    return () => writeFile(path(name), before);
  };
  const remove = (name: string) => async () => {
    await rename(path(name), path("removed"));
    return () => rename(path("removed"), path(name));
  };
  const add = (name: string) => async () => {
    await appendFile(path(name), "");
    return () => rm(path(name));
  };
  const CHANGES: Record<string, () => Promise<() => Promise<unknown>>> = {
    "a source of the library": edit("src/index.ts", (text) => `${text}// more\n`),
    "a source of the same size": edit("nodes/ack/node.ts", (text) => text.replace("a", "b")),
    "line endings": edit("nodes/ack/fields.ts", (text) => text.replaceAll("\n", "\r\n")),
    "a help text": edit("nodes/ack/locales/en-US/ack.md", (text) => `${text}More.\n`),
    "the glossary": edit("docs/glossary.md", (text) => `${text}More.\n`),
    "a source is removed": remove("nodes/ack/fields.ts"),
    "a source is added": add("src/added.ts"),
    "a source is renamed": async () => {
      await rename(path("src/index.ts"), path("src/renamed.ts"));
      return () => rename(path("src/renamed.ts"), path("src/index.ts"));
    },
    "an icon": add("icons/added.svg"),
    "the plugin": edit("plugins/monitor/monitor.ts", (text) => `${text}// more\n`),
    "package.json": edit("package.json", (text) => text.replace(">=20", ">=22")),
    "tsconfig.json": edit("tsconfig.json", (text) => `${text}\n`),
    "the build": edit("scripts/build.ts", (text) => text.replace(/lineLimit: \d+/, "lineLimit: 123")),
    "another version of esbuild is installed": edit("node_modules/.package-lock.json", (text) =>
      text.replace(/("node_modules\/esbuild": \{\s*"version": ")[^"]+/, "$10.0.1"),
    ),
    "nobody knows what is installed": remove("node_modules/.package-lock.json"),
    "a built file is missing": remove("dist/nodes/ack.js"),
    "a built file was changed": edit("dist/index.js", () => "another"),
    "a built file was added": add("dist/nodes/other.js"),
    "the stamp is missing, as after npm run build": remove("dist/build-stamp.json"),
    "the stamp is half written": edit("dist/build-stamp.json", (text) => text.slice(0, 20)),
    "there is no build": remove("dist"),
  };
  for (const [what, change] of Object.entries(CHANGES)) {
    it(`is not valid after a change: ${what}`, async () => {
      const undo = await change();
      should(await isCurrent()).be.false();
      await undo();
    });
  }

  it("is valid again when all that is undone", async () => {
    should(await isCurrent()).be.true();
  });
});
