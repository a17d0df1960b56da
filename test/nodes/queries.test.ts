import should from "should";
import { encodeFunctionCall, fromSmallestUnit, parseAbi } from "../../src/index.ts";
import type { Message } from "../support/flow-harness.ts";
import { contractNode } from "../support/nodes.ts";
import {
  COMPANY,
  checkCompany,
  checkError,
  isFine,
  isRed,
  KEPT,
  NOBODY,
  OperationHarness,
  RECEIVER,
} from "../support/operation-harness.ts";
import { COUNTER_ABI, call, queryNode, submitNode, TOKEN_ABI, value } from "../support/operation-nodes.ts";

const SENSOR = `0x${"5e".repeat(32)}`;
type Record_ = Record<string, unknown>;

/** What flow authors rely on: values proven and plain, and a refusal where they are not. */
describe("run query", function () {
  this.timeout(120_000);

  let harness: OperationHarness;

  before(async () => {
    harness = await OperationHarness.start();
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(async () => {
    await harness?.close();
  });

  describe("a query", () => {
    const blockOf = ({ crec }: Message) => String((crec?.block as Record_ | undefined)?.number);
    const CREC_QUERY = ["block", "channelId", "queryId", "raw", "status", "verification"];
    before(() =>
      harness.deploy([
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
            ...{ id: "raw", kind: "raw", chainSelector: harness.service.ready.chain_selector },
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
        [queryNode({ id: "recent", maxAge: "3600", verify: false }), 2],
        [queryNode({ id: "recent-final", maxAge: "3600", block: "finalized" }), 2],
        [
          queryNode({
            ...{ id: "past", maxAge: "3600", verify: false },
            ...{ block: "block_number", blockNumber: "block", blockNumberType: "msg" },
          }),
          2,
        ],
        [queryNode({ id: "no-age", maxAge: "soon" }), 2],
        [queryNode({ id: "few", call: call("token", "balanceOf(address)") }), 2],
        [queryNode({ id: "no-function", call: call("token", "balance()") }), 2],
      ]),
    );

    it("gives the value itself, proven, and the block it was read at", async () => {
      const msg = await harness.ask("query", { ...COMPANY, payload: harness.wallet });
      checkCompany(msg, CREC_QUERY);
      should(msg.topic).equal("mine");
      should(msg.payload).match(/^\d{18,}$/);
      const { crec = {} } = msg;
      should(crec.status).equal("completed");
      should(crec.verification).match({ verified: true });
      should((crec.verification as { signers: string[] }).signers).have.length(
        harness.service.ready.min_required_signatures,
      );
      should(BigInt(String(crec.raw))).equal(BigInt(String(msg.payload)));
      const block = crec.block as Record_;
      should(block.number).match(/^\d+$/);
      should(block.hash).match(/^0x[0-9a-f]{64}$/);
      const told = harness.seenAt("query:1", msg.probe);
      should(told.length).be.above(0);
      for (const one of told) {
        const { status } = one.payload as { status: string };
        should(one.payload).deepEqual({ status });
        should(one.topic).equal(`query.status/${status}`);
        checkCompany(one, ["channelId", "queryId", "status"]);
        should(one.crec).have.properties({ queryId: crec.queryId, status });
      }
      await harness.nodeRed.status("query", "completed");
    });

    it("gives several values as an object by name, wide integers as text", async () => {
      const { payload } = await harness.ask("several", {});
      should(payload).deepEqual({ value: "0", takenAt: "0", quality: "0", alarm: false });
    });

    it("asks with raw call data, and gives the bytes", async () => {
      const { data } = encodeFunctionCall({
        abi: parseAbi(TOKEN_ABI),
        function: "balanceOf",
        args: [harness.wallet],
      });
      const msg = await harness.ask("raw", {
        payload: { to: harness.service.ready.contracts.DemoToken, data },
      });
      should(msg.payload).match(/^0x[0-9a-f]{64}$/);
      should(msg.crec).have.property("raw", msg.payload);
    });

    it("reads the past at a block number, and what is final", async () => {
      const now = await harness.ask("query", { payload: RECEIVER });
      const number = blockOf(now);
      const sent = await harness.ask("submit", { to: RECEIVER, payload: "1000" });
      await harness.toldAt("submit:1", sent.probe, "confirmed");
      const past = await harness.ask("at-block", { payload: RECEIVER, block: number });
      should(past.payload).equal(now.payload);
      should(past.crec?.block).deepEqual(now.crec?.block);
      // A number serves as well as its digits.
      should((await harness.ask("at-block", { payload: RECEIVER, block: Number(number) })).payload).equal(
        now.payload,
      );
      const final = await harness.ask("final", { payload: RECEIVER });
      should(BigInt(String(final.payload))).equal(BigInt(String(now.payload)) + 1000n);
    });

    it("leaves the check of the proof out where that is wanted", async () => {
      const msg = await harness.ask("unverified", { ...COMPANY, payload: harness.wallet });
      checkCompany(
        msg,
        CREC_QUERY.filter((name) => name !== "verification"),
      );
    });

    it("refuses an answer from a block that is too old, and says its age", async () => {
      const { block } = (await harness.ask("recent", { payload: NOBODY })).crec ?? {};
      await harness.ask("recent-final", { payload: NOBODY });
      const readAt = (time: number) => {
        harness.proxy.harm = ({ method, path }) =>
          method === "GET" && path.includes("/queries/")
            ? { kind: "change", change: (body) => withBlockTime(body, time) }
            : undefined;
      };
      const now = Math.floor(Date.now() / 1000);
      readAt(now - 7200);
      const old = await harness.refuse("recent", { ...KEPT, payload: NOBODY });
      checkError(
        old,
        "recent",
        "BLOCK_TOO_OLD",
        /is from block \d+, which is 72\d\d seconds old, .* is 3600\./,
      );
      should(old.crec?.block).have.property("time", now - 7200);
      should(old.crec).have.property("status", "completed");
      should(harness.seenAt("recent:0", old.probe)).be.empty();
      await harness.nodeRed.status("recent", isRed);
      // A block that was chosen by its number is meant to be old.
      await harness.ask("past", { payload: NOBODY, block: String((block as Record_).number) });
      readAt(now + 600);
      const ahead = await harness.refuse("recent", { ...KEPT, payload: NOBODY });
      checkError(ahead, "recent", "BLOCK_IN_THE_FUTURE", "Correct this machine's clock");
      harness.proxy.harm = () => undefined;
      checkError(await harness.refuse("no-age", KEPT), "no-age", "INVALID_FIELD", "Max block age");
    });

    it("says what a call reverted with, by the contract's own error too", async () => {
      const reverted = await harness.refuse("reverts", { ...KEPT, payload: "closed on Fridays" });
      checkError(reverted, "reverts", "QUERY_FAILED", /^closed on Fridays\. .*CALL_REVERTED/);
      should(reverted.error?.message).startWith("closed on Fridays. ");
      const told = await harness.toldAt("reverts:1", reverted.probe, "failed");
      should(told.at(-1)).match({ topic: "query.status/failed", payload: { status: "failed" } });
      should(told.at(-1)?.crec).have.property("queryId", reverted.crec?.queryId);
      const own = await harness.refuse("as-somebody", { ...KEPT, payload: "9", from: RECEIVER });
      checkError(
        own,
        "as-somebody",
        "QUERY_FAILED",
        new RegExp(`^Refused: amount 9\\. .*caller ${RECEIVER}\\)\\. Query ${own.crec?.queryId}\\.$`),
      );
      should((await harness.nodeRed.status("as-somebody", isRed)).text).match(/^Refused/);
      checkError(
        await harness.refuse("panics", { ...KEPT, payload: 1 }),
        "panics",
        "QUERY_FAILED",
        "division or modulo by zero",
      );
    });

    it("says that there is no contract", async () => {
      const caught = await harness.refuse("no-code", KEPT);
      checkError(caught, "no-code", "QUERY_FAILED", "CONTRACT_NOT_FOUND");
      await harness.nodeRed.status("no-code", isRed);
    });

    it("refuses what is wrong in a message, and goes on", async () => {
      const good = { payload: harness.wallet, block: "latest" };
      await harness.refusedThenFine("query", ["INVALID_ADDRESS", "account "], { payload: "0x12" }, good);
      await harness.refusedThenFine("query", ["INVALID_ARGUMENT", "account "], {}, good);
      const number = blockOf(await harness.ask("query", good));
      const past = { payload: harness.wallet, block: number };
      await harness.refusedThenFine(
        "at-block",
        ["QUERY_FAILED", "BLOCK_SELECTION_NOT_AVAILABLE"],
        { payload: harness.wallet, block: "999999999" },
        past,
      );
      await harness.refusedThenFine(
        "at-block",
        ["INVALID_ARGUMENT", "block number"],
        { payload: harness.wallet, block: "newest" },
        past,
      );
      await harness.refusedThenFine(
        "at-block",
        ["MISSING_VALUE", "Block number"],
        { payload: harness.wallet },
        past,
      );
      const { data } = encodeFunctionCall({
        abi: parseAbi(TOKEN_ABI),
        function: "balanceOf",
        args: [harness.wallet],
      });
      const to = harness.service.ready.contracts.DemoToken;
      await harness.refusedThenFine(
        "raw",
        ["INVALID_ADDRESS"],
        { payload: { to: "0x1", data } },
        { payload: { to, data } },
      );
      await harness.refusedThenFine(
        "raw",
        ["INVALID_ARGUMENT"],
        { payload: { to, data: "0x123" } },
        { payload: { to, data } },
      );
      await harness.refusedThenFine(
        "raw",
        ["MISSING_VALUE", "Contract address"],
        { payload: { data } },
        { payload: { to, data } },
      );
    });

    it("refuses what is wrong in the form", async () => {
      checkError(await harness.refuse("few", KEPT), "few", "INVALID_ARGUMENT", "args must have 1 value (");
      checkError(await harness.refuse("no-function", KEPT), "no-function", "FUNCTION_NOT_IN_ABI");
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
        harness.proxy.harm = ({ method, path }) =>
          method === "GET" && path.includes("/queries/") ? { kind: "change", change } : undefined;
        const caught = await harness.refuse("query", { ...KEPT, payload: harness.wallet });
        checkError(caught, "query", "QUERY_NOT_VERIFIED");
        should(caught.crec?.verification).match({ verified: false });
        should(harness.seenAt("query:0", caught.probe)).be.empty();
        await harness.nodeRed.status("query", isRed);
      }
      harness.proxy.harm = () => undefined;
      await harness.ask("query", { payload: harness.wallet });
      await harness.nodeRed.status("query", isFine);
    });

    it("never takes the answer to another question for its own, however well it is proven", async () => {
      const other = await harness.ask("query", { payload: NOBODY });
      const answering = (method: string, path: string, query_id: unknown) => {
        harness.proxy.harm = (request) =>
          request.method === method && request.path.includes(path)
            ? { kind: "change", change: (body) => JSON.stringify({ ...JSON.parse(body), query_id }) }
            : undefined;
        return harness.refuse("query", { ...KEPT, payload: harness.wallet });
      };
      const replayed = await answering("POST", "/queries", other.crec?.queryId);
      checkError(replayed, "query", "QUERY_NOT_VERIFIED", "call_data");
      should(harness.seenAt("query:0", replayed.probe)).be.empty();
      const swapped = await answering("GET", "/queries/", other.crec?.queryId);
      checkError(swapped, "query", "BAD_RESPONSE", "query_id");
      should(harness.seenAt("query:0", swapped.probe)).be.empty();
    });
  });

  describe("amounts in tokens, and other addresses", () => {
    const tokens = (text: string, type = "str") => ({ ...value(text, type), unit: "token" });
    const balance = (properties: object) => queryNode({ contract: "micro", ...properties });
    before(() => {
      const { ready } = harness.service;
      const contract = (id: string, name: string, abi: string, decimals: string) =>
        contractNode(ready, { id, address: ready.contracts[name], abi, decimals });
      return harness.deploy(
        [
          [queryNode(), 2],
          [balance({ id: "in-tokens", resultUnit: "token" }), 2],
          [
            queryNode({
              id: "no-decimals",
              resultUnit: "token",
              call: call("registry", "latest(bytes32)", value("payload", "msg")),
            }),
            2,
          ],
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
              call: { ...call("counter", "failWithError(uint256)", tokens("1.5")), address: value(NOBODY) },
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
        harness.ask("query", { payload: harness.wallet }),
        harness.ask("in-tokens", { payload: harness.wallet }),
      ]);
      should(inTokens.payload).equal(fromSmallestUnit(String(plain.payload), 18));
      should(inTokens.payload).match(/^\d+(\.\d*[1-9])?$/);
      should(inTokens.crec?.raw).equal(plain.crec?.raw);
    });

    it("takes tokens by message, as text or number", async () => {
      for (const payload of ["1.5", 1.5]) {
        const caught = await harness.refuse("amount", { ...KEPT, payload });
        checkError(caught, "amount", "QUERY_FAILED", "amount 1.5 tokens");
      }
      const fine = await harness.refuse("amount", { ...KEPT, payload: "0.0000001" });
      checkError(fine, "amount", "INVALID_ARGUMENT", "amount has more than 6 decimal places");
      checkError(
        await harness.refuse("amount", KEPT),
        "amount",
        "INVALID_ARGUMENT",
        "amount is missing: there is nothing in msg.payload",
      );
    });

    it("asks nothing where the decimals are missing or wrong", async () => {
      const none = await harness.refuse("no-decimals", { ...KEPT, payload: `0x${"00".repeat(32)}` });
      const registry = harness.service.ready.contracts.SensorRegistry;
      const says = `The result should be in tokens, but the decimals of ${registry} are not known`;
      checkError(none, "no-decimals", "NO_DECIMALS", says);
      should(none.crec).not.have.property("queryId");
      checkError(
        await harness.refuse("amount-undecided", KEPT),
        "amount-undecided",
        "NO_DECIMALS",
        "amount ",
      );
      checkError(await harness.refuse("bad-decimals", KEPT), "bad-decimals", "INVALID_DECIMALS");
    });

    it("asks another contract of the same kind, and none that nobody named", async () => {
      const token = harness.service.ready.contracts.DemoToken;
      const there = await harness.ask("elsewhere-by-msg", { payload: harness.wallet, token });
      should(there.payload).match(/^\d{18,}$/);
      const nowhere = await harness.refuse("elsewhere-by-msg", { ...KEPT, payload: harness.wallet });
      checkError(nowhere, "elsewhere-by-msg", "MISSING_VALUE", '"address" is empty');
      const odd = await harness.refuse("elsewhere-by-msg", {
        ...KEPT,
        payload: harness.wallet,
        token: "0x12",
      });
      checkError(odd, "elsewhere-by-msg", "INVALID_ADDRESS", "address must be an address");
    });

    it("takes the network of raw call data by message", async () => {
      const args = [harness.wallet];
      const { data } = encodeFunctionCall({ abi: parseAbi(TOKEN_ABI), function: "balanceOf", args });
      const network = harness.service.ready.chain_selector;
      should((await harness.ask("network-by-msg", { data, network })).payload).match(/^0x[0-9a-f]{64}$/);
      checkError(
        await harness.refuse("network-by-msg", { ...KEPT, data }),
        "network-by-msg",
        "MISSING_VALUE",
        '"Network" is empty',
      );
    });
  });

  describe("after all that", () => {
    it("Node-RED runs, met nothing that was not foreseen, and has shown no private key", async () => {
      harness.checkRunsWell();
      await harness.checkNeverShown([harness.key]);
    });
  });
});

/** A query as if its block had another time: the answer is then not proven. */
function withBlockTime(body: string, time: number): string {
  const query = JSON.parse(body);
  if (!query.verifiable_result) return body;
  const signed = JSON.parse(Buffer.from(query.verifiable_result, "base64").toString());
  signed.data.block_selection.resolved.block_timestamp = time;
  return JSON.stringify({
    ...query,
    verifiable_result: Buffer.from(JSON.stringify(signed)).toString("base64"),
  });
}
