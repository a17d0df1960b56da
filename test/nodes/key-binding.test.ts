import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import should from "should";
import { bindKey, boundTo } from "../../nodes/common/keys/binding.ts";
import { markTyped, withoutMark } from "../../nodes/common/shared/variables.ts";
import { addressesOf, type Destination, strayAddress } from "../../nodes/connection/key.ts";

const HERE = ["https://here.example/v1"];
const THERE = ["https://there.example/v1"];

describe("the addresses of a stored key", () => {
  let folder: string;
  let path: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-key-"));
  });
  beforeEach(() => {
    path = join(folder, Math.random().toString(36).slice(2), "crec-keys.json");
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  const bind =
    (stored: string, addresses: readonly string[], id = "one") =>
    () =>
      bindKey(path, { id, stored, addresses });
  const NEEDS = { code: "KEY_NEEDS_CONFIRMATION" };

  it("are those of its first deploy, and no others", () => {
    bind("secret", HERE)();
    should(boundTo(path, "one")).deepEqual(HERE);
    should(bind("secret", HERE)).not.throw();
    // Fewer addresses are no other ones.
    should(bind("secret", [])).not.throw();
    for (const addresses of [THERE, [...HERE, ...THERE]]) should(bind("secret", addresses)).throw(NEEDS);
    should(bind("secret", HERE)).not.throw();
    should(bind("secret", THERE)).throw(
      /entered for https:\/\/here\.example\/v1, and would now be sent to https:\/\/there/,
    );
  });

  it("are replaced when another key is entered, or the same one again", () => {
    bind(markTyped("secret", "a1"), HERE)();
    should(bind("other", THERE)).not.throw();
    should(bind(markTyped("secret", "b2"), HERE)).not.throw();
    should(bind(markTyped("secret", "b2"), THERE)).throw(NEEDS);
    should(bind(markTyped("secret", "c3"), THERE)).not.throw();
    // The key for the first address is not stored any more.
    should(boundTo(path, "one")).deepEqual(THERE);
  });

  it("belong to one connection, whatever its id", () => {
    for (const id of ["one", "__proto__", "constructor", ""]) {
      should(boundTo(path, id)).be.undefined();
      bind("secret", HERE, id)();
      should(bind("secret", THERE, id)).throw(NEEDS);
    }
  });

  it("are in a file that does not contain the key, and that only its owner can read", async () => {
    bind(markTyped("test-secret-that-must-not-leave", "a1"), HERE)();
    should(await readFile(path, "utf8")).not.containEql("test-secret-that-must-not-leave");
    if (process.platform !== "win32") should((await stat(path)).mode & 0o777).equal(0o600);
  });

  for (const [what, text] of [
    ["torn", '{"one": {"addr'],
    ["empty", ""],
    ["a list", "[]"],
    ["of another shape", '{"one": {"addresses": "https://here.example/v1", "salt": "", "fingerprint": ""}}'],
  ] as const) {
    it(`are unknown if the file is ${what}: nothing is sent`, async () => {
      bind("secret", HERE)();
      await writeFile(path, text);
      should(bind("secret", HERE)).throw(NEEDS);
      should(bind("secret", HERE)).throw(/cannot be read, .* delete the file, and deploy/);
      should(await readFile(path, "utf8")).equal(text);
    });
  }

  it("are saved before anything is sent", async () => {
    await writeFile(join(folder, "file"), "");
    path = join(folder, "file", "crec-keys.json");
    // A folder that cannot be made is no missing file.
    should(bind("secret", HERE)).throw(/cannot be read|could not be saved/);
  });

  it("last as long as the process without a user directory", () => {
    const id = `unsaved ${Math.random()}`;
    bindKey(undefined, { id, stored: "secret", addresses: HERE });
    should(() => bindKey(undefined, { id, stored: "secret", addresses: THERE })).throw(NEEDS);
  });

  it("the mark is removed, and is never part of a key", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[^ ]+( \w+)?$/), fc.stringMatching(/^[\w-]+$/), (key, moment) => {
        should(withoutMark(markTyped(key, moment))).equal(key);
        should(withoutMark(key)).equal(key);
        should(withoutMark(markTyped(markTyped(key, "before"), moment))).equal(key);
      }),
    );
  });
});

