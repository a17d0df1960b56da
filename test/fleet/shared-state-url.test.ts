import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import should from "should";
import { shortName } from "../../src/fleet/driver.ts";
import { ArgumentError, openSharedState, type SharedStateOptions } from "../../src/index.ts";

const SECRET = "s3cr3t-4711";

/** Why a URL or option is refused. The error does not repeat the URL, which may contain a password. */
async function refusal(
  url: string,
  options: SharedStateOptions = {},
): Promise<[path: string, message: string]> {
  try {
    await openSharedState(url, options);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    should(error.stack).not.containEql(SECRET);
    return [error.path, error.message];
  }
  throw new Error("It was not refused.");
}

async function labelOf(url: string, options: SharedStateOptions = {}): Promise<string> {
  const shared = await openSharedState(url, options);
  await shared.close();
  return shared.label;
}

describe("the URL of shared state", () => {
  it("chooses the engine, and is told without credentials", async () => {
    for (const scheme of ["postgres", "postgresql"]) {
      should(await labelOf(`${scheme}://u:${SECRET}@db.example/app`)).equal("PostgreSQL at db.example:5432");
    }
    should(await labelOf(`postgres://u:${SECRET}@a:1,b,[::1]:3/app?sslmode=require`)).equal(
      "PostgreSQL at a:1, b:5432, [::1]:3",
    );
    should(await labelOf(`redis://:${SECRET}@cache.example`)).equal("Redis at cache.example:6379");
    should(await labelOf(` rediss://u:${SECRET}@[::1]:7000/2\n`)).equal("Redis at [::1]:7000");
  });

  it("says what is possible", async () => {
    for (const url of [`mysql://u:${SECRET}@db/app`, `u:${SECRET}@db`, "", "postgres:/x"]) {
      const [path, message] = await refusal(url);
      should(path).equal("url");
      should(message).match(/postgres:\/\/, postgresql:\/\/, redis:\/\/ or rediss:\/\//);
    }
  });

  it("says how to write special characters, where it cannot be read", async () => {
    for (const url of [
      `postgres://u:${SECRET}@x@db/app`,
      `postgres://u:%${SECRET}@db/app`,
      `redis://u:${SECRET}@db:70000`,
      `redis://u:${SECRET}@db:x`,
      `redis://u:${SECRET}@`,
    ]) {
      const [path, message] = await refusal(url);
      should(path).equal("url");
      should(message).match(/percent-encode/);
    }
  });

  it("has no wrong part", async () => {
    should((await refusal(`postgres://u:${SECRET}@db/app?sslmode=sometimes`))[1]).match(
      /one of disable, allow, prefer, require, verify-ca, verify-full/,
    );
    should((await refusal(`redis://:${SECRET}@a,b`))[1]).match(/names one host.*sentinel/);
    should((await refusal(`redis://:${SECRET}@a/app`))[1]).match(/number of a database/);
  });

  it("has no wrong option beside it", async () => {
    const sentinel = { sentinels: [{ host: "s", port: 1 }], name: "m" };
    should((await refusal("postgres://db/app", { sentinel }))[0]).equal("sentinel");
    should((await refusal("redis://db", { sentinel: { ...sentinel, sentinels: [] } }))[0]).equal("sentinel");
    should((await refusal("redis://db", { sentinel: { ...sentinel, name: "" } }))[0]).equal("sentinel");
    for (const namespace of ["", "Crec", "1a", "a-b", 'a"; DROP', "a".repeat(32)]) {
      should((await refusal("redis://db", { namespace }))[0]).equal("namespace");
    }
    for (const timeoutMs of [0, 1.5, Number.NaN]) {
      should((await refusal("redis://db", { timeoutMs }))[0]).equal("timeoutMs");
    }
  });
});

describe("a name as a key of an engine", () => {
  it("stays as it is where people can read it and every engine can store it", () => {
    for (const name of ["", "alerts", "ключ 🔑", "'\"\\{}", "x".repeat(200)])
      should(shortName(name)).equal(name);
  });

  it("is a hash otherwise, another one for each name", () => {
    const long = "x".repeat(201);
    const names = [long, `${long}y`, "a\0", "a\n", "a\ud800", "a\ud801", shortName(long)];
    const short = names.map(shortName);
    for (const name of short) should(name).match(/^sha256:[0-9a-f]{64}$/);
    should(new Set(short).size).equal(names.length);
  });
});

describe("a server that a URL names", () => {
  it("learns the password of the URL only, none of the environment", async () => {
    let heard = "";
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (bytes) => {
        heard += bytes.toString("latin1");
        // No TLS; then: send the password as it is.
        socket.write(bytes.length === 8 ? "N" : Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
        if (bytes[0] === 0x70) socket.destroy();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const before = process.env.PGPASSWORD;
    process.env.PGPASSWORD = SECRET;
    try {
      const { port } = server.address() as AddressInfo;
      const shared = await openSharedState(`postgres://u@127.0.0.1:${port}/app`, { timeoutMs: 2_000 });
      await shared.leave({ id: "a", name: "a" }).catch(() => {});
      await shared.close();
    } finally {
      if (before === undefined) delete process.env.PGPASSWORD;
      else process.env.PGPASSWORD = before;
      server.close();
    }
    should(heard).containEql("app");
    should(heard).containEql("p\0\0\0");
    should(heard).not.containEql(SECRET);
  });
});
