import { once } from "node:events";
import { createServer } from "node:net";
import { inspect } from "node:util";
import should from "should";
import { CrecError, openSharedState, type SharedState, type SharedStateOptions } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { A, B, LONG_MS, stateAt, taken } from "./shared-state-suite.ts";

export type EngineServer = {
  readonly port: number;
  readonly password: string;
  readonly url: string;
  urlAt(port: number, other?: { password?: string }): string;
  kill(): Promise<void>;
  restart(): Promise<void>;
};

/** Enough for an engine on this machine, also a busy one. */
const TIMEOUT_MS = 2_000;
/** For calls that get no answer. */
const SHORT_MS = 300;

/** Why a call failed. Nothing of the error contains the password. */
export async function failure(
  call: Promise<unknown>,
  { password }: { password: string },
): Promise<CrecError> {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  );
  if (!(error instanceof CrecError)) throw new Error(`Not an error of ours: ${inspect(error)}`);
  should(inspect(error, { depth: 20, showHidden: true })).not.containEql(password);
  should(error.message).not.match(/:\/\//);
  return error;
}

/** The engine is away for a while: calls are made until one is answered. */
async function answered<T>(call: () => Promise<T>): Promise<T> {
  const { answer } = await eventually(
    "an answer",
    async (): Promise<{ answer?: T; error?: CrecError }> => {
      try {
        return { answer: await call() };
      } catch (error) {
        if (!(error instanceof CrecError && error.retryable)) throw error;
        return { error };
      }
    },
    ({ error }) => error === undefined,
  );
  return answer as T;
}

