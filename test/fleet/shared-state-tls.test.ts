import { createPrivateKey } from "node:crypto";
import should from "should";
import { type CrecError, openSharedState, type SharedStateOptions } from "../../src/index.ts";
import { type Certificate, selfSigned } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";
import { hasRedis, RedisServer } from "../support/redis.ts";
import { failure } from "./shared-state-faults.ts";
import { A } from "./shared-state-suite.ts";

type Started = { url: string; password: string; remove(): Promise<void> };
type Options = { certificate: Certificate; clientAuthority?: string };
type Tls = NonNullable<SharedStateOptions["tls"]>;

const PASSPHRASE = "a-passphrase-that-must-not-leave";

/** What a call says over TLS with these settings; undefined where it succeeds. */
async function told(server: Started, tls: Tls, query = ""): Promise<CrecError | undefined> {
  const shared = await openSharedState(server.url.replace("redis:", "rediss:") + query, { tls });
  try {
    await shared.leave(A);
    return undefined;
  } catch (thrown) {
    const error = await failure(Promise.reject(thrown), server);
    should(error.message).not.containEql(PASSPHRASE);
    return error;
  } finally {
    await shared.close();
  }
}

function engine(name: string, isInstalled: () => boolean, start: (options: Options) => Promise<Started>) {
  describe(`shared state over TLS in ${name}`, function () {
    this.timeout(60_000);

    let started: Started | undefined;
    before(function () {
      if (!isInstalled()) this.skip();
    });
    afterEach(async () => {
      await started?.remove();
      started = undefined;
    });
    const server = async (options: Options): Promise<Started> => {
      started = await start(options);
      return started;
    };
    const isRefused = async (asked: Promise<CrecError | undefined>, sentence: RegExp): Promise<void> => {
      const error = await asked;
      should(error?.message).match(sentence);
      should(error?.code).equal("SHARED_STATE_REFUSED");
    };

    it("trusts the authority of the settings only, or any certificate", async () => {
      const certificate = selfSigned();
      const one = await server({ certificate });
      should(await told(one, { ca: certificate.cert })).be.undefined();
      should(await told(one, { rejectUnauthorized: false })).be.undefined();
      for (const tls of [{}, { ca: selfSigned().cert }, { ca: "no certificate" }])
        await isRefused(told(one, tls), /certificate is not trusted \([A-Z_]+\); .*as the option ca/);
    });

    it("checks the host of the URL, or the name that the settings have", async () => {
      const certificate = selfSigned({ host: "db.example" });
      const one = await server({ certificate });
      const trust = { ca: certificate.cert };
      await isRefused(told(one, trust), /for another host name .*set the server name/);
      should(await told(one, { ...trust, servername: "db.example" })).be.undefined();
      await isRefused(told(one, { ...trust, servername: "other.example" }), /for another host name/);
    });

    it("says that a certificate has expired", async () => {
      const certificate = selfSigned({ from: 2020, until: 2025 });
      await isRefused(
        told(await server({ certificate }), { ca: certificate.cert }),
        /not valid at this time/,
      );
    });

    it("shows a client certificate, and says where one is missing, wrong or locked", async () => {
      const [certificate, client, other] = [selfSigned(), selfSigned(), selfSigned()];
      const one = await server({ certificate, clientAuthority: client.cert });
      const trust = { ca: certificate.cert };
      const lock = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: PASSPHRASE } as const;
      const locked = {
        ...trust,
        cert: client.cert,
        key: createPrivateKey(client.key).export(lock) as string,
      };
      should(await told(one, { ...trust, ...client })).be.undefined();
      should(await told(one, { ...locked, passphrase: PASSPHRASE })).be.undefined();
      // A server that closes the connection at once can hide its alert from one attempt: nodes try again.
      for (const tls of [trust, { ...trust, ...other }])
        await eventually(
          "the sentence about the client certificate",
          () => told(one, tls),
          (error) => error?.code === "SHARED_STATE_REFUSED" && error.message.includes("a client certificate"),
        );
      for (const tls of [locked, { ...locked, passphrase: `${PASSPHRASE}-not` }])
        await isRefused(told(one, tls), /key or the passphrase is wrong .*as the option tls/);
    });
  });
}

engine("Redis", hasRedis, (options) => RedisServer.start(options));
engine("PostgreSQL", hasPostgres, (options) => PostgresServer.start(options));

describe("shared state over TLS, found by Sentinel", function () {
  this.timeout(60_000);

  it("uses the settings for the sentinels too", async function () {
    if (!hasRedis()) return this.skip();
    const certificate = selfSigned();
    const primary = await RedisServer.start({ certificate });
    const sentinel = await RedisServer.startSentinel(primary, "cursors", certificate);
    const { port, password } = sentinel;
    const known = { sentinels: [{ host: "127.0.0.1", port }], name: "cursors", password };
    const asked = async (tls: Tls, name = known.name) => {
      const shared = await openSharedState(primary.urlAt(1).replace("redis:", "rediss:"), {
        ...{ tls, sentinel: { ...known, name } },
      });
      try {
        await shared.leave(A);
        return undefined;
      } catch (thrown) {
        return failure(Promise.reject(thrown), primary);
      } finally {
        await shared.close();
      }
    };
    try {
      should(await asked({ ca: certificate.cert })).be.undefined();
      const untrusted = await asked({});
      should(untrusted?.code).equal("SHARED_STATE_REFUSED");
      should(untrusted?.message).match(/certificate is not trusted/);
      const broken = await asked({ cert: "no certificate", key: certificate.key });
      should(broken?.message).match(/client certificate, its key or the passphrase is wrong/);
      const unknown = await asked({ ca: certificate.cert }, "another");
      should(unknown?.code).equal("SHARED_STATE_UNREACHABLE");
      should(unknown?.message).match(/none knows a running server under this master name/);
    } finally {
      await Promise.all([sentinel.remove(), primary.remove()]);
    }
  });
});

describe("TLS settings beside the URL of shared state", function () {
  this.timeout(60_000);

  it("are an error where the URL is one without TLS: nothing is sent", async () => {
    for (const url of ["redis://u:p@127.0.0.1:9", "postgres://u:p@127.0.0.1:9/app?sslmode=disable"])
      for (const options of [{ tls: {} }, { ca: selfSigned().cert }])
        await should(openSharedState(url, options)).be.rejectedWith(/says that there is no TLS/);
  });

  it("need TLS at the server, and the stricter one of both decides what is checked", async function () {
    if (!hasPostgres()) return this.skip();
    const certificate = selfSigned();
    const server = await PostgresServer.start({ certificate });
    try {
      for (const query of ["", "?sslmode=prefer", "?sslmode=require", "?sslmode=verify-full"]) {
        should(await told(server, { ca: certificate.cert }, query)).be.undefined();
        should((await told(server, {}, query))?.message).match(/certificate is not trusted/);
      }
      const unchecked = { rejectUnauthorized: false };
      should(await told(server, unchecked, "?sslmode=prefer")).be.undefined();
      should((await told(server, unchecked, "?sslmode=verify-full"))?.message).match(/is not trusted/);
    } finally {
      await server.remove();
    }
    const plain = await PostgresServer.start();
    try {
      should((await told(plain, { ca: certificate.cert }, "?sslmode=prefer"))?.message).match(
        /it has no TLS/,
      );
    } finally {
      await plain.remove();
    }
  });
});
