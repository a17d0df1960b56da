// Part of `npm run lint`: the direction of imports (docs/architecture.md), and lists that the build writes. Prints each line
// with a forbidden import. No tool does: dependency-cruiser 18 reads TypeScript 2 to 6, and here is 7, without a compiler API.
//
//   nodes, plugins → src/index.ts, src/protocol (in the browser: src/protocol only)   service → src/{protocol, errors, timing, abi, proofs, signing, testing}
//   rehearsal → nodes, src; rehearsal/{shared, report} → each other and src/protocol, since the browser has them too
//   plugins/rehearsal → rehearsal/{shared, parent, report} (in the browser: shared, report); nothing else imports rehearsal
//   inside src: resources → http → protocol, each area as ALLOWED says; nothing there knows Node-RED.
//   src/testing is an entry of its own: not even src/index.ts imports it.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { listProblems } from "./lib/generated-lists.ts";
import { root } from "./lib/paths.mjs";

/** The areas that each area of src may import, besides itself and packages. src/index.ts may import all of them. */
const ALLOWED: Record<string, string> = {
  protocol: "",
  errors: "protocol",
  options: "errors timing",
  "load-part": "errors",
  json: "",
  deferred: "",
  abort: "errors",
  timing: "",
  retry: "errors timing",
  abi: "protocol errors options json timing",
  proofs: "protocol errors options json abi timing",
  signing: "protocol errors options load-part json abi http retry timing",
  paging: "errors timing",
  http: "protocol errors options json deferred retry timing",
  storage: "protocol errors options",
  ownership: "protocol errors abort options storage timing",
  resources: "protocol errors options deferred paging http abi proofs signing retry timing",
  consumer: "protocol errors abort options deferred paging abi proofs storage ownership retry timing",
  fleet: "errors options load-part http ownership storage",
  testing: "protocol errors options abi proofs timing",
  alerts: "protocol errors options json abi proofs storage ownership consumer timing",
};

const FOR_SERVICE = ["protocol", "errors", "timing", "abi", "proofs", "signing", "testing"];

/** Code for the browser, where the library cannot run: it may import the pure data of src/protocol. */
const IN_BROWSER = /^(?:nodes\/[^/]+\/editor(?:\.ts|\/.*)|plugins\/[^/]+\/editor\/.*)$/;

/** What nodes do as the library does: write files that are complete after a crash, refuse those of newer versions, advise on files, read the clocks, know for how long they have a lease, leave a rule alone. They import little code. */
const FOR_NODES = [
  "src/alerts/rule/rule-uses.ts",
  "src/ownership/tenure.ts",
  "src/storage/durable-files.ts",
  "src/storage/file-advice.ts",
  "src/storage/newer.ts",
  "src/timing/clock.ts",
];

/** What describes a node, and is no part of its code. */
const FIELD_TABLE = /^nodes\/[^/]+\/fields\.ts$/;

/** What plugins/rehearsal may import of the rehearsal, in the browser and in Node-RED. */
const FOR_EDITOR = ["shared", "report"];
const FOR_PLUGIN = [...FOR_EDITOR, "parent"];

/** `from "x"`, `import "x"` and `import("x")`, types included. */
const SPECIFIER = /\b(?:from|import)\s*\(?\s*"([^"]+)"/g;
const COMMENT = /^\s*(?:\*|\/\/|\/\*)/;

/** The package's own name contains the word, and is part of the user agent. */
const OWN_NAME = /node-red-crec/g;

