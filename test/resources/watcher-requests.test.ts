import should from "should";
import type { CreateWatcher } from "../../src/resources/index.ts";
import { errorOf } from "../http/support.ts";
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

  /** As a program without types gives it. */
  const withAbi = (abi: unknown) => ({ ...wanted, abi }) as CreateWatcher;

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

  it("is an event without inputs completed, where the ABI leaves them out", async () => {
    for (const inputs of [undefined, null]) {
      const { client, asked } = await serve();
      await client.watchers.create(ID, withAbi([{ type: "event", name: "Transfer", inputs }]));
      should(asked[0]?.body.abi).deepEqual([
        { type: "event", name: "Transfer", anonymous: false, inputs: [] },
      ]);
    }
  });

  it("takes events only: anything else is refused, and the error says where", async () => {
    const { client, asked } = await serve();
    const event = { type: "event", name: "Transfer", inputs: [] };
    const wrong: Array<[abi: unknown, path: string]> = [
      [[event, { type: "receive", stateMutability: "payable" }], "abi[1]"],
      [[{ type: "function", name: "Transfer", inputs: [], outputs: [] }], "abi[0]"],
      [[null], "abi[0]"],
      [{}, "abi"],
      [[{ ...event, inputs: [null] }], "abi[0].inputs"],
      [[{ ...event, inputs: {} }], "abi[0].inputs"],
      [[event, { ...event, inputs: [{ type: "uint256" }, { type: "tuple[]" }] }], "abi[1].inputs[1]"],
      [
        [{ ...event, inputs: [{ type: "tuple", components: [{ type: "tuple", components: [] }] }] }],
        "abi[0].inputs[0].components[0]",
      ],
    ];
    for (const [abi, path] of wrong) {
      const error = await errorOf(client.watchers.create(ID, withAbi(abi)));
      should(error).match({ name: "ArgumentError", code: "INVALID_ARGUMENT", path });
    }
    should(asked).be.empty();
  });
});
