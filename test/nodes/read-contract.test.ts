import { randomUUID } from "node:crypto";
import should from "should";
import type { Answer, OnChain } from "../../nodes/common/shared/form-types.ts";
import type { RunningService } from "../../service/src/index.ts";
import { CrecClient } from "../../src/index.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import { NodeRed, UserDir } from "../support/node-red.ts";
import { channelNode, connectionNode, contractNode } from "../support/nodes.ts";
import { ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";
import { rpc } from "../support/six-decimals.ts";

const NOBODY = `0x${"12".repeat(20)}`;
const PLACE = { network: "Local anvil", channel: "harness" };

/** What a form learns of a contract from the chain. */
describe("reading a contract from the chain", function () {
  this.timeout(120_000);

  let service: RunningService;
  let proxy: ServiceProxy;
  let userDir: UserDir;
  let nodeRed: NodeRed;

  before(async () => {
    const apiKey = `key-${randomUUID()}`;
    [service, userDir] = await Promise.all([startTestService({ apiKey }), UserDir.make()]);
    proxy = await ServiceProxy.before(service.ready.base_url);
    const client = new CrecClient({ baseUrl: service.ready.base_url, apiKey });
    await client.channels.create({ name: "harness" });
    await client.close();
    nodeRed = await NodeRed.start(userDir, { TEST_SECRET: "for nobody" });
    const config = [
      connectionNode(service.ready, { baseUrl: proxy.baseUrl }),
      connectionNode(service.ready, { id: "no-key", credentials: {} }),
      channelNode(),
      contractNode(service.ready, { connection: "connection" }),
    ];
    await nodeRed.deploy(harnessFlow(config, []));
  });

  after(async () => {
    await nodeRed?.kill();
    await proxy?.close();
    await service?.close();
    await userDir?.remove();
  });

  const read = async (address = "", others: object = {}, path = "read"): Promise<Answer<OnChain>> => {
    const { chain_selector: chainSelector } = service.ready;
    const response = await nodeRed.fetch(`crec/contract/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ connection: "connection", chainSelector, address, ...others }),
    });
    should(response.status).equal(200);
    return (await response.json()) as Answer<OnChain>;
  };
  const sent = (method: string, end: string) =>
    proxy.passed.filter((one) => one.method === method && one.path.endsWith(end)).length;

  it("tells its decimals and its symbol, where it has them", async () => {
    const { DemoToken, Counter } = service.ready.contracts;
    should(await read(DemoToken)).deepEqual({ isContract: true, decimals: 18, symbol: "DEMO", ...PLACE });
    should(await read(Counter)).deepEqual({ isContract: true, ...PLACE });
  });

  it("tells what is no number of decimals apart", async () => {
    const odd = `0x${"25".repeat(20)}`;
    // Returns 255, whatever it is asked.
    await rpc(service.ready.rpc_url, "anvil_setCode", odd, "0x60ff60005260206000f3");
    await rpc(service.ready.rpc_url, "anvil_mine", "0x1");
    should(await read(odd)).deepEqual({ isContract: true, oddDecimals: "255", ...PLACE });
  });

  it("tells that there is none", async () => {
    should(await read(NOBODY)).deepEqual({ isContract: false, ...PLACE });
  });

  it("is done once where only that is asked", async () => {
    proxy.passed.length = 0;
    const { SensorRegistry, DemoToken } = service.ready.contracts;
    for (let times = 0; times < 2; times += 1) {
      should(await read(SensorRegistry, {}, "exists")).deepEqual({ isContract: true, ...PLACE });
    }
    should(sent("POST", "/queries")).equal(1);
    // What another question has shown is remembered as well.
    should(await read(DemoToken, {}, "exists")).deepEqual({ isContract: true, ...PLACE });
    should(sent("POST", "/queries")).equal(1);
  });

  it("needs a channel, and creates none", async () => {
    proxy.passed.length = 0;
    proxy.harm = ({ path, method }) =>
      method === "GET" && path.endsWith("/channels")
        ? { kind: "change", change: () => JSON.stringify({ data: [], has_more: false }) }
        : undefined;
    try {
      const answer = await read(NOBODY);
      should(answer).have.property("code", "CHANNEL_NOT_FOUND");
      should(answer.problem).match(/has no channel yet\. Create one/);
      should(sent("POST", "")).equal(0);
    } finally {
      proxy.harm = () => undefined;
    }
  });

  it("says what is missing, and reads no variable that is not deployed", async () => {
    const codeOf = async (others: object) => {
      const answer = await read(service.ready.contracts.DemoToken, others);
      return answer.problem === undefined ? "" : answer.code;
    };
    should(await codeOf({ connection: "" })).equal("CONNECTION_MISSING");
    should(await codeOf({ connection: "undeployed" })).equal("DEPLOY_FIRST");
    should(await codeOf({ connection: "no-key" })).equal("CONNECTION_INCOMPLETE");
    should(await codeOf({ chainSelector: "" })).equal("CONTRACT_INCOMPLETE");
    should(await codeOf({ chainSelector: "1" })).equal("NETWORK_NOT_FOUND");
    should(await codeOf({ address: "0x12" })).equal("INVALID_ADDRESS");
    should(await codeOf({ id: "contract", address: "${TEST_SECRET}" })).equal("DEPLOY_FIRST");
  });
});