/** What shared state does while its engine is away. To be called within a `describe`. */
export function faults(server: () => EngineServer): void {
  const opened: SharedState[] = [];
  const ends: Array<() => Promise<void>> = [];
  let tests = 0;
  let key: string;

  const open = async (url: string, options: SharedStateOptions = {}): Promise<SharedState> => {
    const shared = await openSharedState(url, { timeoutMs: TIMEOUT_MS, ...options });
    opened.push(shared);
    return shared;
  };
  const proxied = async (): Promise<TcpProxy> => {
    const proxy = await TcpProxy.before(`http://127.0.0.1:${server().port}`);
    ends.push(() => proxy.close());
    return proxy;
  };
  beforeEach(() => {
    tests += 1;
    key = `fault ${tests}`;
  });
  afterEach(async () => {
    for (const shared of opened.splice(0)) await shared.close();
    for (const end of ends.splice(0)) await end();
  });

  it("has everything that was answered after its engine was killed, and continues by itself", async () => {
    const shared = await open(server().url);
    const { epoch } = await taken(shared, key, A);
    for (let cursor = 1; cursor <= 20; cursor += 1) {
      should(await shared.save(key, epoch, stateAt(cursor), LONG_MS)).be.true();
    }
    should(await shared.once({ scope: key, key: "event", ttlMs: LONG_MS })).equal("new");
    await server().kill();
    const error = await failure(shared.save(key, epoch, stateAt(21), LONG_MS), server());
    should([error.code, error.retryable]).deepEqual(["SHARED_STATE_UNREACHABLE", true]);
    await server().restart();

    const other = await open(server().url);
    should(await answered(() => other.take(key, B, LONG_MS))).be.undefined();
    should(await answered(() => shared.once({ scope: key, key: "event", ttlMs: LONG_MS }))).equal("seen");
    const again = await answered(() => shared.take(key, A, LONG_MS));
    should(again?.state).deepEqual(stateAt(20));
    should(again?.epoch).be.above(epoch);
  });

  it("notices that its engine was restarted while it did nothing", async () => {
    const shared = await open(server().url);
    await taken(shared, key, A);
    await server().restart();
    await taken(await open(server().url), `${key} of another`, B);
    // At most the first call learns that the connection is gone.
    await shared.take(key, A, LONG_MS).catch(() => undefined);
    await taken(shared, key, A);
  });

  it("rejects in time while its engine hangs, and continues by itself", async () => {
    const proxy = await proxied();
    const shared = await open(server().urlAt(proxy.port), { timeoutMs: SHORT_MS });
    const { epoch } = await answered(() => taken(shared, key, A));
    proxy.hang();
    const started = performance.now();
    const calls = [1, 2, 3].map((cursor) =>
      failure(shared.save(key, epoch, stateAt(cursor), LONG_MS), server()),
    );
    for (const { code, retryable } of await Promise.all(calls)) {
      should([code, retryable]).deepEqual(["SHARED_STATE_UNREACHABLE", true]);
    }
    should(performance.now() - started).be.below(SHORT_MS + 2_000);
    proxy.resume();
    should(await answered(() => shared.save(key, epoch, stateAt(4), LONG_MS))).be.true();
  });

  it("keeps the newer cursor when an older one arrives later, over a connection that was given up", async () => {
    const proxy = await proxied();
    const shared = await open(server().urlAt(proxy.port), { timeoutMs: SHORT_MS });
    const { epoch } = await answered(() => taken(shared, key, A));
    // The client learns the statement.
    should(await shared.save(key, epoch, stateAt(0), LONG_MS)).be.true();
    proxy.stall();
    await failure(shared.save(key, epoch, stateAt(1), LONG_MS), server());
    should(await answered(() => shared.save(key, epoch, stateAt(2), LONG_MS))).be.true();
    /** When the lease was renewed, by the clock of this process: not before `least`, and not after `most`. */
    const renewal = async () => {
      const presence = { copy: B, group: key, leaseMs: LONG_MS, held: [], wanted: [key] };
      const asked = performance.now();
      const msAgo = (await shared.members(presence)).holders.get(key)?.renewedMsAgo ?? 0;
      return { msAgo, least: asked - msAgo, most: performance.now() - msAgo };
    };
    const before = await eventually(
      "a lease that was not renewed for some time",
      renewal,
      ({ msAgo }) => msAgo >= 100,
    );
    proxy.resume();
    // It also renews the lease.
    await eventually("another renewal of the lease", renewal, ({ least }) => least > before.most);
    should((await taken(shared, key, A)).state).deepEqual(stateAt(2));
  });

  it("never sends a call that has rejected", async () => {
    const proxy = await proxied();
    proxy.hang();
    const shared = await open(server().urlAt(proxy.port), { timeoutMs: SHORT_MS });
    const late = [key, key, `${key} too`].map((one) => failure(shared.take(one, A, LONG_MS), server()));
    await Promise.all(late);
    proxy.resume();
    // Another connection through the proxy comes after all that the first one sent.
    const next = await open(server().urlAt(proxy.port));
    await taken(next, key, B);
    await taken(next, `${key} too`, B);
    should(await answered(() => shared.take(key, A, LONG_MS))).be.undefined();
  });

  it("rejects in time when something else listens at its port, or nobody answers", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const sockets = new Set<{ destroy(): void }>();
    silent.on("connection", (socket) => sockets.add(socket));
    const address = silent.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const shared = await open(server().urlAt(port), { timeoutMs: SHORT_MS });
    const { code, message } = await failure(shared.take(key, A, LONG_MS), server());
    should(code).equal("SHARED_STATE_UNREACHABLE");
    should(message).match(/within 0\.3 s/);
    for (const socket of sockets) socket.destroy();
    silent.close();
    await once(silent, "close");
    const refused = await failure(shared.take(key, A, LONG_MS), server());
    should(refused.code).equal("SHARED_STATE_UNREACHABLE");
    should(refused.message).match(/ECONNREFUSED/);
  });

  it("says that a password is wrong, and works once it is right", async () => {
    const wrong = "a-wrong-password-4711";
    const shared = await open(server().urlAt(server().port, { password: wrong }));
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const error = await failure(shared.take(key, A, LONG_MS), { password: wrong });
      should([error.code, error.retryable]).deepEqual(["SHARED_STATE_REFUSED", false]);
      should(error.message).match(/password is wrong.*in the URL/);
    }
    const without = await open(server().urlAt(server().port, { password: "" }));
    should((await failure(without.take(key, A, LONG_MS), server())).code).equal("SHARED_STATE_REFUSED");
  });

  it("is set up by several copies at once", async () => {
    const namespace = `at_once_${tests}`;
    const copies = await Promise.all(Array.from({ length: 6 }, () => open(server().url, { namespace })));
    const leases = await Promise.all(
      copies.map((shared, index) => shared.take(key, { id: `${index}`, name: "" }, LONG_MS)),
    );
    should(leases.filter(Boolean)).have.length(1);
  });

  it("has nothing of another namespace", async () => {
    await taken(await open(server().url), key, A);
    await taken(await open(server().url, { namespace: `other_${tests}` }), key, B);
  });

  it("does nothing any more once it is closed", async () => {
    const shared = await open(server().url);
    const call = shared.take(key, A, LONG_MS);
    await shared.close();
    should((await call)?.epoch).be.above(0);
    const { code, retryable } = await failure(shared.take(key, A, LONG_MS), server());
    should([code, retryable]).deepEqual(["SHARED_STATE_CLOSED", false]);
  });
}
