import { EventEmitter } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../paths.mjs";
import { readJson } from "../read-json.mjs";

type Handler = (request: object, response: object) => void;
type Endpoint = { method: string; path: string; permission: string; handler: Handler };

/** What the editor and other programs can ask Node-RED, as the nodes and the monitor register it. */
export async function adminEndpoints(): Promise<Endpoint[]> {
  const { "node-red": listed } = await readJson(join(root, "package.json"));
  const found: Endpoint[] = [];
  const take = (method: string) => (path: string, permission: unknown, handler: Handler) => {
    const needed = typeof permission === "string" ? permission : "no permission";
    found.push({ method, path: path.slice(1), permission: needed, handler });
  };
  const RED = {
    _: (key: string) => key,
    nodes: { registerType: () => undefined },
    httpAdmin: { get: take("GET"), post: take("POST"), put: take("PUT"), delete: take("DELETE") },
    auth: { needsPermission: (permission: string) => permission },
    // What the monitor listens to, and sends to browsers.
    comms: { publish: () => undefined },
    events: new EventEmitter(),
    hooks: { add: () => undefined },
    log: { addHandler: () => undefined, debug: () => undefined },
    // With all that is off until a setting turns it on.
    settings: { crec: { monitoring: true } },
  };
  const files = [
    ...Object.keys(listed.nodes).map((name) => `nodes/${name}/node.ts`),
    ...Object.keys(listed.plugins).map((name) => `plugins/${name}/${name}.ts`),
  ];
  for (const file of files) {
    const { default: register } = await import(pathToFileURL(join(root, file)).href);
    register(RED);
  }
  return found;
}

export async function endpointsReport(): Promise<Record<string, string>> {
  const lines = (await adminEndpoints()).map(({ method, path, permission }) => [
    `${method} ${path}`,
    permission,
  ]);
  return Object.fromEntries(lines.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
}
