import { fileURLToPath } from "node:url";
import should from "should";
import type { Choices, Problem } from "../../nodes/common/shared/form-types.ts";
import type { RunningService } from "../../service/src/index.ts";
import { CrecClient } from "../../src/index.ts";
import { type Borrowed, ownNodeRed } from "../support/borrowed-node-red.ts";
import { eventually } from "../support/eventually.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "../support/nodes.ts";
import { value, walletNode } from "../support/operation-nodes.ts";
import { type Passing, ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";
import { itWide } from "../support/wide.ts";

const guarded = fileURLToPath(new URL("admin-auth-settings.cjs", import.meta.url));

type Told = { status: number; retryAfter: string | null; body: Partial<Choices & Problem> };

/** Forms and sidebars of people who may not change anything, beside a flow that reads. */
describe("a user who may only read", function () {
  this.timeout(120_000);

  let service: RunningService;
  /** With 60 requests a minute; with no budget; and the same service again. */
  let budgeted: ServiceProxy;
  let free: ServiceProxy;
  let node: Borrowed;

  before(async () => {
    service = await startTestService();
    const { base_url: baseUrl, api_key: apiKey } = service.ready;
    const client = new CrecClient({ baseUrl, apiKey });
    await client.channels.create({ name: "harness" });
    await client.close();
    [budgeted, free] = await Promise.all([ServiceProxy.before(baseUrl), ServiceProxy.before(baseUrl)]);
    node = await ownNodeRed({}, { settings: guarded, token: "admin" });
  });

  after(async () => {
    await node?.giveBack();
    await Promise.all([budgeted?.close(), free?.close()]);
    await service?.close();
  });

  const deploy = (more: readonly FlowNode[] = []) =>
    node.nodeRed.deploy(
      harnessFlow(
        [
          connectionNode(service.ready, { name: "Main", baseUrl: budgeted.baseUrl, requestsPerMinute: "60" }),
          connectionNode(service.ready, { id: "free", name: "Free", baseUrl: free.baseUrl }),
          connectionNode(service.ready, { id: "alias", name: "Alias", baseUrl: free.baseUrl }),
          channelNode(),
          channelNode({ id: "free-channel", connection: "free" }),
          walletNode(service.ready, { id: "purse", connection: "free", wallet: "savings", signer: "" }),
          ...more,
        ],
        [[eventsInNode({ pollMin: "0.2", pollMax: "0.2" }), 1]],
      ),
    );
  const as = async (who: string, path: string, body?: object): Promise<Told> => {
    const response = await node.nodeRed.fetch(`crec/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${who}`,
        "accept-language": "en",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const retryAfter = response.headers.get("retry-after");
    return { status: response.status, retryAfter, body: (await response.json()) as Told["body"] };
  };
  let number = 0;
  /** Look-ups of what nobody has asked for. */
  const press = (who: string, count: number, connection: string): Promise<Told[]> =>
    Promise.all(
      Array.from({ length: count }, () => {
        number += 1;
        return as(who, `lookup/channels/${connection}?text=name-${number}&any=${number}`);
      }),
    );
  const isPoll = ({ path }: Passing) => path.endsWith("/events");
  const isAnswered = ({ status }: Told) => status === 200;

  it("takes a quarter of a budget at most, behind the polls of a reader", async () => {
    await deploy();
    await eventually("polls", () => budgeted.passed.filter(isPoll).length > 2);
    const before = budgeted.passed.length;
    const asked = [
      ...[1, 2, 3, 4, 5, 6].map(() => as("reader", "monitor/refresh", {})),
      press("reader", 30, "connection"),
      press("looker", 30, "connection"),
    ];
    const told = (await Promise.all(asked)).flat();
    const since = budgeted.passed.slice(before);
    const polls = since.filter(isPoll);
    const others = since.filter((passing) => !isPoll(passing));
    should(others.length).be.within(1, 15);
    // They take turns, as far as the burst of five seconds is not used up.
    should(polls.length).be.aboveOrEqual(others.length - 6);
    const refused = told.filter(({ status }) => status === 429);
    should(refused.length).be.aboveOrEqual(45);
    for (const { retryAfter, body } of refused) {
      should(Number(retryAfter)).be.within(1, 60);
      should(body.code).equal("READ_LIMIT");
      should(body.problem).match(/of the connection "Main": 15 in 60 s\. Wait \d+ s, then try again\.$/);
    }
  });

  itWide(
    "gets 15 a minute where there is no budget, by each connection, and others are not limited",
    async () => {
      await deploy();
      const first = await as("reader", "lookup/channels/free");
      should(first.body.choices).have.length(1);
      const before = free.passed.length;
      should((await press("reader", 20, "free")).filter(isAnswered)).have.length(14);
      should((await press("looker", 20, "free")).filter(isAnswered)).be.empty();
      should(free.passed.length - before).equal(14);
      should((await press("looker", 20, "alias")).filter(isAnswered)).have.length(15);
      // What was answered within five seconds is there, for all.
      for (const who of ["reader", "keeper"]) {
        should((await as(who, "lookup/channels/free?any=other")).body).deepEqual(first.body);
      }
      should(free.passed.length - before).equal(29);
      for (const who of ["keeper", "admin"]) {
        should((await press(who, 20, "free")).filter(isAnswered)).have.length(20);
      }
    },
  );

  it("is told so also by what has other ways to tell what is wrong, in the language of the form", async () => {
    await deploy();
    await press("looker", 20, "free");
    const wallets = [{ id: "a", connection: "free", wallet: "treasury" }];
    const key = { address: `0x${"11".repeat(20)}` };
    // Known wallets, and the id of the channel, would be asked for.
    for (const [path, body] of [
      ["monitor/refresh", {}],
      ["signer/wallets", { key, wallets }],
      ["lookup/addresses/free"],
      ["lookup/watchers/free-channel"],
    ] as const) {
      should(await as("reader", path, body)).match({ status: 429, body: { code: "READ_LIMIT" } }, path);
      should((await as("admin", path, body)).status).equal(200, path);
    }
    const data = { kind: "raw", to: value(`0x${"22".repeat(20)}`), data: value(""), amount: value("1") };
    const { chain_selector: chainSelector } = service.ready;
    const wallet = { id: "purse", wallet: "savings", chainSelector, connection: "free" };
    const preview = await as("reader", "operation/preview", { source: "form", calls: [data], wallet });
    should(preview.body).match({ why: /of the connection "Free": 15 in 60 s/ });
    const headers = { authorization: "Bearer reader", "accept-language": "de" };
    const german = await node.nodeRed.fetch("crec/lookup/networks/free?text=x", { headers });
    should(((await german.json()) as Problem).problem).startWith("Benutzer ohne die Berechtigung crec.write");
  });

  it("creates no channel by opening a list", async () => {
    await deploy([
      connectionNode(service.ready, { id: "spare", name: "Spare", baseUrl: free.baseUrl }),
      channelNode({ id: "missing", connection: "spare", channel: "not-there", createMissing: true }),
    ]);
    free.passed.length = 0;
    const isCreated = ({ method }: Passing) => method === "POST";
    should((await as("looker", "lookup/watchers/missing")).body).have.property("code", "CHANNEL_NOT_FOUND");
    should(free.passed.filter(isCreated)).be.empty();
    should((await as("admin", "lookup/watchers/missing")).body).have.property("choices");
    should(free.passed.filter(isCreated)).have.length(1);
  });
});
