import type { NodeAPI } from "node-red";
import should from "should";
import { nodeRedContext } from "../../nodes/common/context.ts";
import { previewOf, snapshotOf } from "../../nodes/common/contracts/call-preview.ts";
import { contractRegistry, registerContract } from "../../nodes/common/contracts/contract-registry.ts";
import type { ContractNode } from "../../nodes/common/fields/config-nodes.ts";
import { explainReuse } from "../../nodes/common/messages/key-reused.ts";
import type { CallDef } from "../../nodes/common/shared/stored-values.ts";
import { previewCalls } from "../../nodes/submit-operation/admin/preview-calls.ts";
import { encodeFunctionCall, type Operation, OperationKeyReusedError, parseAbi } from "../../src/index.ts";

const TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const RECEIVER = "0x00000000000000000000000000000000DeaDBeef";
const TRANSFER = "function transfer(address to, uint256 value) returns (bool)";
const HERE = "42";

type Set = {
  id: string;
  name?: string;
  chainSelector?: string;
  abi: string;
  decimals?: number;
  amounts?: string[];
};

/** A Node-RED in which nothing but these contracts is deployed. */
function withContracts(...contracts: Set[]): NodeAPI {
  const nodes = contracts.map(({ id, name, chainSelector = HERE, abi, decimals, amounts = [] }) => ({
    ...{ id, name, type: "crec-contract" },
    contract: {
      ...{ chainSelector, address: TOKEN.toLowerCase(), decimals, amounts, problem: undefined },
      abi: async () => parseAbi(abi),
    },
  }));
  const getNode = (id: string) => nodes.find((node) => node.id === id) ?? null;
  const RED = { nodes: { getNode }, events: {}, _: (key: string) => key } as unknown as NodeAPI;
  for (const node of nodes) registerContract(contractRegistry(RED), node as unknown as ContractNode);
  return RED;
}

function encoded(abi: string, name: string, ...args: unknown[]): string {
  return encodeFunctionCall({ abi: parseAbi(abi), function: name, args }).data;
}

