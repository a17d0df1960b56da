import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { refreshFlowLibrary } from "../../scripts/flow-library/form.mjs";
import { PAGES_WITH_CONTACT, withContacts } from "../../scripts/lib/contacts.mjs";
import type { Owner } from "../../scripts/lib/owner.mjs";
import { releaseNotes } from "../../scripts/release/notes.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const packageJson = JSON.parse(read("package.json")) as { version: string; scripts: Record<string, string> };
const owner = JSON.parse(read("release/owner.json")) as Owner;

const SOMEBODY: Owner = {
  repository: "https://github.com/crec-example/nodes",
  author: "",
  homepage: "",
  securityContact: "security@node-red.example",
  conductContact: "https://node-red.example/conduct",
};
const NOBODY: Owner = { ...SOMEBODY, repository: "", securityContact: "", conductContact: "" };

/** The scripts that a text calls, such as `check:api` in "npm run check:api". */
function scriptsIn(text: string): string[] {
  const run = [...text.matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, name = ""]) => name);
  const chosen = [...text.matchAll(/^ +- (check:[\w-]+)$/gm)].map(([, name = ""]) => name);
  const test = /\bnpm (?:test|start)\b/.test(text) ? ["test", "start"] : [];
  return [...new Set([...run, ...chosen, ...test])];
}

describe("what a release is made by", () => {
  const workflows = readdirSync(join(root, ".github/workflows")).map((file) => `.github/workflows/${file}`);

  for (const file of [
    ...workflows,
    "docs/releasing.md",
    "docs/compatibility.md",
    ".github/pull_request_template.md",
  ]) {
    it(`calls scripts that exist: ${file}`, () => {
      const scripts = scriptsIn(read(file));
      should(scripts.filter((name) => packageJson.scripts[name] === undefined)).be.empty();
      if (file !== ".github/pull_request_template.md") should(scripts).not.be.empty();
    });
  }

  for (const file of workflows) {
    it(`has each action at a commit, a time limit for each job, and no more rights than it says: ${file}`, () => {
      const text = read(file);
      const actions = [...text.matchAll(/uses: (\S+)(.*)$/gm)].map(
        ([, action = "", comment = ""]) => action + comment,
      );
      const own = actions.filter((action) => action.startsWith("./"));
      const pinned = actions.filter((action) =>
        /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action),
      );
      should(pinned.length + own.length).equal(actions.length, actions.join("\n"));
      const jobs = text.match(/^ {4}runs-on:/gm) ?? [];
      should(text.match(/^ {4}timeout-minutes: \d+$/gm) ?? []).have.length(jobs.length);
      should(text).match(/^permissions:/m);
    });
  }

  it("lets only the job that publishes identify itself to npm, and that job runs nothing of the repository", () => {
    const jobs = read(".github/workflows/publish.yml").split(/^ {2}(?=\w+:$|[\w-]+:$)/m);
    const trusted = jobs.filter((job) => job.includes("id-token: write"));
    should(trusted).have.length(1);
    should(trusted[0])
      .match(/^publish:/)
      .and.match(/environment: npm/);
    should(trusted[0]).not.match(/checkout|npm (?:ci|run|install)/);
    should(read(".github/workflows/publish.yml")).not.match(/NODE_AUTH_TOKEN|secrets\./);
  });

  it("says which Node.js contributors use, as the package that npm installs", () => {
    const wanted = (JSON.parse(read("package.json")) as { devDependencies: { node: string } }).devDependencies
      .node;
    should(`^${read(".nvmrc").trim()}`).equal(wanted);
  });
});

