import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { adminEndpoints } from "../../scripts/lib/api/endpoints.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

type Answer = { status: number; body: unknown };
/** What a form or the sidebar of ours can ask Node-RED: `POST crec/connection/test crec.write`. */
type Endpoint = { name: string; handler: (request: object, response: object) => void };

async function endpoints(): Promise<Endpoint[]> {
  const all = await adminEndpoints();
  return all.map(({ method, path, permission, handler }) => ({
    name: `${method} ${path} ${permission}`,
    handler,
  }));
}

/** What an endpoint answers to a request of this type, with a body that would do something. */
function ask({ handler }: Endpoint, type: string | false): Promise<Answer> {
  return new Promise((resolve) => {
    const request = {
      params: {},
      query: {},
      body: { to: "beginning" },
      is: (one: string) => one === type && one,
    };
    let status = 200;
    const response = {
      status: (code: number) => {
        status = code;
        return response;
      },
      json: (body: unknown) => resolve({ status, body }),
    };
    handler(request, response);
  });
}

describe("what the editor's forms can ask", () => {
  it("takes nothing from a form of another site: JSON only", async () => {
    const posts = (await endpoints()).filter(({ name }) => name.startsWith("POST "));
    should(posts.length).be.above(5);
    for (const endpoint of posts) {
      for (const type of [
        "application/x-www-form-urlencoded",
        "text/plain",
        "multipart/form-data",
        false,
      ] as const) {
        const { status, body } = await ask(endpoint, type);
        should(status).equal(415, `${endpoint.name} from ${type}`);
        should(body).have.property("code", "INVALID_REQUEST");
      }
    }
  });
});

/** A program that could do so could publish a package in the owner's name. */
describe("the workflow that publishes", () => {
  it("lets only one job identify itself to npm, which runs nothing of the repository", () => {
    const text = readFileSync(join(root, ".github/workflows/publish.yml"), "utf8");
    const jobs = text.split(/^ {2}(?=[\w-]+:$)/m);
    const [trusted = "", ...others] = jobs.filter((job) => job.includes("id-token: write"));
    should(others).be.empty();
    should(trusted)
      .match(/^publish:/)
      .and.match(/environment: npm/);
    should(trusted).not.match(/checkout|npm (?:ci|run|install)/);
    should(text).not.match(/NODE_AUTH_TOKEN|secrets\./);
  });
});

describe("the page about security", () => {
  it("lists everything that the editor can ask, with the permission it needs", async () => {
    const page = readFileSync(join(root, "docs/security.md"), "utf8");
    const rows = [...page.matchAll(/^\| `([A-Z]+) (\S+)` \| `?([\w. ]+?)`? \|/gm)];
    const documented = rows.map(([, method, path, permission]) => `${method} ${path} ${permission}`);
    const known = (await endpoints()).map(({ name }) => name);
    should(known.filter((endpoint) => !documented.includes(endpoint))).deepEqual(
      [],
      "not in docs/security.md",
    );
    should(documented.filter((endpoint) => !known.includes(endpoint))).deepEqual([], "gone");
  });
});