describe("where a key would go", () => {
  const setting = (resolved: string, written = resolved) => ({ written, resolved });
  const to = (baseUrl: string, graphqlUrl = "", proxy?: string): Destination => ({
    baseUrl: setting(baseUrl),
    graphqlUrl: setting(graphqlUrl),
    ...(proxy ? { proxy: setting(proxy) } : {}),
  });

  it("is base URL, account URL, and a proxy that can read a request", () => {
    should(addressesOf(to("https://A.example:443/v1/"))).deepEqual(["https://a.example/v1"]);
    should(addressesOf(to("https://a.example", "https://b.example/q", "http://proxy:1"))).deepEqual([
      "https://a.example",
      "https://b.example/q",
    ]);
    for (const [base, account] of [
      ["http://a.example", "https://b.example"],
      ["https://a.example", "http://b.example"],
    ]) {
      should(addressesOf(to(base ?? "", account, "http://proxy:1"))).containEql("proxy: http://proxy:1");
    }
  });

  it("includes what a TLS configuration trusts, and the proxy then", () => {
    const plain = to("https://a.example", "", "http://proxy:1");
    should(addressesOf({ ...plain, tls: { cert: "mine", key: "mine" } })).deepEqual(["https://a.example"]);
    const trusts = [
      { rejectUnauthorized: false },
      { ca: "one" },
      { ca: "another" },
      { pfx: Buffer.from("one with other certificates") },
      { servername: "b.example" },
    ];
    const lists = trusts.map((tls) => addressesOf({ ...plain, tls }));
    should(new Set(lists.map((list) => list.join())).size).equal(trusts.length);
    for (const list of lists) should(list.at(-1)).equal("proxy: http://proxy:1");
  });

  it("is, for a key from the environment, an address from the environment or the public service", () => {
    const stray = (...asked: Parameters<typeof strayAddress>) => strayAddress(...asked)?.resolved;
    const environment = { BASE: "https://a.example/v1", ACCOUNT: "https://b.example" };
    const own = { baseUrl: setting("https://a.example/v1", "${BASE}"), graphqlUrl: setting("") };
    should(stray(own, environment)).be.undefined();
    should(
      stray({ ...own, graphqlUrl: setting("https://b.example", "${ACCOUNT}") }, environment),
    ).be.undefined();
    should(stray(to("https://cre-connect.api.chain.link/v1/"), environment)).be.undefined();
    should(stray(to("https://a.example/v1"), environment)).equal("https://a.example/v1");
    should(stray({ ...own, graphqlUrl: setting("https://evil.example") }, environment)).equal(
      "https://evil.example",
    );
    // A proxy of somebody's own could read what goes to an http address.
    const plain = { BASE: "http://a.example", PROXY: "http://proxy:1" };
    const through = (proxy: { written: string; resolved: string }) =>
      stray({ ...own, baseUrl: setting("http://a.example", "${BASE}"), proxy }, plain);
    should(through(setting("http://proxy:1"))).equal("http://proxy:1");
    should(through(setting("http://proxy:1", "${PROXY}"))).be.undefined();
    should(stray({ ...own, proxy: setting("http://proxy:1") }, environment)).be.undefined();
    // A flow can set variables of its own, also of a name that the environment has.
    const evil = { ...own, baseUrl: setting("https://evil.example", "${BASE}") };
    should(stray(evil, environment)).equal("https://evil.example");
    should(stray({ ...own, baseUrl: setting("https://evil.example", "${EVIL}") }, environment)).equal(
      "https://evil.example",
    );
  });
});
