import { fastify } from "fastify";
import should from "should";
import { eventually } from "../../test/support/eventually.ts";
import { injectFaults } from "../src/api/local/inject-faults.ts";
import { Faults } from "../src/injected-failures/lists.ts";
import { type Api, startTestService } from "./support.ts";

describe("faults asked for under /local/faults", function () {
  this.timeout(120_000);
  let api: Api;
  let dispose: () => Promise<void>;

  before(async () => {
    ({ api, dispose } = await startTestService());
  });
  after(() => dispose());

  it("answer as JSON unless their headers say otherwise", async () => {
    const match = { path: "/networks" };
    const body = '{"type":"INTERNAL_ERROR","message":"as asked"}';
    for (const [fault, type] of [
      [{}, /^application\/json/],
      [{ body }, /^application\/json/],
      [{ body, headers: { "Content-Type": "text/html" } }, /^text\/html/],
    ] as const) {
      await api.ok("POST", "/local/faults", { match, action: "status", ...fault });
      const { status, headers } = await api.call("GET", "/networks");
      should(status).equal(503);
      should(headers.get("content-type")).match(type);
    }
  });

  it("fail calls before anything is done, or after everything is done", async () => {
    const post = (name: string) => api.call("POST", "/channels", { name });
    const exists = async (name: string) =>
      (await api.ok<{ data: unknown[] }>("GET", `/channels?name=${encodeURIComponent(name)}`)).data.length ===
      1;
    const match = { method: "POST", path: "/channels" };

    await api.ok("POST", "/local/faults", { match, times: 1, action: "reset" });
    await should(post("reset")).be.rejected();
    (await exists("reset")).should.be.false();

    await api.ok("POST", "/local/faults", { match, times: 1, action: "drop_answer" });
    await should(post("dropped")).be.rejected();
    (await exists("dropped")).should.be.true();

    await api.ok("POST", "/local/faults", { match, times: 1, action: "truncate" });
    await should(post("truncated")).be.rejected();
    (await exists("truncated")).should.be.true();

    await api.ok("POST", "/local/faults", {
      match,
      times: 2,
      action: "status",
      status: 429,
      headers: { "retry-after": "1" },
    });
    const limited = await post("limited");
    should(limited.status).equal(429);
    should(limited.headers.get("retry-after")).equal("1");
    should((await post("limited")).status).equal(429);
    should((await post("limited")).status).equal(201);

    await api.ok("POST", "/local/faults", { match: {}, times: 9, action: "delay", delayMs: 1 });
    await api.ok("GET", "/channels");
    await api.ok("DELETE", "/local/faults");
    should((await api.ok("GET", "/local/status")).faults).eql([]);
  });

  it("leave no timer after the service is closed", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const app = fastify();
    const faults = new Faults();
    injectFaults(app, faults);
    faults.add({ action: "delay", delayMs: 600_000, times: 1 });
    await app.ready();
    const before = timers();
    app.inject("/late").catch(() => {});
    await eventually("the request to wait", () => (timers() > before ? true : undefined));
    await app.close();
    // Others may have begun meanwhile, but not for ten minutes.
    await eventually("the timer to be gone", () => (timers() <= before ? true : undefined));
  });
});
