import should from "should";
import { encodeFunctionCall, fromSmallestUnit, parseAbi } from "../../src/index.ts";
import type { Message } from "../support/bench.ts";
import { contractNode } from "../support/nodes.ts";
import {
  COMPANY,
  checkCompany,
  checkError,
  isFine,
  isRed,
  KEPT,
  NOBODY,
  OperationBench,
  RECEIVER,
} from "../support/operation-bench.ts";
import { COUNTER_ABI, call, queryNode, submitNode, TOKEN_ABI, value } from "../support/operation-nodes.ts";

const SENSOR = `0x${"5e".repeat(32)}`;
type Record_ = Record<string, unknown>;

/** What flow authors rely on: values proven and plain, and a refusal where they are not. */
describe("run query", function () {
  this.timeout(120_000);

  let bench: OperationBench;

  before(async () => {
    bench = await OperationBench.start();
  });

  afterEach(() => {
    bench.proxy.harm = () => undefined;
  });

  after(async () => {
    await bench?.close();
  });

  describe("a query", () => {
    const blockOf = ({ crec }: Message) => String((crec?.block as Record_ | undefined)?.number);
    const CREC_QUERY = ["block", "channelId", "queryId", "raw", "status", "verification"];
    before(() =>
      bench.deploy([
        [submitNode(), 2],
        [queryNode(), 2],
        [queryNode({ id: "final", block: "finalized" }), 2],
        [
          queryNode({ id: "at-block", block: "block_number", blockNumber: "block", blockNumberType: "msg" }),
          2,
        ],
        [queryNode({ id: "several", call: call("registry", "latest(bytes32)", value(SENSOR)) }), 2],
        [
          queryNode({
            ...{ id: "raw", kind: "raw", chainSelector: bench.service.ready.chain_selector },
            ...{ to: "payload.to", toType: "msg", data: "payload.data", dataType: "msg" },
          }),
          2,
        ],
        [
          queryNode({
            ...{
              id: "as-somebody",
              call: call("counter", "failWithError(uint256)", value("payload", "msg")),
            },
            ...{ from: "from", fromType: "msg" },
          }),
          2,
        ],
        [
          queryNode({
            id: "reverts",
            call: call("counter", "failWithReason(string)", value("payload", "msg")),
          }),
          2,
        ],
        [
          queryNode({
            id: "panics",
            call: call("counter", "failWithPanic(uint256)", value("payload", "msg")),
          }),
          2,
        ],
        [queryNode({ id: "no-code", call: call("codeless", "balanceOf(address)", value(RECEIVER)) }), 2],
        [queryNode({ id: "unverified", verify: false }), 2],
        [queryNode({ id: "few", call: call("token", "balanceOf(address)") }), 2],
        [queryNode({ id: "no-function", call: call("token", "balance()") }), 2],
      ]),
    );

    it("gives the value itself, proven, and the block it was read at", async () => {
      const msg = await bench.ask("query", { ...COMPANY, payload: bench.wallet });
      checkCompany(msg, CREC_QUERY);
      should(msg.topic).equal("mine");
      should(msg.payload).match(/^\d{18,}$/);
      const { crec = {} } = msg;
      should(crec.status).equal("completed");
      should(crec.verification).match({ verified: true });
      should((crec.verification as { signers: string[] }).signers).have.length(
        bench.service.ready.min_required_signatures,
      );
      should(BigInt(String(crec.raw))).equal(BigInt(String(msg.payload)));
      const block = crec.block as Record_;
      should(block.number).match(/^\d+$/);
      should(block.hash).match(/^0x[0-9a-f]{64}$/);
      const told = bench.seenAt("query:1", msg.probe);
      should(told.length).be.above(0);
      for (const one of told) {
        const { status } = one.payload as { status: string };
        should(one.payload).deepEqual({ status });
        should(one.topic).equal(`query.status/${status}`);
        checkCompany(one, ["channelId", "queryId", "status"]);
        should(one.crec).have.properties({ queryId: crec.queryId, status });
      }
      await bench.nodeRed.status("query", "completed");
    });

    it("gives several values as an object by name, wide integers as text", async () => {
      const { payload } = await bench.ask("several", {});
      should(payload).deepEqual({ value: "0", takenAt: "0", quality: "0", alarm: false });
    });

    it("asks with raw call data, and gives the bytes", async () => {
      const { data } = encodeFunctionCall({
        abi: parseAbi(TOKEN_ABI),
        function: "balanceOf",
        args: [bench.wallet],
      });
      const msg = await bench.ask("raw", { payload: { to: bench.service.ready.contracts.DemoToken, data } });
      should(msg.payload).match(/^0x[0-9a-f]{64}$/);
      should(msg.crec).have.property("raw", msg.payload);
    });

    it("reads the past at a block number, and what is final", async () => {
      const now = await bench.ask("query", { payload: RECEIVER });
      const number = blockOf(now);
      const sent = await bench.ask("submit", { to: RECEIVER, payload: "1000" });
      await bench.toldAt("submit:1", sent.probe, "confirmed");
      const past = await bench.ask("at-block", { payload: RECEIVER, block: number });
      should(past.payload).equal(now.payload);
      should(past.crec?.block).deepEqual(now.crec?.block);
      // A number serves as well as its digits.
      should((await bench.ask("at-block", { payload: RECEIVER, block: Number(number) })).payload).equal(
        now.payload,
      );
      const final = await bench.ask("final", { payload: RECEIVER });
      should(BigInt(String(final.payload))).equal(BigInt(String(now.payload)) + 1000n);
    });

    it("leaves the check of the proof out where that is wanted", async () => {
      const msg = await bench.ask("unverified", { ...COMPANY, payload: bench.wallet });
      checkCompany(
        msg,
        CREC_QUERY.filter((name) => name !== "verification"),
      );
    });

    it("says what a call reverted with, by the contract's own error too", async () => {
      const reverted = await bench.refuse("reverts", { ...KEPT, payload: "closed on Fridays" });
      checkError(reverted, "reverts", "QUERY_FAILED", /CALL_REVERTED.*closed on Fridays/);
      const told = await bench.toldAt("reverts:1", reverted.probe, "failed");
      should(told.at(-1)).match({ topic: "query.status/failed", payload: { status: "failed" } });
      should(told.at(-1)?.crec).have.property("queryId", reverted.crec?.queryId);
      const own = await bench.refuse("as-somebody", { ...KEPT, payload: "9", from: RECEIVER });
      checkError(own, "as-somebody", "QUERY_FAILED", `Refused(caller: ${RECEIVER}, amount: 9)`);
      checkError(
        await bench.refuse("panics", { ...KEPT, payload: 1 }),
        "panics",
        "QUERY_FAILED",
        "division or modulo by zero",
      );
    });

    it("says that there is no contract", async () => {
      const caught = await bench.refuse("no-code", KEPT);
      checkError(caught, "no-code", "QUERY_FAILED", "CONTRACT_NOT_FOUND");
      await bench.nodeRed.status("no-code", isRed);
    });

    it("refuses what is wrong in a message, and goes on", async () => {
      const good = { payload: bench.wallet, block: "latest" };
      await bench.refusedThenFine("query", ["INVALID_ADDRESS", "args.account"], { payload: "0x12" }, good);
      await bench.refusedThenFine("query", ["INVALID_ARGUMENT", "args.account"], {}, good);
      const number = blockOf(await bench.ask("query", good));
      const past = { payload: bench.wallet, block: number };
      await bench.refusedThenFine(
        "at-block",
        ["QUERY_FAILED", "BLOCK_SELECTION_NOT_AVAILABLE"],
        { payload: bench.wallet, block: "999999999" },
        past,
      );
      await bench.refusedThenFine(
        "at-block",
        ["INVALID_ARGUMENT", "block number"],
        { payload: bench.wallet, block: "newest" },
        past,
      );
      await bench.refusedThenFine(
        "at-block",
        ["MISSING_VALUE", "Block number"],
        { payload: bench.wallet },
        past,
      );
      const { data } = encodeFunctionCall({
        abi: parseAbi(TOKEN_ABI),
        function: "balanceOf",
        args: [bench.wallet],
      });
      const to = bench.service.ready.contracts.DemoToken;
      await bench.refusedThenFine(
        "raw",
        ["INVALID_ADDRESS"],
        { payload: { to: "0x1", data } },
        { payload: { to, data } },
      );
      await bench.refusedThenFine(
        "raw",
        ["INVALID_ARGUMENT"],
        { payload: { to, data: "0x123" } },
        { payload: { to, data } },
      );
      await bench.refusedThenFine(
        "raw",
        ["MISSING_VALUE", "Contract address"],
        { payload: { data } },
        { payload: { to, data } },
      );
    });

    it("refuses what is wrong in the form", async () => {
      checkError(await bench.refuse("few", KEPT), "few", "INVALID_ARGUMENT", "args must have 1 value(s)");
      checkError(await bench.refuse("no-function", KEPT), "no-function", "FUNCTION_NOT_IN_ABI");
    });

    it("never gives a result whose proof is corrupted", async () => {
      for (const change of [
        (body: string) =>
          body.replace(
            /("ocr_report":"0x.{30})(.)/,
            (_all, before, one) => before + (one === "0" ? "1" : "0"),
          ),
        (body: string) =>
          body.replace(
            /("verifiable_result":".{40})(.)/,
            (_all, before, one) => before + (one === "A" ? "B" : "A"),
          ),
        (body: string) => JSON.stringify({ ...JSON.parse(body), proof: undefined }),
      ]) {
        bench.proxy.harm = ({ method, path }) =>
          method === "GET" && path.includes("/queries/") ? { kind: "change", change } : undefined;
        const caught = await bench.refuse("query", { ...KEPT, payload: bench.wallet });
        checkError(caught, "query", "QUERY_NOT_VERIFIED");
        should(caught.crec?.verification).match({ verified: false });
        should(bench.seenAt("query:0", caught.probe)).be.empty();
        await bench.nodeRed.status("query", isRed);
      }
      bench.proxy.harm = () => undefined;
      await bench.ask("query", { payload: bench.wallet });
      await bench.nodeRed.status("query", isFine);
    });

    it("never takes the answer to another question for its own, however well it is proven", async () => {
      const other = await bench.ask("query", { payload: NOBODY });
      const answering = (method: string, path: string, query_id: unknown) => {
        bench.proxy.harm = (request) =>
          request.method === method && request.path.includes(path)
            ? { kind: "change", change: (body) => JSON.stringify({ ...JSON.parse(body), query_id }) }
            : undefined;
        return bench.refuse("query", { ...KEPT, payload: bench.wallet });
      };
      const replayed = await answering("POST", "/queries", other.crec?.queryId);
      checkError(replayed, "query", "QUERY_NOT_VERIFIED", "call_data");
      should(bench.seenAt("query:0", replayed.probe)).be.empty();
      const swapped = await answering("GET", "/queries/", other.crec?.queryId);
      checkError(swapped, "query", "BAD_RESPONSE", "query_id");
      should(bench.seenAt("query:0", swapped.probe)).be.empty();
    });
  });

  describe("amounts in tokens, and other addresses", () => {
    const tokens = (text: string, type = "str") => ({ ...value(text, type), unit: "token" });
    const balance = (properties: object) => queryNode({ contract: "micro", ...properties });
    before(() => {
      const { ready } = bench.service;
      const contract = (id: string, name: string, abi: string, decimals: string) =>
        contractNode(ready, { id, address: ready.contracts[name], abi, decimals });
      return bench.deploy(
        [
          [queryNode(), 2],
          [balance({ id: "in-tokens", resultUnit: "token" }), 2],
          [queryNode({ id: "no-decimals", resultUnit: "token" }), 2],
          [
            queryNode({
              id: "amount",
              call: call("refuser", "failWithError(uint256)", tokens("payload", "msg")),
            }),
            2,
          ],
          [
            queryNode({
              id: "amount-undecided",
              call: call("counter", "failWithError(uint256)", tokens("1.5")),
            }),
            2,
          ],
          [
            queryNode({
              id: "elsewhere-by-msg",
              call: {
                ...call("codeless", "balanceOf(address)", value("payload", "msg")),
                address: value("token", "msg"),
              },
            }),
            2,
          ],
          [
            queryNode({
              id: "network-by-msg",
              ...{ kind: "raw", chainSelector: "network", chainSelectorType: "msg" },
              ...{ to: ready.contracts.DemoToken, data: "data", dataType: "msg" },
            }),
            2,
          ],
          [queryNode({ id: "bad-decimals", contract: "odd" }), 2],
        ],
        [
          contract("micro", "DemoToken", TOKEN_ABI, "18"),
          contract("refuser", "Counter", COUNTER_ABI, "6"),
          contract("odd", "DemoToken", TOKEN_ABI, "78"),
        ],
      );
    });

    it("gives integers in tokens where that is wanted", async () => {
      const [plain, inTokens] = await Promise.all([
        bench.ask("query", { payload: bench.wallet }),
        bench.ask("in-tokens", { payload: bench.wallet }),
      ]);
      should(inTokens.payload).equal(fromSmallestUnit(String(plain.payload), 18));
      should(inTokens.payload).match(/^\d+(\.\d*[1-9])?$/);
      should(inTokens.crec?.raw).equal(plain.crec?.raw);
    });

    it("takes tokens by message, as text or number", async () => {
      for (const payload of ["1.5", 1.5]) {
        const caught = await bench.refuse("amount", { ...KEPT, payload });
        checkError(caught, "amount", "QUERY_FAILED", "amount: 1500000)");
      }
      const fine = await bench.refuse("amount", { ...KEPT, payload: "0.0000001" });
      checkError(fine, "amount", "INVALID_ARGUMENT", "args.amount has more than 6 decimal places");
      checkError(
        await bench.refuse("amount", KEPT),
        "amount",
        "INVALID_ARGUMENT",
        "args.amount is missing: there is nothing in msg.payload",
      );
    });

    it("asks nothing where the decimals are missing or wrong", async () => {
      const none = await bench.refuse("no-decimals", { ...KEPT, payload: bench.wallet });
      checkError(none, "no-decimals", "NO_DECIMALS", "its result cannot be shown in tokens");
      should(none.crec).not.have.property("queryId");
      checkError(
        await bench.refuse("amount-undecided", KEPT),
        "amount-undecided",
        "NO_DECIMALS",
        "args.amount",
      );
      checkError(await bench.refuse("bad-decimals", KEPT), "bad-decimals", "INVALID_DECIMALS");
    });

    it("asks another contract of the same kind, and none that nobody named", async () => {
      const token = bench.service.ready.contracts.DemoToken;
      const there = await bench.ask("elsewhere-by-msg", { payload: bench.wallet, token });
      should(there.payload).match(/^\d{18,}$/);
      const nowhere = await bench.refuse("elsewhere-by-msg", { ...KEPT, payload: bench.wallet });
      checkError(nowhere, "elsewhere-by-msg", "MISSING_VALUE", '"address" is empty');
      const odd = await bench.refuse("elsewhere-by-msg", { ...KEPT, payload: bench.wallet, token: "0x12" });
      checkError(odd, "elsewhere-by-msg", "INVALID_ADDRESS", "address must be an address");
    });

    it("takes the network of raw call data by message", async () => {
      const args = [bench.wallet];
      const { data } = encodeFunctionCall({ abi: parseAbi(TOKEN_ABI), function: "balanceOf", args });
      const network = bench.service.ready.chain_selector;
      should((await bench.ask("network-by-msg", { data, network })).payload).match(/^0x[0-9a-f]{64}$/);
      checkError(
        await bench.refuse("network-by-msg", { ...KEPT, data }),
        "network-by-msg",
        "MISSING_VALUE",
        '"Network" is empty',
      );
    });
  });

  describe("after all that", () => {
    it("Node-RED runs, met nothing that was not foreseen, and has shown no private key", async () => {
      bench.checkRunsWell();
      await bench.checkNeverShown([bench.key]);
    });
  });
});
