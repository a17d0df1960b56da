import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import should from "should";
import { pack } from "../../scripts/packing/stage.mjs";
import * as checks from "../../scripts/release/checks.mjs";
import { ownerProblems } from "../../scripts/release/owner-problems.mjs";
import { publishedFinding } from "../../scripts/release/published.mjs";
import { builtWithTypes } from "../support/built.ts";
import { inVariants } from "../support/variants.ts";
import { FILLED_OWNER, UNSET_OWNER } from "./owners.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const NAME = "@crec-nodes/of-a-test";

describe("release/owner.json", () => {
  it("is complete when each field is filled in", () => {
    should(ownerProblems(FILLED_OWNER)).deepEqual([]);
    for (const author of [
      "Somebody",
      "Some Body (https://somebody.test)",
      "S. Body <s@mail.test> (https://s.test)",
    ]) {
      should(ownerProblems({ ...FILLED_OWNER, author })).deepEqual([]);
    }
  });

  it("is incomplete with one sentence for each field that is not filled in, with how to do it", () => {
    for (const unset of [UNSET_OWNER, {}]) {
      const problems = ownerProblems(unset);
      should(problems.map(({ field }) => field)).deepEqual(Object.keys(UNSET_OWNER));
      for (const { field, isUnset, sentence } of problems) {
        should(isUnset).be.true();
        should(sentence).match(
          new RegExp(`^release/owner\\.json: "${field}" is not filled in\\. Write .*\\.$`),
        );
      }
    }
  });

  for (const [field, value] of [
    ["repository", "somebody/node-red-crec"],
    ["repository", "https://github.com/somebody/node-red-crec.git"],
    ["repository", "https://github.com/somebody/node-red-crec/"],
    ["repository", "https://github.com/somebody"],
    ["repository", "http://github.com/somebody/node-red-crec"],
    ["repository", "https://github.com/owner/name"],
    ["author", "somebody@mail.test"],
    ["author", "Somebody <somebody>"],
    ["author", "Name <name@example.com>"],
    ["homepage", "http://somebody.test"],
    ["homepage", "somebody.test"],
    ["securityContact", "Somebody"],
    ["conductContact", "somebody@mail"],
    ["conductContact", 7],
    ["license", "MIT"],
  ] as const) {
    it(`is refused with ${field} ${JSON.stringify(value)}`, () => {
      const [problem, ...others] = ownerProblems({ ...FILLED_OWNER, [field]: value });
      should(others).be.empty();
      should(problem).containEql({ field, isUnset: false });
      should(problem?.sentence).match(/ (?:Write|Remove) .*\.$/);
    });
  }
});

describe("the checks before a release", () => {
  it("want a section of the changelog with a date and a text", () => {
    should(checks.changelogProblems("# Changelog\n\n## 1.2.0 (2026-12-01)\n\n- New.\n", "1.2.0")).deepEqual(
      [],
    );
    should(checks.changelogProblems("## 1.2.0\n\n- New.\n\n## 1.1.0\n", "1.1.0")).match([
      /says nothing about 1\.1\.0/,
    ]);
    should(checks.changelogProblems("## 1.2.0 (unreleased)\n\n- New.\n", "1.2.0")).match([
      /unreleased.*the date/,
    ]);
    should(checks.changelogProblems("## 1.2.0\n\n- New.\n", "1.2")).match([/no section for 1\.2\. Add/]);
  });

  it("want a small file, no run-time dependencies, one version, no private package", () => {
    should(checks.sizeProblems({ size: 1_500_000, filename: "a.tgz" })).deepEqual([]);
    should(checks.sizeProblems({ size: 1_500_001, filename: "a.tgz" })).match([/a\.tgz has 1\.50 MB/]);
    should(checks.dependencyProblems({ devDependencies: { a: "1" }, dependencies: {} })).deepEqual([]);
    should(checks.dependencyProblems({ dependencies: { a: "1" } })).match([/dependencies: a\./]);
    should(checks.dependencyProblems({ peerDependencies: { b: "1" } })).match([/peerDependencies: b\./]);
    const [one, other] = [
      { folder: "", manifest: { version: "1.0.0" }, isPrivate: false },
      { folder: "service", manifest: { version: "1.0.1" }, isPrivate: true },
    ];
    should(checks.versionProblems([one, one])).deepEqual([]);
    should(checks.versionProblems([one, other])).match([
      /package\.json has 1\.0\.0, service.package\.json has 1\.0\.1/,
    ]);
    should(checks.privateProblems([one])).deepEqual([]);
    should(checks.privateProblems([one, other])).match([/^service.package\.json says "private"/]);
  });

  it("want the files that package.json names", async () => {
    const folder = await mkdtemp(join(tmpdir(), "crec-files-"));
    await writeFile(join(folder, "README.md"), "");
    await writeFile(join(folder, "a.js"), "");
    const manifest = { name: "a", main: "./a.js", bin: { b: "b.js" }, "node-red": { nodes: { c: "c.js" } } };
    const problems = await checks.missingFileProblems(folder, manifest);
    should(problems.map((problem) => problem.split(" in it")[0])).deepEqual([
      "a has no b.js",
      "a has no c.js",
      "a has no LICENSE",
    ]);
    await rm(folder, { recursive: true });
  });
});