describe("the notes of a release", () => {
  const CHANGELOG = [
    "# Changelog",
    "## 1.1.0 (2026-02-01)",
    "- New: [alerts](docs/alerts.md), see <https://node-red.example>.",
    "### Breaking",
    "- Rename `a` to `b`.",
    "## 1.0.0 (2026-01-01)",
    "- The [first](https://node-red.example/first) one.",
    "## 0.9.0",
    "",
  ].join("\n");

  it("are the section of its version, of any line ending", () => {
    should(releaseNotes(CHANGELOG, "1.1.0", NOBODY)).equal(
      "- New: alerts, see <https://node-red.example>.\n### Breaking\n- Rename `a` to `b`.\n",
    );
    should(releaseNotes(CHANGELOG.replaceAll("\n", "\r\n"), "1.0.0", NOBODY)).equal(
      "- The [first](https://node-red.example/first) one.\n",
    );
  });

  it("link to the files of the version, where the repository is known", () => {
    should(releaseNotes(CHANGELOG, "1.1.0", SOMEBODY)).match(
      /\[alerts\]\(https:\/\/github\.com\/crec-example\/nodes\/blob\/v1\.1\.0\/docs\/alerts\.md\)/,
    );
  });

  it("are missing for a version without a section, or without a line in it", () => {
    should(() => releaseNotes(CHANGELOG, "2.0.0", NOBODY)).throw(
      /no section for 2\.0\.0, only for 1\.1\.0, 1\.0\.0, 0\.9\.0/,
    );
    should(() => releaseNotes(CHANGELOG, "0.9.0", NOBODY)).throw(/says nothing about 0\.9\.0/);
  });

  it("come out for the version in package.json", () => {
    should(releaseNotes(read("CHANGELOG.md"), packageJson.version, owner).length).be.above(100);
  });
});

describe("the contacts", () => {
  for (const file of PAGES_WITH_CONTACT) {
    it(`are those of release/owner.json in ${file}; "npm run docs" writes them`, () => {
      const stale = withContacts(read(file), owner) !== read(file);
      should(stale).equal(false, `${file} has other contacts than release/owner.json: run "npm run docs".`);
    });
  }

  it("are links once they are filled in, and until then say where to do that", () => {
    const [security = "", conduct = ""] = PAGES_WITH_CONTACT.map((file) =>
      withContacts(read(file), SOMEBODY),
    );
    should(security).match(/\[security@node-red\.example\]\(mailto:security@node-red\.example\)/);
    should(security).match(/\]\(https:\/\/github\.com\/crec-example\/nodes\/security\/advisories\/new\)/);
    should(conduct).match(/Write to <https:\/\/node-red\.example\/conduct>\./);
    for (const file of PAGES_WITH_CONTACT)
      should(withContacts(read(file), NOBODY)).match(/not filled in yet: .*release\/owner\.json/);
  });
});

describe("the refresh of the flow library", () => {
  /** As flows.nodered.org, which takes its form only with the token and the cookie of the page. */
  async function library(
    answer: { status: number; text: string },
    use: (address: string, sent: URLSearchParams[]) => Promise<void>,
  ): Promise<void> {
    const sent: URLSearchParams[] = [];
    const server = createServer(async (request, response) => {
      if (request.method === "GET") {
        response.setHeader("set-cookie", ["_csrf=cookie; Path=/", "other=1; Secure"]);
        return response.end(
          '<form><input id="add-node-csrf" name="_csrf" type="hidden" value="token"></form>',
        );
      }
      const form = new URLSearchParams((await request.toArray()).join(""));
      sent.push(form);
      const isRight = form.get("_csrf") === "token" && request.headers.cookie === "_csrf=cookie; other=1";
      response.statusCode = isRight ? answer.status : 403;
      return response.end(isRight ? answer.text : "invalid csrf token");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  it("sends the form with the name of the package", () =>
    library({ status: 200, text: "/node/@scope/name?m=YQ==" }, async (address, sent) => {
      should(await refreshFlowLibrary("@scope/name", address)).equal(
        `The flow library has read @scope/name: ${address}/node/@scope/name`,
      );
      should(sent.map((form) => form.get("module"))).deepEqual(["@scope/name"]);
    }));

  it("is content where the library has the version already", () =>
    library({ status: 400, text: "Module already at latest version" }, async (address) => {
      should(await refreshFlowLibrary("@scope/name", address)).equal(
        "The flow library has @scope/name already.",
      );
    }));

  it("fails with what the library says", () =>
    library({ status: 400, text: "Error: no README" }, (address) =>
      should(refreshFlowLibrary("@scope/name", address)).be.rejectedWith(/HTTP 400, Error: no README/),
    ));
});
