import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import should from "should";
import type { Answer, Choices, Problem, Tested } from "../../nodes/common/shared/form-types.ts";
import type { RunningService } from "../../service/src/index.ts";
import { CrecClient } from "../../src/index.ts";
import { ask, harnessFlow } from "../support/flow-harness.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import { channelNode, connectionNode, contractNode, createWatcherNode } from "../support/nodes.ts";
import { ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";
import { sized } from "../support/variants.ts";

const KEY = `key-${randomUUID()}`;
const WRONG_KEY = `wrong-${randomUUID()}`;
/** What the editor has in place of a stored password. */
const STORED = "__PWRD__";

const KINDS = [
  ...["networks", "channels", "wallets", "wallet-ids", "contract-network"],
  ...["watchers", "watcher-ids", "watcher-events", "levels", "operations", "queries"],
];

/** What forms ask of a running Node-RED: lists to pick from, and whether a connection works. */
describe("the endpoints behind the forms", function () {
  this.timeout(120_000);

  let service: RunningService;
  /** With more channels than a list has room for. */
  let crowded: RunningService;
  let proxy: ServiceProxy;
  let userDir: UserDir;
  let nodeRed: NodeRed;
  const answers: string[] = [];

  before(async () => {
    [service, crowded, userDir] = await Promise.all([
      startTestService({ apiKey: KEY }),
      startTestService({ apiKey: KEY }),
      UserDir.make(),
    ]);
    proxy = await ServiceProxy.before(service.ready.base_url);
    nodeRed = await NodeRed.start(userDir, { TEST_BASE_URL: service.ready.base_url, TEST_KEY: KEY });
    await nodeRed.deploy(flows());
    await ask(nodeRed, "watcher", {});
  });

  after(async () => {
    await nodeRed?.kill();
    await proxy?.close();
    await Promise.all([service?.close(), crowded?.close()]);
    await userDir?.remove();
  });

  afterEach(() => {
    const captured = [...answers, nodeRed.heard, nodeRed.log].join("\n");
    for (const key of [KEY, WRONG_KEY]) should(captured.includes(key)).be.false();
  });

  const flows = (): FlowNode[] =>
    harnessFlow(
      [
        connectionNode(service.ready),
        connectionNode(service.ready, { id: "wrong-key", credentials: { apiKey: WRONG_KEY } }),
        connectionNode(service.ready, { id: "no-key", credentials: {} }),
        connectionNode(service.ready, { id: "no-url", baseUrl: "" }),
        connectionNode(service.ready, { id: "down", baseUrl: "http://127.0.0.1:1/v1", timeout: "10" }),
        connectionNode(service.ready, {
          ...{ id: "by-environment", baseUrl: "${TEST_BASE_URL}", graphqlUrl: "" },
          credentials: { apiKey: "${TEST_KEY}" },
        }),
        connectionNode(service.ready, { id: "with-levels", baseUrl: proxy.baseUrl }),
        connectionNode(crowded.ready, { id: "crowded" }),
        channelNode({ id: "channel-with-levels", connection: "with-levels" }),
        channelNode({ createMissing: true }),
        channelNode({ id: "no-such-channel", channel: "nowhere" }),
        channelNode({ id: "nameless", channel: "" }),
        channelNode({ id: "unconnected", connection: "" }),
        channelNode({ id: "refused", connection: "wrong-key" }),
        contractNode(service.ready),
        contractNode(service.ready, { id: "bad-address", address: "0x12" }),
      ],
      [[createWatcherNode(), 2]],
    );

  const look = async (kind: string, id: string, typed = ""): Promise<Answer<Choices>> => {
    const response = await nodeRed.fetch(`crec/lookup/${kind}/${id}${typed && `?text=${typed}`}`);
    should(response.status).equal(200);
    const text = await response.text();
    answers.push(text);
    return JSON.parse(text) as Answer<Choices>;
  };
  const lookUp = async (kind: string, id: string, typed?: string) => {
    const answer = await look(kind, id, typed);
    if (answer.problem !== undefined) throw new Error(answer.problem);
    return answer.choices;
  };
  /** Answers are kept for five seconds, or until a deploy. */
  const lookUpAnew = async (kind: string, id: string, typed?: string) => {
    await nodeRed.deploy(flows(), "nodes");
    return lookUp(kind, id, typed);
  };
  /** Asks the service itself. */
  const call = async (path: string, body?: unknown, of = service): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Apikey ${KEY}`, "content-type": "application/json" };
    const init = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
    return (await (await fetch(`${of.ready.base_url}/${path}`, init)).json()) as Record<string, unknown>;
  };
  /** The wallet "purse", made by the first test that needs it. */
  let purse: Promise<string> | undefined;
  const walletId = () => {
    purse ??= call("wallets", {
      ...{ name: "purse", wallet_owner_address: service.ready.contracts.DemoToken, wallet_type: "ecdsa" },
      chain_selector: service.ready.chain_selector,
    }).then(({ wallet_id }) => String(wallet_id));
    return purse;
  };
  const deployedWallet = async (): Promise<string> => {
    const client = new CrecClient({ baseUrl: service.ready.base_url, apiKey: KEY });
    const deployed = await client.wallets.waitFor(await walletId(), { target: "deployed" });
    await client.close();
    return deployed.address;
  };
  const test = async (body: Record<string, unknown>): Promise<Partial<Tested & Problem>> => {
    const response = await nodeRed.fetch("crec/connection/test", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    should(response.status).equal(200);
    const text = await response.text();
    answers.push(text);
    return JSON.parse(text) as Partial<Tested & Problem>;
  };

  describe("look-ups", () => {
    it("offer a connection's networks and channels", async () => {
      const networks = await lookUp("networks", "connection");
      should(networks.map(({ value }) => value)).containEql(service.ready.chain_selector);
      should(await lookUp("channels", "connection")).deepEqual([
        { value: "harness", label: "harness", detail: "active" },
      ]);
      should(await lookUp("channels", "by-environment")).have.length(1);
    });

    it("offer a channel's watchers, by name or by id", async () => {
      should(await lookUp("watchers", "channel")).match([
        { value: "harness-transfers", label: "harness-transfers", detail: "active" },
      ]);
      const [watcher] = await lookUp("watcher-ids", "channel");
      should(watcher?.value).match(/^[0-9a-f-]{36}$/);
      should(watcher?.label).equal("harness-transfers");
    });

    it("offer the events of a channel's watchers, by signature where several have one name; not of archived ones", async () => {
      const [channel] = ((await call("channels")) as { data: Array<{ channel_id: string }> }).data;
      const path = `channels/${channel?.channel_id}/watchers`;
      should(await lookUp("watcher-events", "channel")).deepEqual([
        { value: "Transfer", label: "Transfer", detail: "harness-transfers" },
      ]);
      const event = (name: string, ...types: string[]) => ({
        ...{ type: "event", name, anonymous: false },
        inputs: types.map((type) => ({ name: "", type, internalType: type, indexed: false })),
      });
      const { chain_selector, contracts } = service.ready;
      const { watcher_id } = await call(path, {
        ...{ name: "others", chain_selector, address: contracts.DemoToken, events: ["Transfer", "Paid"] },
        abi: [event("Transfer", "address"), event("Paid", "uint256")],
      });
      const client = new CrecClient({ baseUrl: service.ready.base_url, apiKey: KEY });
      try {
        const offered = async () =>
          (await lookUpAnew("watcher-events", "channel")).map(({ value, detail }) => [value, detail]);
        should(await offered()).deepEqual([
          ["Paid", "others"],
          ["Transfer(address,address,uint256)", "harness-transfers"],
          ["Transfer(address)", "others"],
        ]);
        await client.watchers.waitFor(String(channel?.channel_id), String(watcher_id), { target: "active" });
        await client.watchers.archive(String(channel?.channel_id), String(watcher_id));
        await client.watchers.waitFor(String(channel?.channel_id), String(watcher_id), {
          target: "archived",
        });
        should(await offered()).deepEqual([["Transfer", "harness-transfers"]]);
      } finally {
        await client.close();
      }
      should(await lookUp("levels", "channel")).deepEqual([{ value: "finalized", label: "finalized" }]);
    });

    it("offer wallets by name or by id, each with its status and address", async () => {
      const id = await walletId();
      const [byName] = await lookUp("wallets", "connection");
      const [byId] = await lookUp("wallet-ids", "connection");
      should(byName).have.properties({ value: "purse", label: "purse" });
      should(byId).have.properties({ value: id, label: "purse" });
      for (const choice of [byName, byId]) should(choice?.detail).match(/^\w+(, 0x\w{40})?$/);
    });

    it("offer a channel's queries and operations, with status and time", async () => {
      const [channel] = ((await call("channels")) as { data: Array<{ channel_id: string }> }).data;
      const path = `channels/${channel?.channel_id}`;
      const contract = service.ready.contracts.DemoToken;
      const { query_id } = await call(`${path}/queries`, {
        ...{ idempotency_key: "one", query_kind: "evm_call", chain_selector: service.ready.chain_selector },
        params: { contract_address: contract, call_data: "0x18160ddd", block_selection: { type: "latest" } },
      });
      const { operation_id } = await call(`${path}/operations`, {
        ...{ chain_selector: service.ready.chain_selector, address: await deployedWallet(), deadline: 0 },
        ...{ wallet_operation_id: "1", transactions: [{ to: contract, value: "0", data: "0x" }] },
      });
      const time = / \d{4}-\d\d-\d\d \d\d:\d\d$/;
      const [query] = await lookUp("queries", "channel");
      should(query).match({ value: query_id, detail: /^\w+,/ });
      should(query?.detail).match(time);
      const [operation] = await lookUp("operations", "channel");
      should(operation).match({ value: operation_id, detail: /^waits for approval,/ });
      should(operation?.detail).match(time);
    });

    it("offer the addresses of contracts and wallets by name, of a connection or a channel", async () => {
      const { DemoToken: token } = service.ready.contracts;
      const wallet = await deployedWallet();
      for (const id of ["connection", "channel"]) {
        const choices = await lookUp("addresses", id);
        const named = (address = "") => choices.filter(({ value }) => value === address);
        const chainSelector = service.ready.chain_selector;
        should(named(token)).match([{ detail: "contract on Local anvil", chainSelector }]);
        should(named(wallet)).match([{ label: "purse", detail: "wallet on Local anvil", chainSelector }]);
        should(choices.filter(({ value }) => value === "0x12")).be.empty();
      }
      // Without a service that answers, what is known here is offered.
      should((await lookUp("addresses", "undeployed")).map(({ value }) => value)).deepEqual([token]);
    });

    it("offer a wallet without a name by its address", async () => {
      const wallet = await deployedWallet();
      proxy.harm = ({ path }) =>
        path.endsWith("/wallets")
          ? { kind: "change", change: (body) => body.replaceAll('"name":"purse"', '"name":""') }
          : undefined;
      try {
        should(await lookUpAnew("wallets", "with-levels")).match([{ value: wallet, label: wallet }]);
        should(await lookUp("wallet-ids", "with-levels")).match([{ value: await walletId(), label: wallet }]);
        const addresses = await lookUp("addresses", "with-levels");
        should(addresses.find(({ value }) => value === wallet)?.label).equal(wallet);
      } finally {
        proxy.harm = () => undefined;
        proxy.passed.length = 0;
      }
    });

    it("say at which level blocks are reported, where the service says it", async () => {
      const level = (name: string, value: unknown) => (body: string) => {
        const { data, ...page } = JSON.parse(body) as { data: object[] };
        return JSON.stringify({ ...page, data: data.map((one) => ({ ...one, [name]: value })) });
      };
      const serve = (value: unknown) => {
        proxy.harm = ({ path }) => {
          if (path.endsWith("/channels")) return undefined;
          const name = path.endsWith("/networks") ? "default_confidence_level" : "confidence_level";
          return { kind: "change", change: level(name, value) };
        };
      };
      const { chain_selector } = service.ready;
      await walletId();
      const kinds = [
        ["networks", "with-levels", ""],
        ["wallets", "with-levels", ""],
        ["watchers", "channel-with-levels", ""],
        ["contract-network", "with-levels", "contract"],
      ] as const;
      try {
        serve("finalized");
        for (const [kind, id, typed] of kinds) {
          const choices = await lookUp(kind, id, typed);
          should(choices).not.be.empty();
          for (const { note } of choices) should(note).equal("reports blocks at: finalized", kind);
        }
        const [its, ...others] = await lookUp("contract-network", "with-levels", "contract");
        should(its).have.property("value", chain_selector);
        should(others).be.empty();
        // As a service may send it that does not know the level.
        for (const nothing of ["", null, undefined, 7]) {
          serve(nothing);
          for (const [kind, id, typed] of kinds) {
            for (const choice of await lookUpAnew(kind, id, typed)) should(choice).not.have.property("note");
          }
        }
        should(await look("contract-network", "with-levels", "undeployed")).have.property("undeployed", true);
      } finally {
        proxy.harm = () => undefined;
        proxy.passed.length = 0;
      }
    });

    it("offer nothing for what is not deployed, or is of another type, and say so", async () => {
      const nothing = { choices: [], undeployed: true };
      for (const kind of KINDS) {
        for (const id of ["undeployed", "watcher", "__proto__"]) {
          should(await look(kind, id)).deepEqual(nothing);
        }
      }
      should(await look("networks", "channel")).deepEqual(nothing);
      should(await look("watchers", "connection")).deepEqual(nothing);
    });

    it("say why they have nothing to offer for what is broken", async () => {
      const why = async (kind: string, id: string, code: string) => {
        const { problem, ...rest } = (await look(kind, id)) as Problem;
        should(rest).deepEqual({ code }, `${id}: ${problem}`);
        should(problem).match(/^\S.*[.]/s);
      };
      await why("channels", "wrong-key", "KEY_REFUSED");
      await why("channels", "no-key", "CONNECTION_INCOMPLETE");
      await why("wallets", "no-url", "CONNECTION_INCOMPLETE");
      await why("networks", "down", "SERVICE_UNREACHABLE");
      await why("watchers", "no-such-channel", "CHANNEL_NOT_FOUND");
      await why("watcher-ids", "nameless", "CHANNEL_INCOMPLETE");
      await why("operations", "unconnected", "CONNECTION_MISSING");
      await why("queries", "refused", "KEY_REFUSED");
    });

    it("know no other kind", async () => {
      for (const kind of ["secrets", "constructor", "__proto__"]) {
        should(await look(kind, "connection")).have.property("code", "INVALID_REQUEST");
      }
    });

    it("find by its name what a list has no room for, and tell that the list was cut", async () => {
      const names = Array.from({ length: 205 }, (_, index) => `crowd ${String(index).padStart(3, "0")}`);
      for (const name of names) await call("channels", { name }, crowded);
      const all = (await look("channels", "crowded")) as Choices;
      should(all.choices).have.length(200);
      should(all).have.property("cut", true);
      const beyond = names.find((name) => !all.choices.some(({ value }) => value === name));
      should(await look("channels", "crowded", String(beyond))).deepEqual({
        choices: [{ value: beyond, label: beyond, detail: "active" }],
      });
      should(await look("channels", "crowded", "nobody")).deepEqual({ choices: [] });
      await walletId();
      should(await lookUp("wallets", "connection", "PUR")).match([{ value: "purse" }]);
      should(await lookUp("wallet-ids", "connection", await deployedWallet())).match([{ label: "purse" }]);
      should(await lookUp("watchers", "channel", "transf")).match([{ value: "harness-transfers" }]);
      should(await lookUp("watchers", "channel", "nobody")).be.empty();
    });
  });

  describe("what an ABI offers", () => {
    const post = async (path: string, body: unknown): Promise<unknown> => {
      const response = await nodeRed.fetch(`crec/abi/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      should(response.status).equal(200);
      return response.json();
    };

    it("is told before the first deploy, with all that a form needs", async () => {
      const abi = [
        "function pay((address to, uint256 value)[] parts) payable",
        "function count() view returns (uint256)",
        "event Paid(address indexed from, uint256 value)",
      ].join("\n");
      const parts = [
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
      ];
      should(await post("functions", { id: "new", abi })).deepEqual({
        found: [
          {
            name: "pay",
            signature: "pay((address,uint256)[])",
            inputs: [{ name: "parts", type: "tuple[]", components: parts }],
            stateMutability: "payable",
          },
          { name: "count", signature: "count()", inputs: [], stateMutability: "view" },
        ],
      });
      const events = (await post("events", { id: "new", abi })) as { found: unknown[] };
      should(events.found).match([{ name: "Paid", signature: "Paid(address,uint256)" }]);
    });

    it("or what is wrong with it, while it is being typed", async () => {
      for (const abi of ["event Transfer(", "[", ""]) {
        for (const path of ["functions", "events"]) {
          const answer = (await post(path, { id: "new", abi })) as { problem: string };
          should(answer).not.have.property("found");
          should(answer.problem).match(/ABI/);
        }
      }
    });

    it("and whether a value fits, reading no variable", async () => {
      const question = { name: "amount", type: "uint256", valueType: "str" };
      should(await post("check", { ...question, value: "1.5", unit: "token", decimals: 6 })).deepEqual({
        ...{ smallest: "1500000", tokens: "1.5" },
      });
      should(await post("check", { ...question, value: "-1" })).match({ problem: /^amount must fit/ });
      should(await post("check", { ...question, value: "${TEST_KEY}" })).deepEqual({});
    });
  });

  describe("the test of a connection", () => {
    const refused = async (body: Record<string, unknown>, code: string) => {
      const answer = await test(body);
      should(answer).have.property("code", code);
      should(answer.problem).match(/^[A-Z0-9].*[.]( It said: .*)?$/s);
    };

    it("succeeds with a key just typed, before anything is deployed", async () => {
      const { networks } = await test({ id: "new", baseUrl: service.ready.base_url, apiKey: KEY });
      should(networks?.map(({ chainSelector }) => chainSelector)).containEql(service.ready.chain_selector);
    });

    it("succeeds with the stored key at the stored address", async () => {
      for (const apiKey of ["", STORED]) {
        const answer = await test({ id: "connection", baseUrl: service.ready.base_url, apiKey });
        should(answer).have.property("networks");
      }
    });

    it("takes from the environment what is deployed with it, and nothing else", async () => {
      const stored = { id: "by-environment", baseUrl: "${TEST_BASE_URL}", apiKey: STORED };
      should(await test(stored)).have.property("networks");
      await refused({ id: "new", baseUrl: "${TEST_BASE_URL}", apiKey: KEY }, "DEPLOY_FIRST");
      await refused({ id: "by-environment", baseUrl: "${TEST_KEY}", apiKey: STORED }, "DEPLOY_FIRST");
      await refused({ id: "new", baseUrl: proxy.baseUrl, apiKey: "${TEST_KEY}" }, "DEPLOY_FIRST");
      should(proxy.passed).be.empty();
    });

    it("lets nobody read a variable through an ABI", async () => {
      const response = await nodeRed.fetch("crec/abi/functions", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ id: "contract", abi: "${TEST_KEY}" }),
      });
      const answer = (await response.json()) as { found?: unknown; problem: string };
      should(answer).not.have.property("found");
      should(answer.problem).match(/^What \$\{TEST_KEY\} stands for is known once this is deployed/);
      should(answer.problem).not.containEql(KEY);
    });

    it("says that a key is wrong", () =>
      refused({ id: "new", baseUrl: service.ready.base_url, apiKey: WRONG_KEY }, "KEY_REFUSED"));

    it("says that a service cannot be reached", () =>
      refused({ id: "new", baseUrl: "http://127.0.0.1:1/v1", apiKey: KEY }, "SERVICE_UNREACHABLE"));

    it("says that an address is none", async () => {
      await refused({ id: "new", baseUrl: "crec", apiKey: KEY }, "INVALID_ARGUMENT");
      await refused({ id: "new", baseUrl: "", apiKey: KEY }, "INVALID_ARGUMENT");
    });

    it("never sends a stored key to another address", async () => {
      for (const apiKey of ["", STORED]) {
        await refused({ id: "connection", baseUrl: proxy.baseUrl, apiKey }, "KEY_MISSING");
      }
      should(proxy.passed).be.empty();
    });

    it("asks for a key where none is stored", async () => {
      await refused({ id: "undeployed", baseUrl: service.ready.base_url, apiKey: "" }, "KEY_MISSING");
      await refused({ id: "no-key", baseUrl: service.ready.base_url, apiKey: STORED }, "KEY_MISSING");
      await refused({ id: "channel", baseUrl: service.ready.base_url }, "KEY_MISSING");
    });

    it("survives what no form sends", async () => {
      for (const body of [{}, { id: 1, baseUrl: [], apiKey: {} }, { id: "__proto__" }]) {
        should(await test(body)).have.property("problem");
      }
      const bare = await nodeRed.fetch("crec/connection/test", { method: "POST" });
      should(await bare.json()).have.property("problem");
      should(nodeRed.running).be.true();
    });
  });

  describe("where Node-RED asks who is there", () => {
    let guardedDir: UserDir;
    let guarded: NodeRed;

    before(async () => {
      guardedDir = await UserDir.make();
      const settings = fileURLToPath(new URL("admin-auth-settings.cjs", import.meta.url));
      guarded = await NodeRed.start(guardedDir, {}, { settings, token: "admin" });
      await guarded.deploy([connectionNode(service.ready)]);
    });

    after(async () => {
      await guarded?.kill();
      await guardedDir?.remove();
    });

    const as = (who: string | undefined, path: string, body?: unknown) =>
      guarded.fetch(path, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          "content-type": "application/json",
          ...(who === undefined ? {} : { Authorization: `Bearer ${who}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const lookUpAs = (who?: string, kind = "networks") => as(who, `crec/lookup/${kind}/connection`);
    const testAs = (who?: string) =>
      as(who, "crec/connection/test", { id: "connection", baseUrl: service.ready.base_url, apiKey: STORED });

    it("a stranger may nothing", async () => {
      for (const who of [undefined, "nobody"]) {
        for (const kind of KINDS) should((await lookUpAs(who, kind)).status).equal(401);
        should((await testAs(who)).status).equal(401);
        should((await as(who, "crec/diagnostics")).status).equal(401);
      }
    });

    it("who may read may look up, but not test", async () => {
      const response = await lookUpAs("reader");
      should(response.status).equal(200);
      should(await response.json()).not.be.empty();
      should((await testAs("reader")).status).equal(401);
      should((await as("reader", "crec/diagnostics")).status).equal(200);
    });

    it("who may write may test", async () => {
      const response = await testAs("admin");
      should(response.status).equal(200);
      should(await response.json()).have.property("networks");
    });
  });

  describe("all of them", () => {
    /** What forms send, with anything at all in its places. */
    const anything = fc.oneof(
      fc.array(fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.record(
        {
          ...{ id: fc.jsonValue(), abi: fc.jsonValue(), name: fc.jsonValue(), value: fc.jsonValue() },
          type: fc.oneof(fc.constantFrom("uint256", "tuple", "tuple[]", "bytes32"), fc.jsonValue()),
          valueType: fc.oneof(fc.constantFrom("str", "json", "num"), fc.jsonValue()),
          unit: fc.oneof(fc.constant("token"), fc.jsonValue()),
          decimals: fc.oneof(fc.integer(), fc.jsonValue()),
          components: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
          calls: fc.array(
            fc.oneof(fc.record({ kind: fc.constant("raw"), to: fc.jsonValue() }), fc.jsonValue()),
          ),
          ...{ contracts: fc.dictionary(fc.string(), fc.jsonValue()), wallet: fc.jsonValue() },
          source: fc.constantFrom("form", "message"),
          transactions: fc.oneof(fc.json(), fc.jsonValue()),
          ...{ transactionsType: fc.constantFrom("json", "msg"), deadline: fc.jsonValue() },
          ...{ apiKey: fc.jsonValue(), orgId: fc.jsonValue(), creTenantId: fc.jsonValue() },
          ...{ workflowOwner: fc.jsonValue(), privateKey: fc.jsonValue(), to: fc.jsonValue() },
        },
        { requiredKeys: [] },
      ),
    );

    for (const path of [
      ...[
        "abi/functions",
        "abi/events",
        "abi/check",
        "contract/read",
        "contract/exists",
        "operation/preview",
        "operation/decimals",
        "connection/test",
      ],
      ...["connection/owner", "signer/address", "signer/generate", "events-in/x/seek", "events-in/x/cursor"],
    ]) {
      it(`answer ${path} in JSON, and in words what is wrong, whatever is sent`, () =>
        fc.assert(
          fc.asyncProperty(anything, async (body) => {
            const response = await nodeRed.fetch(`crec/${path}`, {
              ...{ method: "POST", headers: { "content-type": "application/json" } },
              body: JSON.stringify(body),
            });
            should(response.status).equal(200);
            const { problem, code } = (await response.json()) as Partial<Problem>;
            should(code).not.equal("INTERNAL_ERROR");
            if (problem === undefined) return;
            should(code).match(/^[A-Z_]+$/);
            should(problem).match(/^\S.*[.)]( It has: .*)?$/s);
            should(problem).not.match(/Cannot read|is not a function|is not iterable|undefined/);
          }),
          // Not even text can be made of the last.
          {
            numRuns: sized(15, 100),
            examples: [[{ id: { toString: false }, baseUrl: { toString: false } }]],
          },
        ));
    }

    // This is checked after each test too.
    it("never echo a key", async () => {
      const before = answers.length;
      const ids = ["connection", "wrong-key", "by-environment", "channel", "refused"];
      for (const kind of KINDS) for (const id of ids) await look(kind, id);
      for (const apiKey of [KEY, WRONG_KEY, STORED, "${TEST_KEY}"]) {
        for (const id of ["new", ...ids]) await test({ id, baseUrl: service.ready.base_url, apiKey });
      }
      const captured = [...answers, nodeRed.heard, nodeRed.log].join("\n");
      should(answers.length).be.above(before);
      for (const key of [KEY, WRONG_KEY]) should(captured.includes(key)).be.false();
    });
  });
});