type Registry = { url: string; close: () => Promise<void> };

/** A registry with one package in one version. */
async function startRegistry(tarball: Buffer): Promise<Registry> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith(".tgz")) {
      response.end(tarball);
      return;
    }
    const isKnown = decodeURIComponent(request.url ?? "") === `/${NAME}`;
    response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    const version = { name: NAME, version: "1.0.0", dist: { tarball: `${url()}/a.tgz` } };
    response.end(
      JSON.stringify({ name: NAME, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } }),
    );
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { url: url(), close };
}

describe("a version that the registry may have already", function () {
  this.timeout(60_000);
  let folder: string;
  let tarball: Buffer;
  const published = () => join(folder, "published");
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-release-"));
    await mkdir(published());
    await writeFile(join(published(), "package.json"), JSON.stringify({ name: NAME, version: "1.0.0" }));
    await writeFile(join(published(), "index.js"), "exports.a = 1;\n");
    const { filename } = await pack(published(), folder);
    tarball = await readFile(join(folder, filename));
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  const findingAt = (registry: string, version: string, files: string) =>
    publishedFinding({ name: NAME, version }, files, {
      npm_config_registry: registry,
      npm_config_cache: join(folder, "cache"),
    });

  it("is fine with the same content, and a problem with other content", async () => {
    const registry = await startRegistry(tarball);
    should(await findingAt(registry.url, "1.0.0", published())).match({
      problems: [],
      note: /with this content/,
    });
    const changed = join(folder, "changed");
    await cp(published(), changed, { recursive: true });
    await writeFile(join(changed, "index.js"), "exports.a = 2;\n");
    const { problems } = await findingAt(registry.url, "1.0.0", changed);
    should(problems).match([/other content \(index\.js\)\. Raise the version/]);
    await registry.close();
  });

  it("is not checked, with a sentence, when the registry does not answer", async () => {
    const registry = await startRegistry(tarball);
    await registry.close();
    should(await findingAt(registry.url, "1.0.0", published())).match({
      problems: [],
      note: /not checked .*ECONNREFUSED/,
    });
  });
});

describe("npm run release:check", function () {
  this.timeout(120_000);
  let folder: string;
  let registry: Registry;
  before(async () => {
    await builtWithTypes();
    folder = await mkdtemp(join(tmpdir(), "crec-release-check-"));
    registry = await startRegistry(Buffer.from(""));
  });
  after(async () => {
    await registry?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  const checked = async (owner: object) => {
    const file = join(folder, "owner.json");
    await writeFile(file, JSON.stringify(owner));
    const args = [join(root, "scripts/release-check.mjs"), "--owner", file];
    const env = { ...process.env, npm_config_registry: registry.url };
    const done = promisify(execFile)(process.execPath, args, { cwd: folder, env });
    return done.then(
      ({ stdout }) => ({ stdout, code: 0 }),
      ({ stdout, code }: { stdout: string; code: number }) => ({ stdout, code }),
    );
  };

  it("fails with the sentence for each field that the owner has not filled in", async () => {
    const { stdout, code } = await checked(UNSET_OWNER);
    should(code).equal(1);
    for (const { sentence } of ownerProblems(UNSET_OWNER)) should(stdout).containEql(sentence);
    should(stdout).match(/Not ready to publish: \d+ to do\./);
  });

  // Each run packs both packages.
  inVariants(() => {
    it("has nothing to say of the owner's fields when they are filled in, and of no link", async () => {
      const { stdout } = await checked(FILLED_OWNER);
      should(stdout).match(/^ok +the owner's fields$/m);
      should(stdout).match(/^ok +@crec-nodes\/node-red-crec: every link leads somewhere$/m);
      should(stdout).match(/^ok +@crec-nodes\/node-red-crec [\d.]+ is not published yet$/m);
      should(stdout).match(/^ok +no run-time dependencies$/m);
      should(stdout).not.match(/owner\.json/);
    });
  });
});
