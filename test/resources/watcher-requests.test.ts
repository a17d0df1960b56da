import should from "should";
import type { CreateWatcher } from "../../src/resources/index.ts";
import { ADDRESS, type Asked, CHAIN, conflict, ID, OTHER_ID, page, startFakeService } from "./support.ts";

describe("what is sent about watchers", () => {
  const open: Array<Awaited<ReturnType<typeof startFakeService>>> = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });

  const wanted: CreateWatcher = {
    name: "demo watcher",
    chain_selector: CHAIN,
    address: ADDRESS,
    events: ["Transfer"],
    abi: [{ type: "event", name: "Transfer", inputs: [] }],
  };

  /** A service that stores names without the spaces around them, and each name once. */
  const serve = async () => {
    let stored: Record<string, unknown> | undefined;
    const service = await startFakeService(({ method, path, query, body }: Asked) => {
      const name = String(body.name ?? query.get("name") ?? "").trim();
      if (method === "POST" && stored) return conflict("WATCHER_ALREADY_EXISTS");
      if (method === "POST")
        stored = { watcher_id: OTHER_ID, status: "active", created_at: 1, ...body, name };
      else if (method === "PATCH") stored = { ...stored, name };
      else if (path.endsWith("/watchers")) return query.get("name") === stored?.name ? page(stored) : page();
      return [method === "POST" ? 201 : 200, stored];
    });
    open.push(service);
    return service;
  };

  it("is a name without the spaces around it, so that createOrFind finds it again", async () => {
    const { client, asked } = await serve();
    const spaced = { ...wanted, name: " demo watcher " };
    should((await client.watchers.createOrFind(ID, spaced)).found).be.false();
    const { watcher, found } = await client.watchers.createOrFind(ID, spaced);
    should([watcher.name, found]).deepEqual(["demo watcher", true]);
    should(await client.watchers.findByName(ID, "demo watcher\t")).have.property("watcher_id", OTHER_ID);
    await client.watchers.update(ID, OTHER_ID, { name: " renamed " });
    const sent = asked.flatMap(({ body, query }) => [body.name ?? query.get("name")].filter(Boolean));
    should(sent).deepEqual(["demo watcher", "demo watcher", "demo watcher", "demo watcher", "renamed"]);
  });
});