/** What an approver is shown of the calls of a draft. */
describe("the preview of a draft", () => {
  const data = encoded(TRANSFER, "transfer", RECEIVER, "25000000000000000000");
  const words = {
    function: "transfer(address,uint256)",
    args: { to: RECEIVER, value: "25000000000000000000" },
  };
  const shown = async (
    RED: NodeAPI,
    call: { data: string; value?: string; preview?: unknown; preview_snapshot?: unknown },
  ) => {
    const [first] = await previewOf(contractRegistry(RED), HERE, [{ to: TOKEN, value: "0", ...call }]);
    return first;
  };
  const events = { id: "events", name: "its events", abi: "event Transfer(address from)" };

  it("uses the contract node whose ABI knows the call, of several with one address", async () => {
    const token = { id: "token", name: "my token", abi: TRANSFER };
    const expected = { to: TOKEN, value: "0", contract: "my token", ...words };
    should(await shown(withContracts(events, token), { data })).deepEqual(expected);
    should(await shown(withContracts(token, events), { data })).deepEqual(expected);
    should(await shown(withContracts(events), { data })).deepEqual({
      ...{ to: TOKEN, value: "0", contract: "its events", data },
    });
  });

  it("shows amounts in tokens beside the integers, where one of the nodes knows the decimals", async () => {
    const plain = { id: "plain", name: "no token", abi: TRANSFER };
    const token = { id: "token", name: "my token", abi: TRANSFER, decimals: 18 };
    should(await shown(withContracts(plain, token), { data })).deepEqual({
      ...{ to: TOKEN, value: "0", contract: "my token", ...words },
      tokens: { value: "25" },
    });
    should(await shown(withContracts(plain), { data })).not.have.property("tokens");
    const other = { ...token, id: "other", decimals: 6 };
    should(await shown(withContracts(token, other), { data })).not.have.property("tokens");
  });

  describe("of what the form took in tokens, whatever its name", () => {
    const MINT = "function mint(address to, uint256 quantity, uint256[] shares, uint256)";
    const call = encoded(MINT, "mint", RECEIVER, "1500000", ["1", "2"], "7");
    const token = { id: "token", abi: MINT, decimals: 6 };
    const mint = "mint(address,uint256,uint256[],uint256)";
    const tokens = async (tokens: unknown, signature = mint, contract = token) => {
      const preview_snapshot = { function_signature: signature, metadata: { tokens } };
      return (await shown(withContracts(contract), { data: call, preview_snapshot }))?.tokens;
    };
    const usual = { shares: ["0.000001", "0.000002"] };

    it("shows that in tokens, too", async () => {
      should(await tokens([1])).deepEqual({ ...usual, quantity: "1.5" });
      should(await tokens([3, 1])).deepEqual({ ...usual, quantity: "1.5", 3: "0.000007" });
      should(await tokens([1], mint, { ...token, amounts: ["3"] } as Set & typeof token)).deepEqual({
        quantity: "1.5",
      });
    });

    it("uses what the author of a draft says only for the called function, and for integers", async () => {
      should(await tokens([1], "mint(address,uint256)")).deepEqual(usual);
      for (const odd of [undefined, null, "1", { 0: 1, length: 1 }, ["1"], [-1, 0.5, 99], [0]]) {
        should(await tokens(odd)).deepEqual(usual);
      }
      for (const preview of [null, 7, "mint", [], { function_signature: mint, metadata: null }]) {
        const { args, tokens } = (await shown(withContracts(token), { data: call, preview })) ?? {};
        should(args).have.property("quantity", "1500000");
        should(tokens).deepEqual(usual);
      }
    });

    it("is kept with the draft, where there is any", async () => {
      const of = async (inTokens?: number[]) => (await snapshotOf(parseAbi(MINT), call, inTokens))?.metadata;
      should(await of([1])).have.property("tokens", [1]);
      should(await of([])).not.have.property("tokens");
      should(await of()).have.properties(["args", "inputs"]);
    });

    it("is no difference to the same call under a used key", async () => {
      const preview_snapshot = { function_signature: mint, metadata: { tokens: [1] } };
      const before = { to: TOKEN, value: "0", data: call, preview_snapshot };
      const other = encoded(MINT, "mint", RECEIVER, "1500000", ["1", "2"], "8");
      const first = { chain_selector: HERE, status: "confirmed", operation_id: "o", transactions: [before] };
      const asked = [{ to: TOKEN, value: "0", data: other }];
      const reused = { key: "order", first: first as unknown as Operation, asked };
      const error = await explainReuse(
        nodeRedContext(withContracts(token)),
        new OperationKeyReusedError(reused),
        "",
      );
      should(String(error)).match(/used for other calls: call 1: 3 is 8, was 7\. They/);
    });
  });

  it("shows amounts within lists and tuples, but not flags or times", async () => {
    const abi =
      "function pay((address to, uint256 value, uint8 kind)[] parts, uint128[] amounts, uint32 at, bytes32 tag, uint256 nonce)";
    const parts = [{ to: RECEIVER, value: "1500000", kind: 1 }];
    const call = encoded(abi, "pay", parts, ["0", "1"], 7, `0x${"ab".repeat(32)}`, "2000000");
    const preview = await shown(withContracts({ id: "token", abi, decimals: 6 }), { data: call });
    should(preview?.tokens).deepEqual({
      parts: [{ value: "1.5" }],
      amounts: ["0", "0.000001"],
    });
    should(preview?.args).match({ amounts: ["0", "1"], at: "7", nonce: "2000000" });
  });

  it("shows a value in ether that is written as hex, whatever its digits", async () => {
    should(await shown(withContracts(), { data: "0x", value: "0xAA0000000000000000" })).deepEqual({
      ...{ to: TOKEN, value: "3135946492530623774720", ether: "3135.94649253062377472" },
    });
  });

  it("shows the value of a call in ether, too", async () => {
    const RED = withContracts();
    should(await shown(RED, { data: "0x", value: "1500000000000000000" })).deepEqual({
      ...{ to: TOKEN, value: "1500000000000000000", ether: "1.5" },
    });
    should(await shown(RED, { data: "0x" })).deepEqual({ to: TOKEN, value: "0" });
  });

  it("ignores contract nodes of other networks", async () => {
    const elsewhere = { id: "token", name: "another", chainSelector: "43", abi: TRANSFER, decimals: 18 };
    should(await shown(withContracts(elsewhere), { data })).deepEqual({ to: TOKEN, value: "0", data });
  });
});

/** What the form of an operation shows while it is drawn. */
describe("the preview of a form", () => {
  it("shows in tokens what is an amount, or what the contract names as one", async () => {
    const abi = "function pay(uint256 amount, uint256 nonce, uint32 reward)";
    const call: CallDef = {
      ...{ kind: "contract", contract: "token", function: "pay(uint256,uint256,uint32)" },
      args: [{ value: "1500000" }, { value: "2000000" }, { value: "3000000" }],
    };
    const inTokens = async (amounts: string) => {
      const contract = { name: "token", chainSelector: HERE, address: TOKEN, decimals: "6", abi, amounts };
      const request = { source: "form", calls: [call], contracts: { token: contract } };
      const [previewed] = await previewCalls(nodeRedContext(withContracts()), request);
      return previewed?.args?.map(({ larger }) => larger?.text);
    };
    should(await inTokens("")).deepEqual(["1.5", undefined, undefined]);
    should(await inTokens("nonce, reward")).deepEqual([undefined, "2", "3"]);
  });

  it("reads the ABI of a contract once, for all calls of it", async () => {
    let reads = 0;
    const contract = {
      ...{ name: "token", chainSelector: HERE, address: TOKEN, decimals: "18" },
      get abi() {
        reads += 1;
        return TRANSFER;
      },
    };
    const call: CallDef = {
      ...{ kind: "contract", contract: "token", function: "transfer(address,uint256)" },
      args: [{ value: RECEIVER }, { value: "1" }],
    };
    const request = { source: "form", calls: Array(16).fill(call), contracts: { token: contract } } as const;
    const previewed = await previewCalls(nodeRedContext(withContracts()), request);
    should(previewed.map(({ problem, data }) => problem ?? data?.text)).eql(
      Array(16).fill(encoded(TRANSFER, "transfer", RECEIVER, "1")),
    );
    should(reads).equal(1);
  });
});
