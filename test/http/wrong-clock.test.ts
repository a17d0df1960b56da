import should from "should";
import { Transport, type TransportOptions } from "../../src/http/index.ts";
import { CustodianClient } from "../../src/signing/custody/custodian-client.ts";
import { errorOf, KEY, sendJson, startServer, type TestServer } from "./support.ts";

/** The clocks of the client and the service differ: a service says by its own when it accepts requests again. */
for (const [way, offMs] of [
  ["ahead of", 600_000],
  ["behind", -600_000],
] as const) {
  describe(`a Retry-After date of a service whose clock is 10 minutes ${way} this machine's`, () => {
    const ended: Array<() => Promise<void>> = [];
    afterEach(async () => {
      for (const end of ended.splice(0).reverse()) await end();
    });

    /** Refuses the first requests, each for two seconds by its clock, which shows whole ones. */
    const busy = async (status: number, times = 1): Promise<TestServer & { at: number[] }> => {
      const at: number[] = [];
      const server = await startServer((_request, response) => {
        at.push(performance.now());
        const now = Math.floor((Date.now() + offMs) / 1000) * 1000;
        const date = new Date(now).toUTCString();
        const later = new Date(now + 2_000).toUTCString();
        if (at.length <= times) sendJson(response, status, {}, { date, "retry-after": later });
        else sendJson(response, 200, { ok: true }, { date });
      });
      ended.push(server.close);
      return Object.assign(server, { at });
    };
    const open = (server: TestServer, options: Partial<TransportOptions> = {}) => {
      const transport = new Transport({ baseUrl: server.url, apiKey: KEY, timeoutMs: 30_000, ...options });
      ended.push(() => transport.close());
      return transport;
    };

    it("is waited for by the service's clock, also by calls that come meanwhile", async () => {
      const server = await busy(429);
      const { promise: refused, resolve: onResponse } = Promise.withResolvers<unknown>();
      const transport = open(server, { onResponse });
      const first = transport.get("/networks");
      await refused;
      should(await Promise.all([first, transport.get("/channels")])).deepEqual([{ ok: true }, { ok: true }]);
      const [begun = 0, ...others] = server.at;
      should(others).have.length(2);
      for (const at of others) should(at - begun).be.within(1_900, 10_000);
    });

    it("is in the error of a call that cannot wait so long", async () => {
      const server = await busy(503, 4);
      const error = await errorOf(open(server, { timeoutMs: 1_000 }).get("/networks"));
      should(error).match({ code: "SERVICE_ERROR", retryAfterMs: 2_000 });
      should(server.at).have.length(1);
    });

    it("is waited for by a key service's clock", async () => {
      const server = await busy(503);
      const client = new CustodianClient({ custodian: "Acme", baseUrl: server.url, secrets: [] });
      ended.push(() => client.close());
      await client.call({ method: "GET", path: "/key", repeats: true });
      const [begun = 0, again = 0] = server.at;
      should(again - begun).be.within(1_900, 10_000);
    });
  });
}
