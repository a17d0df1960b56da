import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { inherits } from "node:util";
import type { NodeAPI } from "node-red";
import type { FlowNode } from "../shared/job.ts";
import type { ChildSetup } from "../shared/setup.ts";
import type { NodeClass, NodeType, Registry, Runtime } from "./runtime-types.ts";

/** Node-RED's runtime in this process, without editor, server and files. */
export type NodeRed = {
  /** As nodes get it. A type that it registers replaces one that is there. */
  RED: NodeAPI;
  Node: NodeClass;
  /** The package that a type is of. */
  moduleOf(type: string): string | undefined;
  /** Resolves when the flows have started. */
  startFlows(flows: readonly FlowNode[]): Promise<void>;
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

/** Loads the runtime with core's nodes, ours, and those of ticked palettes. */
export async function loadNodeRed(setup: ChildSetup): Promise<NodeRed> {
  const require = createRequire(join(setup.nodeRed.runtime, "package.json"));
  const util = createRequire(join(setup.nodeRed.util, "package.json"))(setup.nodeRed.util) as {
    init(settings: object): void;
  };
  const runtime = require(setup.nodeRed.runtime) as Runtime;
  const settings = await settingsFor(setup);
  util.init(settings);
  runtime.init(settings);
  await runtime.start();
  const registry = require("@node-red/registry") as Registry;
  const Node = require(join(setup.nodeRed.runtime, "lib/nodes/Node")) as NodeClass;
  const replaced = replaceTypes(registry);
  const RED = apiOf(require, Node, (type, made) => replaced.set(type, made));
  return {
    RED,
    Node,
    moduleOf: (type) => registry.getNodeInfo(type)?.module,
    startFlows: (flows) => startFlows(runtime, flows),
    stopFlows: () => runtime._.flows.stopFlows(),
  };
}

async function settingsFor({ nodeRed, packageFolder, workFolder, modules, language }: ChildSetup) {
  const { name } = createRequire(join(packageFolder, "package.json"))("./package.json") as { name: string };
  return {
    userDir: join(workFolder, "user"),
    coreNodesDir: nodeRed.nodes,
    nodesDir: [packageFolder, ...modules.map(({ folder }) => folder)],
    nodesExcludes: NOT_LOADED,
    storageModule: inMemory(),
    lang: language,
    httpAdminRoot: false,
    httpNodeRoot: false,
    disableEditor: true,
    telemetry: { enabled: false, updateNotification: false },
    logging: { console: { level: "off", metrics: false, audit: false } },
    // Other palettes of the installation are not loaded, and nothing is installed.
    externalModules: {
      autoInstall: false,
      palette: {
        allowInstall: false,
        allowUpload: false,
        allowList: [name, ...modules.map((one) => one.name)],
        denyList: ["*"],
      },
      modules: { allowInstall: false },
    },
  };
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

function apiOf(
  require: NodeJS.Require,
  Node: NodeClass,
  replace: (type: string, made: NodeType) => void,
): NodeAPI {
  const registryFile = require.resolve("@node-red/registry");
  const { createNodeApi } = require(join(dirname(registryFile), "util.js")) as {
    createNodeApi(node: { id: string; namespace: string }): NodeAPI;
  };
  const RED = createNodeApi({ id: "crec-rehearsal", namespace: "node-red" });
  RED.nodes.registerType = (type: string, given: unknown) => {
    const made = given as NodeType;
    if (!(made.prototype instanceof (Node as never))) inherits(made as never, Node as never);
    replace(type, made);
  };
  return RED;
}

async function startFlows(
  { events, _: { flows: running } }: Runtime,
  flows: readonly FlowNode[],
): Promise<void> {
  const started = new Promise<void>((resolve) => events.once("flows:started", () => resolve()));
  await running.setFlows(flows, null, "full", true, true);
  await started;
}
