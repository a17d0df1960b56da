import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import should from "should";
import { eventually } from "../../test/support/eventually.ts";
import { NodeCalls } from "../src/chain/node/node-calls.ts";
import { isRefusal, isTooLarge, isUnreachable, NodeBusy } from "../src/chain/node/refusals.ts";
import { BATCH_REFUSALS, type Call, error, LimitedNode } from "./limited-node.ts";

describe("calls of the local service to a node with limits", function () {
  this.timeout(60_000);
  let node: LimitedNode;
  beforeEach(async () => {
    node = await LimitedNode.start(({ params }) => `0x${params[0]}`);
  });
  afterEach(() => node.close());

  /** So many reads in one moment; whether each got its own answer. */
  const readMany = async (calls: NodeCalls, count: number) => {
    const numbers = Array.from({ length: count }, (_, index) => index);
    const answers = await Promise.all(numbers.map((n) => calls.call("eth_getBlockByNumber", [n])));
    should(answers).eql(numbers.map((n) => `0x${n}`));
  };

  it("share a request where they come in the same moment, but for those that act or answer with much", async () => {
    const calls = new NodeCalls(node.url);
    await readMany(calls, 40);
    should(node.sizes()).eql([40]);
    await Promise.all(
      ["eth_sendRawTransaction", "eth_getLogs", "evm_mine"].map((method) => calls.call(method, [1])),
    );
    should(node.sizes(1)).eql([1, 1, 1]);
  });

  for (const [how, refusal] of Object.entries(BATCH_REFUSALS)) {
    it(`pass at a limit of three in a batch that the node tells by ${how}`, async () => {
      const calls = new NodeCalls(node.url);
      node.refuse = (asked) => (asked.length > 3 ? refusal(asked) : undefined);
      // What the node says may have nothing to do with size: what it says again and again is tried.
      for (let tries = 0; tries < 3; tries += 1) await readMany(calls, 30).catch(() => undefined);
      const before = node.asked.length;
      await readMany(calls, 30);
      const sizes = node.sizes(before);
      should(sizes.filter((size) => size > 3).length).be.belowOrEqual(1);
      should(sizes.filter((size) => size === 3).length).be.aboveOrEqual(9);
    });
  }

  it("pass where the node needs longer for many calls than they may take", async () => {
    const calls = new NodeCalls(node.url, { timeoutMs: 300 });
    // The first request of a process takes longer than others.
    await readMany(new NodeCalls(node.url), 1);
    // Much longer or not at all: on a busy machine, what takes 200 ms may take 300.
    node.delay = (asked) => (asked.length > 15 ? 800 : 0);
    for (let tries = 0; tries < 3; tries += 1) await readMany(calls, 40).catch(() => undefined);
    await readMany(calls, 40);
    should(Math.max(...node.sizes().slice(-4))).be.belowOrEqual(15);
  });

  it("are sent in smaller requests only for that reason, and in larger ones again when the node accepts them", async () => {
    const calls = new NodeCalls(node.url);
    const words = [
      "header not found",
      "internal error",
      "execution reverted: batch limit exceeded, rate too high",
    ];
    for (const message of words) {
      const code = message.startsWith("execution") ? 3 : -32603;
      node.edit = (call) => error(call.id, code, message);
      await readMany(calls, 40).should.be.rejectedWith({ details: message });
    }
    node.edit = (_, answer) => answer;
    should(node.sizes()).eql([40, 40, 40]);
    node.refuse = (asked) => (asked.length > 5 ? BATCH_REFUSALS["one object"]?.(asked) : undefined);
    await readMany(calls, 40);
    node.refuse = () => undefined;
    for (let round = 0; round < 8; round += 1) await readMany(calls, 40);
    const before = node.asked.length;
    await readMany(calls, 40);
    should(node.sizes(before)).eql([40]);
  });

  it("get their answers where these are too large together, and fail where a single one is", async () => {
    const calls = new NodeCalls(node.url, { mostBytes: 100_000 });
    const large = "f".repeat(45_000);
    node.edit = ({ id, params }) => ({
      jsonrpc: "2.0",
      id,
      result: params[0] === 9 ? large.repeat(3) : large,
    });
    const numbers = [1, 2, 3];
    const answers = await Promise.all(numbers.map((n) => calls.call("eth_call", [n])));
    should(answers.map((answer) => String(answer).length)).eql([large.length, large.length, large.length]);
    should(node.sizes()[0]).equal(3);
    const refused = await calls.call("eth_call", [9]).catch((thrown: unknown) => thrown);
    should(isTooLarge(refused)).be.true();
  });

  it("wait until the date in Retry-After", async () => {
    const calls = new NodeCalls(node.url);
    const date = new Date(Date.now() + 2_000).toUTCString();
    const asked: number[] = [];
    node.refuse = () => {
      asked.push(Date.now());
      return asked.length === 1 ? { status: 429, headers: { "retry-after": date }, body: "" } : undefined;
    };
    await calls.call("eth_call", [1]);
    // Two clocks are read, in whole milliseconds.
    should(asked[1]).be.aboveOrEqual(Date.parse(date) - 20);
  });

  it("wait while the node limits the rate, and all get their answers", async () => {
    const told: string[] = [];
    const calls = new NodeCalls(node.url, { onTooOften: (says) => told.push(says) });
    const words: Array<
      (asked: Call[]) => { status?: number; headers?: Record<string, string>; body: unknown }
    > = [
      () => ({ status: 429, headers: { "retry-after": "0" }, body: "slow down" }),
      () => ({
        status: 429,
        body: error(null, 429, "Your app has exceeded its compute units per second capacity"),
      }),
      (asked) => ({ body: asked.map(({ id }) => error(id, -32005, "project ID request rate exceeded")) }),
      (asked) => ({
        body: asked.map(({ id }) =>
          id % 2 === 0 ? error(id, -32007, "50/second request limit reached") : { id, result: "0x1" },
        ),
      }),
    ];
    for (const refusal of words) {
      let refused = 0;
      node.refuse = (asked) => {
        refused += 1;
        return refused <= 2 ? refusal(asked) : undefined;
      };
      const answers = await Promise.all([0, 1, 2, 3].map(() => calls.call("eth_getBalance", [1])));
      should(answers).eql(["0x1", "0x1", "0x1", "0x1"]);
      should(refused).be.above(2);
    }
    // Once, and not at each refusal.
    should(told).eql(["no JSON-RPC answer, but status 429 slow down"]);
  });

  it("pass where the node limits calls per time and refuses larger batches", async () => {
    let granted = 0;
    const refill = setInterval(() => {
      granted = 0;
    }, 100);
    node.refuse = (asked) => {
      if (granted + asked.length > 10) return { status: 429, body: "too many requests" };
      granted += asked.length;
      return undefined;
    };
    await readMany(new NodeCalls(node.url), 60).finally(() => clearInterval(refill));
  });

  it("fail when the node refuses everything for too long, and immediately when the service stops", async () => {
    node.refuse = () => ({ status: 429, body: "too many requests" });
    const busy = await new NodeCalls(node.url, { patienceMs: 600 }).call("eth_chainId", []).catch((e) => e);
    should(busy).be.instanceof(NodeBusy);
    should(isUnreachable(busy)).be.true();
    should(isRefusal(busy)).be.false();
    const calls = new NodeCalls(node.url);
    const waiting = calls.call("eth_chainId", []);
    waiting.catch(() => undefined);
    await eventually("four calls", () => node.asked.length >= 4);
    calls.giveUp();
    await waiting.should.be.rejectedWith(/the service is stopping/);
  });

  it("fail where the answer is invalid or incomplete, in time or at a stop", async () => {
    node.edit = () => ({});
    await new NodeCalls(node.url)
      .call("eth_chainId", [])
      .should.be.rejectedWith({ details: "no JSON-RPC answer, but status 200 {}" });
    const slow = createServer((_, response) => response.write('{"jsonrpc":')).listen(0, "127.0.0.1");
    await once(slow, "listening");
    const { port } = slow.address() as AddressInfo;
    const address = `http://127.0.0.1:${port}`;
    const refused = new NodeCalls(address, { timeoutMs: 200 }).call("eth_chainId", []);
    should(await refused.catch((thrown: unknown) => thrown)).have.property("name", "TimeoutError");
    const calls = new NodeCalls(address);
    const waiting = calls.call("eth_chainId", []);
    calls.giveUp();
    await waiting.should.be.rejectedWith(/the service is stopping/);
    slow.close();
    slow.closeAllConnections();
  });

  it("send the user name and password of the node's URL to the node", async () => {
    const asked: Array<string | undefined> = [];
    const server = createServer(({ headers }, response) => {
      asked.push(headers.authorization);
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 0, result: "0x1" }));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new NodeCalls(`http://ada:s%20cret@127.0.0.1:${port}`).call("eth_chainId", []);
    server.close();
    server.closeAllConnections();
    should(asked).eql([`Basic ${Buffer.from("ada:s cret").toString("base64")}`]);
  });
});
