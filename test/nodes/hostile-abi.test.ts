import { randomUUID } from "node:crypto";
import should from "should";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import { harnessFlow, refuse } from "../support/flow-harness.ts";
import { channelNode, connectionNode, contractNode, createWatcherNode } from "../support/nodes.ts";
import { call, queryNode, signerNode, submitNode, value, walletNode } from "../support/operation-nodes.ts";

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
/** Short as it is, this took more memory than there is when it was written out. */
const DOUBLING = range(24)
  .map((n) => `struct S${n} { S${n + 1} a; S${n + 1} b; }`)
  .concat("struct S24 { uint a; }", "function f(S0 s)", "event E(S0 s)")
  .join("\n");
const tuple = (depth: number): object =>
  depth === 0
    ? { type: "uint256", name: "a" }
    : { type: "tuple", name: "s", components: [tuple(depth - 1), tuple(depth - 1)] };
const ABIS: Readonly<Record<string, string>> = {
  doubling: DOUBLING,
  wide: `event E(${range(20_000)
    .map((n) => `uint a${n}`)
    .join(", ")})`,
  deep: JSON.stringify([{ type: "function", name: "f", inputs: [tuple(12)], outputs: [] }]),
};

/** Nobody has looked at an imported flow: its ABI is read when the first message comes. */
describe("an ABI that would take long to read, in an imported flow", function () {
  this.timeout(120_000);
  let borrowed: Borrowed;
  before(async () => {
    borrowed = await borrowNodeRed();
  });
  after(() => borrowed?.giveBack());

  // Nothing listens there, and nothing is asked: the ABI is read first.
  const ready = {
    base_url: "http://127.0.0.1:1/v1",
    graphql_url: "http://127.0.0.1:1/graphql",
    rpc_url: "http://127.0.0.1:1",
    api_key: randomUUID(),
    org_id: "org",
    cre_tenant_id: "1",
    chain_selector: "16015286601757825753",
    chain_id: "11155111",
    valid_signers: [],
    min_required_signatures: 1,
    contracts: {},
  } as unknown as Parameters<typeof connectionNode>[0];
  const address = "0x0000000000000000000000000000000000000001";

  for (const [name, abi] of Object.entries(ABIS)) {
    it(`is refused at the first message, and Node-RED goes on: ${name}`, async () => {
      const { nodeRed } = borrowed;
      const contract = "hostile-contract";
      await nodeRed.deploy(
        harnessFlow(
          [
            connectionNode(ready),
            channelNode({ channel: randomUUID() }),
            contractNode(ready, { id: contract, address, abi }),
            signerNode(`0x${"11".repeat(32)}`),
            walletNode(ready, { wallet: address }),
          ],
          [
            [queryNode({ call: call(contract, "f(uint256)", value("1")) }), 2],
            [submitNode({ calls: [call(contract, "f(uint256)", value("1"))] }), 2],
            [createWatcherNode({ id: "watch", contract, events: "E" }), 2],
          ],
        ),
      );
      for (const id of ["query", "submit", "watch"]) {
        const caught = await refuse(nodeRed, id, { payload: 1 });
        should(caught.error?.code).equal("ABI_INVALID", `${id}: ${caught.error?.message}`);
      }
      const answer = await nodeRed.fetch("crec/abi/events", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ id: contract, abi }),
      });
      should(await answer.json()).have.property("code", "ABI_INVALID");
    });
  }
});
