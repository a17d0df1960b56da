import { inspect } from "node:util";
import should from "should";
import type { CreateWatcher } from "../../src/resources/index.ts";
import { errorOf, KEY } from "../http/support.ts";
import {
  ADDRESS,
  type Asked,
  CHAIN,
  conflict,
  ID,
  notFound,
  OTHER_ID,
  page,
  type Reply,
  startFakeService,
} from "./support.ts";

type Service = Awaited<ReturnType<typeof startFakeService>>;

describe("resources", () => {
  const open: Service[] = [];
  const serve = async (reply: (asked: Asked) => Reply, options = {}) => {
    const service = await startFakeService(reply, options);
    open.push(service);
    return service;
  };
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });

  const watcher = (changes = {}) => ({
    watcher_id: OTHER_ID,
    channel_id: ID,
    name: "demo watcher",
    status: "active",
    chain_selector: CHAIN,
    address: ADDRESS.toLowerCase(),
    events: ["Transfer"],
    ...changes,
  });
  const wanted: CreateWatcher = {
    name: "demo watcher",
    chain_selector: CHAIN,
    address: ADDRESS,
    events: ["Transfer"],
    abi: [{ type: "event", name: "Transfer", inputs: [] }],
  };

  describe("lists", () => {
    const reply = ({ query }: Asked): Reply => {
      const offset = Number(query.get("offset"));
      return [200, { data: [{ name: `c${offset}` }, { name: `c${offset + 1}` }], has_more: offset < 4 }];
    };

    it("give one page when awaited and all pages when iterated", async () => {
      const { client, asked } = await serve(reply);
      should((await client.channels.list({ limit: 2, status: ["active", "archived"] })).data).have.length(2);
      should(asked[0]?.query.getAll("status")).deepEqual(["active", "archived"]);
      const names: string[] = [];
      for await (const channel of client.channels.list({ limit: 2 })) names.push(channel.name);
      should(names).deepEqual(["c0", "c1", "c2", "c3", "c4", "c5"]);
    });

    it("end on an empty page that promises more", async () => {
      const { client } = await serve(() => [200, { data: [], has_more: true }]);
      for await (const _ of client.channels.list()) throw new Error("nothing is there");
    });

    it("that are none are BAD_RESPONSE", async () => {
      const { client } = await serve(() => [200, {}]);
      should((await errorOf(client.channels.list())).code).equal("BAD_RESPONSE");
      should((await errorOf(client.networks.list())).code).equal("BAD_RESPONSE");
      should((await errorOf(client.events.poll(ID))).code).equal("BAD_RESPONSE");
    });
  });

  describe("arguments", () => {
    it("are checked before anything is sent, naming the field", async () => {
      const { client, asked } = await serve(() => [200, {}]);
      const refused = async (promise: Promise<unknown>) => {
        const { code, path } = await errorOf(promise);
        return `${code} ${path}`;
      };
      should(await refused(client.channels.create({ name: "  " }))).equal("INVALID_ARGUMENT name");
      should(await refused(client.channels.create({ name: "x".repeat(256) }))).equal("INVALID_ARGUMENT name");
      should(await refused(client.channels.create({ name: "x", description: "x".repeat(256) }))).equal(
        "INVALID_ARGUMENT description",
      );
      should(await refused(client.channels.get("../networks"))).equal("INVALID_ARGUMENT channelId");
      should(await refused(client.channels.list({ limit: 51 }))).equal("INVALID_ARGUMENT limit");
      should(await refused(client.events.poll(ID, { offset: -1 }))).equal("INVALID_ARGUMENT offset");
      should(await refused(client.networks.chainIdOf("0x1"))).equal("INVALID_ARGUMENT chain_selector");
      const create = (changes: object) => refused(client.watchers.create(ID, { ...wanted, ...changes }));
      should(await create({ name: " abc " })).equal("INVALID_ARGUMENT name");
      should(await create({ address: "0x12" })).equal("INVALID_ADDRESS address");
      should(await create({ chain_selector: "sepolia" })).equal("INVALID_ARGUMENT chain_selector");
      should(await create({ events: [] })).equal("INVALID_ARGUMENT events");
      should(await create({ abi: undefined })).equal("INVALID_ARGUMENT abi");
      should(await create({ events: ["Transfer", "Mint"] })).equal("EVENT_NOT_IN_ABI events[1]");
      should(asked).be.empty();
    });
  });

  describe("networks.chainIdOf", () => {
    it("asks once", async () => {
      const { client, asked } = await serve(() => page({ chain_selector: "42", chain_id: "7" }));
      should(await client.networks.chainIdOf("42")).equal("7");
      should(await client.networks.chainIdOf("42")).equal("7");
      should(asked).have.length(1);
    });

    it("knows well-known networks when the service cannot be asked", async () => {
      const { client } = await serve(() => [503, ""]);
      should(await client.networks.chainIdOf(CHAIN)).equal("31337");
      should((await errorOf(client.networks.chainIdOf("42"))).code).equal("SERVICE_ERROR");
    });

    it("says when there is no such network", async () => {
      const { client } = await serve(() => page());
      should((await errorOf(client.networks.chainIdOf("42"))).code).equal("NETWORK_NOT_FOUND");
    });
  });

  describe("channels.createOrFind", () => {
    const demo = { channel_id: ID, name: "demo" };

    it("finds by exact name over all pages, though the filter is a part without case", async () => {
      const { client, calls } = await serve(({ query }) =>
        query.get("offset") === "0"
          ? [200, { data: [{ name: "Demo" }, { name: "demo 2" }], has_more: true }]
          : page(demo),
      );
      const { channel, found } = await client.channels.createOrFind({ name: "demo" });
      should(channel.channel_id).equal(ID);
      should(found).be.true();
      should(calls()).deepEqual(["GET /channels", "GET /channels"]);
    });

    it("creates what is missing", async () => {
      const { client } = await serve(({ method }) => (method === "GET" ? page() : [201, demo]));
      should(await client.channels.createOrFind({ name: "demo" })).deepEqual({ channel: demo, found: false });
    });

    it("looks again when somebody else was quicker", async () => {
      let made = false;
      const { client, calls } = await serve(({ method }) => {
        if (method === "GET") return made ? page(demo) : page();
        made = true;
        return conflict("CHANNEL_ALREADY_EXISTS");
      });
      should((await client.channels.createOrFind({ name: "demo" })).found).be.true();
      should(calls()).deepEqual(["GET /channels", "POST /channels", "GET /channels"]);
    });

    it("looks before it repeats a create whose answer was lost", async () => {
      let made = 0;
      const { client } = await serve(({ method }) => {
        if (method === "GET") return made ? page(demo) : page();
        made += 1;
        return "drop";
      });
      should((await client.channels.createOrFind({ name: "demo" })).channel).deepEqual(demo);
      should(made).equal(1);
    });

    it("gives up when the name is taken by what cannot be found", async () => {
      const { client, calls } = await serve(({ method }) =>
        method === "GET" ? page() : conflict("CHANNEL_ALREADY_EXISTS"),
      );
      should((await errorOf(client.channels.createOrFind({ name: "demo" }))).code).equal(
        "CHANNEL_ALREADY_EXISTS",
      );
      should(calls()).have.length(6);
    });
  });

  describe("watchers.createOrFind", () => {
    const having = (found: object) =>
      serve(({ path }) =>
        path.endsWith("/watchers") ? page({ ...watcher(), events: undefined }) : [200, found],
      );

    it("finds the same watcher, the address compared without case", async () => {
      const { client } = await having(watcher());
      should(await client.watchers.createOrFind(ID, wanted)).deepEqual({ watcher: watcher(), found: true });
    });

    it("gives one that failed with its status", async () => {
      const { client } = await having(watcher({ status: "failed" }));
      should((await client.watchers.createOrFind(ID, wanted)).watcher.status).equal("failed");
    });

    it("refuses one that watches something else, and says what differs", async () => {
      const { client } = await having(watcher({ address: `0x${"1".repeat(40)}`, events: ["Approval"] }));
      const error = await errorOf(client.watchers.createOrFind(ID, wanted));
      should(error.code).equal("WATCHER_DIFFERS");
      should(error.message).match(/address is 0x1+.*events is Approval, not Transfer/);
    });
  });

  describe("watchers.waitFor", () => {
    const quick = { pollMs: { min: 1, max: 5 } };
    const walking = (...replies: Array<string | Reply>) => {
      let count = 0;
      return serve(({ path }) => {
        if (path.endsWith("/events/search")) {
          const payload = { watcher_id: OTHER_ID, status: "failed", status_reason: "no such contract" };
          return [
            200,
            { events: [{ event_id: "e", headers: { type: "watcher.status", offset: 3 }, payload }] },
          ];
        }
        const reply = replies[Math.min(count++, replies.length - 1)] ?? "drop";
        return typeof reply === "string" && reply !== "drop"
          ? [200, watcher({ status: reply })]
          : (reply as Reply);
      });
    };

    it("tells each change and ends at the target", async () => {
      const { client } = await walking("pending", "pending", "brand_new", "active");
      const seen: string[] = [];
      const options = {
        ...quick,
        target: "active",
        onStatus: ({ status }: { status: string }) => seen.push(status),
      } as const;
      should((await client.watchers.waitFor(ID, OTHER_ID, options)).status).equal("active");
      should(seen).deepEqual(["pending", "brand_new", "active"]);
    });

    it("counts a stronger status as reached", async () => {
      const { client } = await walking("active");
      should((await client.watchers.waitFor(ID, OTHER_ID, { ...quick, target: "pending" })).status).equal(
        "active",
      );
    });

    it("goes on through trouble of the service and a watcher not yet known", async () => {
      const { client } = await walking(notFound("WATCHER_NOT_FOUND"), "drop", [503, ""], "active");
      should((await client.watchers.waitFor(ID, OTHER_ID, { ...quick, target: "active" })).status).equal(
        "active",
      );
    });

    it("ends when the watcher stays unknown", async () => {
      const { client } = await walking(notFound("WATCHER_NOT_FOUND"));
      const options = { ...quick, target: "active", unknownForMs: 20 } as const;
      should((await errorOf(client.watchers.waitFor(ID, OTHER_ID, options))).code).equal("WATCHER_NOT_FOUND");
    });

    it("ends with the reason when the watcher failed", async () => {
      const { client } = await walking("pending", "failed");
      const error = await errorOf(client.watchers.waitFor(ID, OTHER_ID, { ...quick, target: "active" }));
      should(error.code).equal("WATCHER_FAILED");
      should(error.lastStatus).equal("failed");
      should(error.reason).equal("no such contract");
      should(error.message).match(/no such contract/);
    });

    it("ends when the target is behind", async () => {
      const { client } = await walking("archiving");
      const error = await errorOf(client.watchers.waitFor(ID, OTHER_ID, { ...quick, target: "active" }));
      should(error.code).equal("WATCHER_ARCHIVING");
    });

    it("follows an archiving to its end", async () => {
      const { client } = await walking("archiving", "archived");
      const archived = await client.watchers.waitFor(ID, OTHER_ID, { ...quick, target: "archived" });
      should(archived.status).equal("archived");
    });

    it("ends in time, with the last status", async () => {
      const { client } = await walking("pending");
      const options = { ...quick, target: "active", timeoutMs: 50 } as const;
      const error = await errorOf(client.watchers.waitFor(ID, OTHER_ID, options));
      should(error.code).equal("WAIT_TIMEOUT");
      should(error.lastStatus).equal("pending");
    });

    it("ends at once when aborted or when the client is closed", async () => {
      const { client } = await walking("pending");
      const controller = new AbortController();
      const pollMs = { min: 60_000, max: 60_000 };
      const onStatus = () => setImmediate(() => controller.abort());
      const aborted = client.watchers.waitFor(ID, OTHER_ID, {
        target: "active",
        pollMs,
        onStatus,
        signal: controller.signal,
      });
      should((await errorOf(aborted)).code).equal("ABORTED");
      const onSeen = () => setImmediate(() => void client.close());
      const closed = client.watchers.waitFor(ID, OTHER_ID, { target: "active", pollMs, onStatus: onSeen });
      should((await errorOf(closed)).code).equal("CLIENT_CLOSED");
    });
  });

  describe("events", () => {
    it("reads the forms of other versions", async () => {
      const { client, asked } = await serve(() => [
        200,
        { data: [{ id: "e1", type: "watcher.event", headers: { offset: 7 } }] },
      ]);
      should((await client.events.poll(ID, { offset: 5, type: "watcher.event" })).events).match([
        { event_id: "e1", headers: { type: "watcher.event", offset: 7, proofs: [] }, payload: {} },
      ]);
      should(asked[0]?.query.toString()).equal("offset=5&type=watcher.event");
    });
  });

  describe("any call", () => {
    it("gives status and data, or the error", async () => {
      const { client } = await serve(({ path }) =>
        path === "/v" ? [202, { a: 1 }] : notFound("QUERY_NOT_FOUND"),
      );
      should(await client.request({ method: "GET", path: "/v" })).deepEqual({ status: 202, data: { a: 1 } });
      should((await errorOf(client.request({ method: "GET", path: "/x" }))).code).equal("QUERY_NOT_FOUND");
    });
  });

  it("never show the key", async () => {
    const { client } = await serve(() => [200, {}]);
    should(inspect(client, { depth: 9, showHidden: true })).not.containEql(KEY);
    should(JSON.stringify(client)).not.containEql(KEY);
  });
});
