import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NodeAPI } from "node-red";
import should from "should";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What a form of ours can ask Node-RED, as the nodes register it: `POST crec/connection/test crec.write`. */
async function endpoints(): Promise<string[]> {
  const listed = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    "node-red": { nodes: Record<string, string> };
  };
  const found: string[] = [];
  const take = (method: string) => (path: string, permission: unknown) => {
    found.push(`${method} ${path.slice(1)} ${typeof permission === "string" ? permission : "no permission"}`);
  };
  const RED = {
    nodes: { registerType: () => undefined },
    httpAdmin: { get: take("GET"), post: take("POST"), put: take("PUT"), delete: take("DELETE") },
    auth: { needsPermission: (permission: string) => permission },
  };
  for (const name of Object.keys(listed["node-red"].nodes)) {
    const { default: register } = (await import(`../../nodes/${name}/${name}.ts`)) as {
      default: (RED: NodeAPI) => void;
    };
    register(RED as unknown as NodeAPI);
  }
  return found;
}

describe("the page about security", () => {
  it("lists everything that the editor's forms can ask, with the permission it needs", async () => {
    const page = readFileSync(join(root, "docs/security.md"), "utf8");
    const rows = [...page.matchAll(/^\| `([A-Z]+) (\S+)` \| `?([\w. ]+?)`? \|/gm)];
    const documented = rows.map(([, method, path, permission]) => `${method} ${path} ${permission}`);
    const known = await endpoints();
    should(known.filter((endpoint) => !documented.includes(endpoint))).deepEqual(
      [],
      "not in docs/security.md",
    );
    should(documented.filter((endpoint) => !known.includes(endpoint))).deepEqual([], "gone");
  });
});
