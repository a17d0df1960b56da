import { createRequire, isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { inherits } from "node:util";
import type { NodeAPI } from "node-red";
import { type ChildSetup, type FlowNode, type Job, quotedKey } from "../shared/job.ts";
import type { Note } from "../shared/report.ts";
import type { NodeClass, NodeType, Registry, Runtime, Util } from "./runtime-types.ts";

/** Node-RED's runtime in this process, without editor, server and files. */
export type NodeRed = {
  /** As nodes get it. A type that it registers replaces one that is there. */
  RED: NodeAPI;
  Node: NodeClass;
  isKnown(type: string): boolean;
  /** The package that a type is of. */
  moduleOf(type: string): string | undefined;
  /** Resolves when the flows have started. */
  startFlows(flows: readonly FlowNode[]): Promise<void>;
  /** The context of `global`, of a tab, or of a node on it. */
  context(id: string, tab?: string): { set(key: string, value: unknown): void };
  stopFlows(): Promise<void>;
};

/** Core's files whose nodes are replaced: their code is not loaded. */
const NOT_LOADED = [
  "05-tls.js",
  "06-httpproxy.js",
  "10-mqtt.js",
  "21-httpin.js",
  "21-httprequest.js",
  "22-websocket.js",
  "31-tcpin.js",
  "32-udp.js",
  "90-exec.js",
  "10-file.js",
  "23-watch.js",
];

/** Loads the runtime with core's nodes, those of ticked palettes, and ours. */
export async function loadNodeRed(setup: ChildSetup): Promise<NodeRed> {
  const require = createRequire(join(setup.nodeRed.runtime, "package.json"));
  const util = require(setup.nodeRed.util) as Util;
  const runtime = require(setup.nodeRed.runtime) as Runtime;
  const settings = settingsFor(setup);
  util.init(settings);
  runtime.init(settings);
  // It finds no flows to start yet, and does not wait.
  const begun = flowsStarted(runtime);
  if (setup.modules.length === 0) searchNoPackages(require);
  await runtime.start();
  await begun;
  const registry = require("@node-red/registry") as Registry;
  const Node = require(join(setup.nodeRed.runtime, "lib/nodes/Node")) as NodeClass;
  const apiFor = apiMaker(require);
  await loadOurs(setup.packageFolder, util, apiFor);
  const replaced = replaceTypes(registry);
  const RED = replacingApi(apiFor, Node, (type, made) => replaced.set(type, made));
  return {
    RED,
    Node,
    isKnown: (type) => registry.get(type) !== undefined,
    moduleOf: (type) => registry.getNodeInfo(type)?.module,
    startFlows: (flows) => startFlows(runtime, flows),
    context: (id, tab) => runtime._.nodes.getContext(id, tab),
    stopFlows: () => runtime._.flows.stopFlows(),
  };
}

function settingsFor({ nodeRed, workFolder, modules, language }: ChildSetup) {
  return {
    userDir: join(workFolder, "user"),
    coreNodesDir: nodeRed.nodes,
    nodesDir: modules.map(({ folder }) => folder),
    nodesExcludes: NOT_LOADED,
    storageModule: inMemory(),
    lang: language,
    httpAdminRoot: false,
    httpNodeRoot: false,
    // Nothing serves it. Without the forms, Node-RED would not know which palette a type is of.
    disableEditor: modules.length === 0,
    telemetry: { enabled: false, updateNotification: false },
    logging: { console: { level: "off", metrics: false, audit: false } },
    // Other palettes of the installation are not loaded, and nothing is installed.
    externalModules: {
      autoInstall: false,
      palette: {
        allowInstall: false,
        allowUpload: false,
        allowList: modules.map(({ name }) => name),
        denyList: ["*"],
      },
      modules: { allowInstall: false },
    },
  };
}

/**
 * Node-RED would read the description of each installed package, to see whether it has nodes: a tenth of a second and more.
 * It has an option not to, which its runtime does not pass on.
 */
function searchNoPackages(require: NodeJS.Require): void {
  const folder = dirname(require.resolve("@node-red/registry"));
  type Files = { getNodeFiles: (isWithoutPackages: boolean) => unknown };
  const files = require(join(folder, "localfilesystem.js")) as Files;
  const { getNodeFiles } = files;
  files.getNodeFiles = () => getNodeFiles(true);
}

/** What Node-RED would write to files. */
function inMemory() {
  let flows: unknown = [];
  let settings: unknown = {};
  return {
    init: async () => {},
    getFlows: async () => flows,
    saveFlows: async (saved: unknown) => {
      flows = saved;
    },
    getCredentials: async () => ({}),
    saveCredentials: async () => {},
    getSettings: async () => settings,
    saveSettings: async (saved: unknown) => {
      settings = saved;
    },
    getSessions: async () => ({}),
    saveSessions: async () => {},
    getLibraryEntry: async () => [],
    saveLibraryEntry: async () => {},
  };
}

/** Node-RED has no way to register a type twice: what asks for a type is given the replacement. */
function replaceTypes(registry: Registry): Map<string, NodeType> {
  const replaced = new Map<string, NodeType>();
  const { get } = registry;
  registry.get = (type) => replaced.get(type) ?? get(type);
  return replaced;
}

/** Makes the API that Node-RED gives to a file of nodes. */
type ApiMaker = (file: { id: string; namespace: string }) => NodeAPI;

function apiMaker(require: NodeJS.Require): ApiMaker {
  const registryFile = require.resolve("@node-red/registry");
  const { createNodeApi } = require(join(dirname(registryFile), "util.js")) as { createNodeApi: ApiMaker };
  return createNodeApi;
}

/** Loads our nodes as Node-RED does. Node-RED itself looks at folders around the package, which are closed. */
async function loadOurs(packageFolder: string, { i18n }: Util, apiFor: ApiMaker): Promise<void> {
  const require = createRequire(join(packageFolder, "package.json"));
  const described = require("./package.json") as {
    name: string;
    "node-red": { nodes: Record<string, string> };
  };
  for (const [set, path] of Object.entries(described["node-red"].nodes)) {
    const file = join(packageFolder, path);
    const id = `${described.name}/${set}`;
    await i18n.registerMessageCatalog(id, join(dirname(file), "locales"), `${set}.json`);
    const register = require(file) as (RED: NodeAPI) => void;
    register(apiFor({ id, namespace: id }));
  }
}

/** As nodes get it, but that a type which it registers replaces one that is there. */
function replacingApi(
  apiFor: ApiMaker,
  Node: NodeClass,
  replace: (type: string, made: NodeType) => void,
): NodeAPI {
  const RED = apiFor({ id: "crec-rehearsal", namespace: "node-red" });
  RED.nodes.registerType = (type: string, given: unknown) => {
    const made = given as NodeType;
    if (!(made.prototype instanceof (Node as never))) inherits(made as never, Node as never);
    replace(type, made);
  };
  return RED;
}

async function startFlows(runtime: Runtime, flows: readonly FlowNode[]): Promise<void> {
  const started = flowsStarted(runtime);
  await runtime._.flows.setFlows(flows, null, "full", true, true);
  await started;
}

function flowsStarted({ events }: Runtime): Promise<void> {
  return new Promise((resolve) => void events.once("flows:started", () => resolve()));
}

/**
 * Flows that start: Node-RED starts none of them while a module of a function node is not installed, and nothing is
 * installed in a rehearsal. Without its module, such a function reports an error when it runs.
 */
export function runnable(flows: readonly FlowNode[], notes: Note[]): FlowNode[] {
  return flows.map((node) => {
    if (node.type !== "function" || !Array.isArray(node.libs)) return node;
    const libs = node.libs as ReadonlyArray<{ module?: unknown }>;
    const own = libs.filter(({ module }) => typeof module === "string" && isBuiltin(module));
    if (own.length === libs.length) return node;
    const names = libs.filter((lib) => !own.includes(lib)).map(({ module }) => String(module));
    notes.push({
      kind: "not-found",
      node: node.id,
      text: `Modules of functions are not loaded in a rehearsal: ${names.join(", ")}.`,
    });
    return { ...node, libs: own };
  });
}

/** Before the flows start: a function may read it at once. A key that no node could read is left out. */
export function copyContext({ context }: NodeRed, { context: copy, flows }: Job): void {
  if (copy === undefined) return;
  const tabs = new Map(flows.map(({ id, z }) => [id, z]));
  const setAll = (target: { set(key: string, value: unknown): void }, values: object) => {
    for (const [key, value] of Object.entries(values)) {
      const quoted = quotedKey(key);
      if (quoted !== undefined) target.set(quoted, value);
    }
  };
  setAll(context("global"), copy.global);
  for (const [id, values] of Object.entries(copy.flows)) setAll(context(id), values);
  for (const [id, values] of Object.entries(copy.nodes)) setAll(context(id, tabs.get(id)), values);
}