/** Why a file may not import another, or undefined when it may. Both by their paths from the root, with slashes. */
function refusal(file: string, target: string): string | undefined {
  const from = areaOf(file);
  const to = areaOf(target);
  const inBrowser = IN_BROWSER.test(file);
  if (inBrowser && to.part === "src")
    return to.area === "protocol"
      ? undefined
      : "this runs in the browser: of src it imports src/protocol only";
  // Loading the library takes time; the pure data of src/protocol costs nothing.
  const isOfNodeRed = from.part === "nodes" || from.part === "plugins";
  const isForNodes = FOR_NODES.includes(target) || ["index", "protocol"].includes(to.area);
  if (isOfNodeRed && to.part === "src" && !isForNodes)
    return "nodes and plugins import the library through src/index.ts, and pure data from src/protocol";
  if (from.part === "nodes" && to.part === "nodes") {
    if (to.area !== "common" && from.area !== to.area)
      return "a node imports nodes/common, never another node";
    if (roomOf(file) === "shared" && roomOf(target) !== "shared")
      return "nodes/common/shared imports nothing that runs in one place only";
  }
  if (from.part === "rehearsal") {
    const isOwn = to.part === "rehearsal" && FOR_EDITOR.includes(to.area);
    const isPureData = to.part === "src" && to.area === "protocol";
    if (FOR_EDITOR.includes(from.area) && !isOwn && !isPureData)
      return "rehearsal/shared and rehearsal/report run in the browser too: they import only each other and src/protocol";
    return ["plugins", "service"].includes(to.part) ? `the rehearsal never imports ${to.part}` : undefined;
  }
  if (to.part === "rehearsal") {
    if (from.part !== "plugins" || from.area !== "rehearsal")
      return "only plugins/rehearsal imports the rehearsal";
    const allowed = inBrowser ? FOR_EDITOR : FOR_PLUGIN;
    return allowed.includes(to.area) ? undefined : `here, of the rehearsal only ${allowed.join(", ")}`;
  }
  if (from.part === "plugins" && to.part === "nodes" && to.area !== "common" && !FIELD_TABLE.test(target))
    return "a plugin imports nodes/common and the nodes' field tables, never a node";
  if (from.part === "nodes" && to.part === "plugins") return "nodes never import plugins";
  if (isOfNodeRed && to.part === "service") return "nodes and plugins never import the local service";
  if (from.part === "service" && ["nodes", "plugins"].includes(to.part))
    return "the local service never imports nodes or plugins";
  if (from.part === "service" && to.part === "src" && !FOR_SERVICE.includes(to.area))
    return `the local service imports src/{${FOR_SERVICE.join(", ")}} only`;
  if (from.part !== "src") return undefined;
  if (to.part !== "src") return `src never imports ${to.part}`;
  if (to.area === "index") return "nothing in src imports src/index.ts";
  if (from.area === "index" && to.area === "testing") return "programs import src/testing by itself";
  const allowed = ALLOWED[from.area]?.split(" ") ?? [];
  if (from.area === "index" || from.area === to.area || allowed.includes(to.area)) return undefined;
  return `src/${from.area} may import ${allowed.join(", ") || "nothing outside itself"}, not ${to.area}`;
}

/** @param path such as `src/http/transport.ts` @returns such as `src` and `http` */
function areaOf(path: string): { part: string; area: string } {
  const [part = "", area = ""] = path.split("/");
  return { part, area: area.replace(/\.ts$/, "") };
}

/** @returns the folder of nodes/common that a file lies in */
const roomOf = (path: string) => /^nodes\/common\/([^/]+)\//.exec(path)?.[1];

/** @param file its path from the root, with slashes */
function complaintsAbout(file: string) {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    const complaint = (why: string) => `${file}:${index + 1}: ${why}\n    ${line.trim()}`;
    const knows = file.startsWith("src/") && /node-?red/i.test(line.replaceAll(OWN_NAME, ""));
    const complaints = knows ? [complaint("src knows nothing of Node-RED")] : [];
    if (COMMENT.test(line)) return complaints;
    for (const [, specifier = ""] of line.matchAll(SPECIFIER)) {
      const why = specifier.startsWith(".")
        ? refusal(file, posix.join(posix.dirname(file), specifier))
        : file.startsWith("src/protocol/") && "src/protocol imports no packages";
      if (why) complaints.push(complaint(why));
    }
    return complaints;
  });
}

const complaints = ["nodes", "plugins", "rehearsal", "service/src", "src"]
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
  .flatMap(complaintsAbout);
if (complaints.length > 0) process.stderr.write(`Forbidden imports:\n${complaints.join("\n")}\n`);
const ofLists = listProblems();
if (ofLists.length > 0) process.stderr.write(`${ofLists.join("\n")}\n`);
if (complaints.length + ofLists.length > 0) process.exitCode = 1;
