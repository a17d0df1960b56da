import should from "should";
import { otherReadings } from "../../nodes/create-watcher/other-readings.ts";
import {
  type CreateWatcher,
  type CrecClient,
  eventFragments,
  parseAbi,
  type Watcher,
} from "../../src/index.ts";

const TOKEN = "0xAb00000000000000000000000000000000000001";
const fragments = (abi: string) => eventFragments(parseAbi(abi), ["Paid"]);
const REQUEST: CreateWatcher = {
  ...{ name: "mine", chain_selector: "1", address: TOKEN, events: ["Paid"] },
  abi: fragments("event Paid(address indexed from, uint256 value)"),
};
const OTHER = fragments("event Paid(address from, uint256 indexed value)");

type Listed = { watcher_id: string; [member: string]: unknown };

function service(active: readonly Listed[], archived: readonly Listed[] = []) {
  const calls = { lists: [] as object[], read: [] as string[] };
  const list = async (_channel: string, filter: { status?: string[]; limit: number }) => {
    calls.lists.push(filter);
    const all = filter.status ? archived : active;
    const place = { chain_selector: "1", address: TOKEN.toLowerCase() };
    return { data: all.slice(0, filter.limit).map((one) => ({ ...place, ...one })), has_more: true };
  };
  const get = async (_channel: string, id: string) => {
    calls.read.push(id);
    if (id === "broken") throw new Error("It cannot be read.");
    return { watcher_id: id, abi: OTHER, events: ["Paid"] };
  };
  return { calls, client: { watchers: { list, get } } as unknown as CrecClient };
}

const ask = async (client: CrecClient, request = REQUEST, signal = new AbortController().signal) =>
  (await otherReadings(client, "channel", { request, signal })).map(({ name, reading }) => [
    name,
    reading.text,
  ]);

describe("what create watcher looks for before it creates", () => {
  it("finds watchers of the contract that read its event differently, also archived ones", async () => {
    const { client, calls } = service(
      [
        ...[{ watcher_id: "a", name: "old one" }, { watcher_id: "broken" }],
        ...[
          { watcher_id: "b", address: "0x1" },
          { watcher_id: "c", chain_selector: "2" },
        ],
      ],
      [{ watcher_id: "d" }],
    );
    const text = "Paid(address from, uint256 indexed value)";
    should(await ask(client)).deepEqual([
      ["old one", text],
      ["d", text],
    ]);
    should(calls.read).deepEqual(["a", "broken", "d"]);
    should(calls.lists).match([{ address: TOKEN, chain_selector: "1" }, { status: ["archived"] }]);
    await ask(client);
    should(calls.read.slice(3)).deepEqual(["broken"]);
  });

  it("knows the ABI of a watcher service, of the new watcher and of others", async () => {
    const transfer = (abi: string) => eventFragments(parseAbi(abi), ["Transfer"]);
    const [right, swapped] = [
      transfer("event Transfer(address indexed from, address indexed to, uint256 value)"),
      transfer("event Transfer(address indexed to, address indexed from, uint256 value)"),
    ];
    const { abi: _, ...erc20 } = { ...REQUEST, events: ["Transfer"], service: "erc20" };
    const answer = { chain_selector: "1", address: TOKEN, events: ["Transfer"] };
    const asked = async (other: object, request: CreateWatcher) => {
      const { client } = service([{ watcher_id: "a" }]);
      client.watchers.get = async () => ({ ...answer, watcher_id: "a", ...other }) as unknown as Watcher;
      return ask(client, request);
    };
    should(await asked({ abi: swapped }, erc20)).have.length(1);
    should(await asked({ abi: right }, erc20)).be.empty();
    should(await asked({ service: "erc20" }, { ...erc20, service: undefined, abi: swapped })).have.length(1);
    should(await asked({ service: "other" }, { ...erc20, service: undefined, abi: swapped })).be.empty();
  });

  it("reads at most 20 of however many there are", async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => ({ watcher_id: `w${index}` }));
    const { client, calls } = service(many, many);
    should(await ask(client)).have.length(20);
    should(calls.read).have.length(20);
    should(calls.lists).have.length(2);
  });

  it("reads none where another one has the name, or the ABI is not known", async () => {
    const { client, calls } = service([{ watcher_id: "a", name: " mine " }, { watcher_id: "b" }]);
    should(await ask(client)).be.empty();
    should(calls.read).be.empty();
    const { abi, ...extension } = REQUEST;
    should(await ask(client, { ...extension, service: "other" })).be.empty();
    should(calls.lists).have.length(2);
  });

  it("never rejects: nothing is known where the service does not answer, or answers otherwise", async () => {
    const refusing = { list: async () => Promise.reject(new Error("no")) };
    should(await ask({ watchers: refusing } as unknown as CrecClient)).be.empty();
    const odd = { list: async () => ({ data: [{ watcher_id: "a" }] }), get: async () => null };
    should(await ask({ watchers: odd } as unknown as CrecClient)).be.empty();
    const silent = {
      list: (_channel: string, _filter: object, { signal }: { signal: AbortSignal }) =>
        new Promise((_, reject) => {
          if (signal.aborted) reject(signal.reason);
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    };
    const controller = new AbortController();
    const asked = ask({ watchers: silent } as unknown as CrecClient, REQUEST, controller.signal);
    controller.abort();
    should(await asked).be.empty();
  });
});
