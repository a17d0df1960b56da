import { request } from "node:http";
import should from "should";
import { authorization } from "../src/api/access.ts";
import { type Api, startTestService } from "./support.ts";

describe("the interface of the local service", function () {
  this.timeout(120_000);
  let api: Api;
  let dispose: () => Promise<void>;

  before(async () => {
    // A strict service ignores the type of a poll.
    ({ api, dispose } = await startTestService({ strict: false }));
  });
  after(() => dispose());

  it("accepts only the right key, and answers the health check without one", async () => {
    const health = await fetch(`${api.ready.base_url}/health-check`);
    should(health.status).equal(200);
    for (const authorization of [
      "",
      "Apikey wrong",
      `Bearer ${api.ready.api_key}`,
      `apikey ${api.ready.api_key}`,
      "Apikey ",
    ]) {
      const answer = await api.call<{ type: string; message: string }>("GET", "/networks", undefined, {
        authorization,
      });
      should(answer.status).equal(401);
      should(answer.body.type).equal("UNAUTHORIZED");
      answer.body.message.should.not.containEql("wrong");
      should((await api.call("GET", "/local/status", undefined, { authorization })).status).equal(401);
    }
  });

  it("accepts each of several keys", () => {
    const isAuthorized = authorization(["first", "second"]);
    for (const key of ["first", "second"]) should(isAuthorized(`Apikey ${key}`)).be.true(key);
    for (const key of [
      "third",
      "firs",
      "first1",
      "first second",
      "first first",
      "fïrst",
      "second".repeat(99),
      "",
    ])
      should(isAuthorized(`Apikey ${key}`)).be.false(key);
    for (const header of [undefined, "", "first", " Apikey first", "Apikey  first", "apikey first"])
      should(isAuthorized(header)).be.false(header);
    should(authorization([])("Apikey first")).be.false();
  });

  it("answers no web page from elsewhere, not even under a name that resolves to this machine", async () => {
    const { host, port } = new URL(api.ready.base_url);
    const status = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const authorization = `Apikey ${api.ready.api_key}`;
        // fetch sets Host itself.
        request(`${api.ready.base_url}/networks`, { headers: { authorization, ...headers } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .once("error", reject)
          .end();
      });
    for (const name of [host, `localhost:${port}`, `[::1]:${port}`, "localhost"])
      should(await status({ host: name })).equal(200);
    should(await status({ origin: api.ready.base_url })).equal(200);
    for (const headers of [
      { host: `evil.example:${port}` },
      { host: `127.0.0.1.evil.example:${port}` },
      { origin: "https://evil.example" },
      { origin: "null" },
    ]) {
      should(await status(headers)).equal(403);
    }
  });

  it("answers every error in the format of the contract", async () => {
    const shapes: Array<[Promise<{ status: number; body: unknown }>, number, object]> = [
      [api.call("GET", "/nothing-here"), 404, { type: "NOT_FOUND" }],
      [api.call("DELETE", "/channels"), 404, { type: "NOT_FOUND" }],
      [
        api.call("GET", "/channels/00000000-0000-4000-8000-000000000000"),
        404,
        { type: "NOT_FOUND", code: "CHANNEL_NOT_FOUND" },
      ],
      [api.call("GET", "/channels/abc"), 400, { type: "VALIDATION_ERROR" }],
      [api.call("GET", "/channels/%zz"), 400, { type: "VALIDATION_ERROR" }],
      [api.call("POST", "/channels", "{not json"), 400, { type: "VALIDATION_ERROR" }],
      [api.call("POST", "/channels", "x", { "content-type": "text/csv" }), 415, { type: "VALIDATION_ERROR" }],
      [api.call("POST", "/channels", {}), 400, { type: "VALIDATION_ERROR", message: "name is required." }],
      [api.call("POST", "/channels", { name: 5 }), 400, { type: "VALIDATION_ERROR" }],
      [api.call("POST", "/channels", { name: "  " }), 400, { type: "VALIDATION_ERROR" }],
      [api.call("POST", "/channels", { name: "x".repeat(256) }), 400, { type: "VALIDATION_ERROR" }],
      [api.call("POST", "/channels", { name: "y".repeat(3_000_000) }), 413, { type: "VALIDATION_ERROR" }],
      [api.call("GET", "/channels?limit=51"), 400, { message: "limit must be a whole number from 1 to 50." }],
      [api.call("GET", "/channels?limit=1.5"), 400, { type: "VALIDATION_ERROR" }],
      [api.call("GET", "/channels?limit=true"), 400, { type: "VALIDATION_ERROR" }],
      [api.call("GET", "/channels?offset=1e30"), 400, { type: "VALIDATION_ERROR" }],
      [api.call("GET", "/channels?offset=9223372036854775808"), 400, { type: "VALIDATION_ERROR" }],
      [api.call("GET", "/channels?limit=x"), 400, { type: "VALIDATION_ERROR" }],
      [api.call("GET", "/channels?offset=-1"), 400, { type: "VALIDATION_ERROR" }],
      [
        api.call("GET", "/channels?status=gone"),
        400,
        { message: "status[0] must be one of active, archived." },
      ],
    ];
    for (const [call, status, shape] of shapes) {
      const answer = await call;
      should(answer.status).equal(status);
      should(answer.body).containDeep(shape);
      should(answer.body).have.properties(["type", "message"]);
    }
  });

  it("keeps channel names unique, finds channels by a part of the name, and hides archived ones", async () => {
    const names = ["Alpha one", "alpha two", "beta"];
    const ids = await Promise.all(names.map((name) => api.channel(name)));
    const taken = await api.call("POST", "/channels", { name: "beta" });
    taken.should.containDeep({ status: 409, body: { type: "CONFLICT", code: "CHANNEL_ALREADY_EXISTS" } });
    const renamed = await api.call("PATCH", `/channels/${ids[0]}`, { name: "beta" });
    should(renamed.body.code).equal("CHANNEL_ALREADY_EXISTS");

    type List = { data: Array<{ name: string }>; has_more: boolean };
    const list = async (query: string) => {
      const { data, has_more } = await api.ok<List>("GET", `/channels?${query}`);
      return { names: data.map(({ name }) => name), has_more };
    };
    (await list("name=ALPHA")).should.eql({ names: ["Alpha one", "alpha two"], has_more: false });
    await api.channel("Über Ärger");
    (await list("name=über ÄRGER")).names.should.eql(["Über Ärger"]);
    (await list("offset=9007199254740991")).names.should.eql([]);
    (await list("name=alpha&limit=1")).should.eql({ names: ["Alpha one"], has_more: true });
    (await list("name=alpha&limit=1&offset=1")).should.eql({ names: ["alpha two"], has_more: false });

    const changed = await api.ok("PATCH", `/channels/${ids[2]}`, { name: "gamma", description: "third" });
    changed.should.containDeep({ name: "gamma", description: "third", status: "active" });
    await api.ok("PATCH", `/channels/${ids[2]}`, { status: "archived" });
    (await list("name=gamma")).names.should.eql([]);
    (await list("name=gamma&status=archived&status=active")).names.should.eql(["gamma"]);

    await api.transferWatcher(ids[0] ?? "");
    const busy = await api.call("PATCH", `/channels/${ids[0]}`, { status: "archived" });
    busy.should.containDeep({ status: 409, body: { type: "CONFLICT" } });
  });

  it("pages events by offset upwards, the newest downwards, and searches them", async () => {
    const channelId = await api.channel();
    const watcher = await api.transferWatcher(channelId);
    await api.ok("POST", "/local/faucet", {});
    const all = await api.eventsUntil(channelId, (events) => events.length >= 4);
    all.length.should.equal(4);

    type Page = {
      events: Array<{ headers: { offset: number; type: string }; event_id: string }>;
      has_more: boolean;
    };
    const offsets = async (path: string) => {
      const page = await api.ok<Page>("GET", `/channels/${channelId}/${path}`);
      return [page.events.map(({ headers }) => headers.offset), page.has_more];
    };
    (await offsets("events?offset=2&limit=2")).should.eql([[2, 3], true]);
    (await offsets("events?offset=5")).should.eql([[], false]);
    (await offsets("events?limit=3")).should.eql([[4, 3, 2], true]);
    (await offsets("events?type=watcher.status&offset=0")).should.eql([[1, 2], false]);
    (await offsets("events/search?type=watcher.status&status=active")).should.eql([[2], false]);
    (await offsets(`events/search?watcher_id=${watcher.watcher_id}&event_name=Transfer`)).should.eql([
      [3, 4],
      false,
    ]);
    (
      await offsets(
        `events/search?type=watcher.event&address=${String(api.ready.contracts.DemoToken).toLowerCase()}&limit=1`,
      )
    ).should.eql([[3], true]);
    (await offsets(`events/search?created.gt=${Math.floor(Date.now() / 1000) + 5}`)).should.eql([[], false]);
    (await offsets("events/search?chain_environment=mainnet")).should.eql([[], false]);

    const wrong = await api.call(
      "GET",
      `/channels/${channelId}/events/search?type=watcher.status&event_name=Transfer`,
    );
    wrong.should.containDeep({ status: 400, body: { type: "VALIDATION_ERROR" } });
    const one = await api.ok("GET", `/channels/${channelId}/events/search/${all[0]?.event_id}`);
    should(one).eql(all[0]);
    const none = await api.call(
      "GET",
      `/channels/${channelId}/events/search/00000000-0000-4000-8000-000000000000`,
    );
    should(none.status).equal(404);
  });

  it("returns its networks, its account and its OpenAPI description", async () => {
    const networks = await api.ok<{ data: unknown[] }>("GET", "/networks");
    should(networks.data[0]).containDeep({
      chain_selector: "7759470850252068959",
      chain_id: "31337",
      chain_family: "evm",
    });
    const account = await api.ok("POST", "/graphql", {
      query: "{ getAccountDetails { memberId } getOrganization { organizationId tenantId } }",
    });
    should(account).containDeep({
      data: { getOrganization: { organizationId: api.ready.org_id, tenantId: "1" } },
    });
    const stranger = await api.call(
      "POST",
      "/graphql",
      { query: "{ getAccountDetails { memberId } }" },
      { authorization: "" },
    );
    should(stranger.status).equal(401);
    should(stranger.body.errors).be.an.Array();
    const openapi = await api.ok<{ openapi: string; paths: object }>("GET", "/openapi.json");
    should(openapi.openapi).equal("3.1.0");
    Object.keys(openapi.paths).should.containEql("/channels/{channel_id}/watchers");
  });

  it("ignores the case of ids in paths, bodies and filters", async () => {
    const channelId = await api.channel();
    const watcher = await api.transferWatcher(channelId);
    const [event] = await api.events(channelId);
    const [channel, id] = [channelId.toUpperCase(), watcher.watcher_id.toUpperCase()];
    should(await api.ok("GET", `/channels/${channel}`)).containEql({ channel_id: channelId });
    should(await api.ok("GET", `/channels/${channel}/watchers/${id}`)).containEql({ channel_id: channelId });
    const eventPath = `/channels/${channel}/events/search/${event?.event_id.toUpperCase()}`;
    should(await api.ok("GET", eventPath)).eql(event);
    const page = await api.ok<{ events: unknown[] }>(
      "GET",
      `/channels/${channel}/events/search?watcher_id=${id}`,
    );
    should(page.events.length).be.above(0);
    const wallet = await api.ok("POST", "/wallets", {
      ...{ name: "in capitals", wallet_owner_address: `0x${"1".repeat(40)}`, wallet_type: "ecdsa" },
      ...{ chain_selector: api.ready.chain_selector, status_channel_id: channel },
    });
    should(wallet).containEql({ status_channel_id: channelId });
  });
});
