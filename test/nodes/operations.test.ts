import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { type Anvil, startAnvil } from "../../service/src/chain/anvil/anvil.ts";
import { encodeFunctionCall, operationDigest, parseAbi } from "../../src/index.ts";
import type { Message } from "../support/flow-harness.ts";
import { freshId } from "../support/node-red.ts";
import {
  COMPANY,
  checkCompany,
  checkError,
  isFine,
  isRed,
  KEPT,
  OperationHarness,
  RECEIVER,
} from "../support/operation-harness.ts";
import { call, queryNode, submitNode, TOKEN_ABI, value } from "../support/operation-nodes.ts";
import { ServiceProxy } from "../support/proxy.ts";

const STATUSES = [
  "accepted",
  "sending",
  "sent",
  "broadcasting",
  "confirmed_latest",
  "confirmed_safe",
  "confirmed",
];
const CREC = ["channelId", "digest", "operationId", "status", "verification", "walletOperationId"];
/** Above 2^53, and no number that a double holds. */
const AMOUNT = "12345678901234567891";
type Record_ = Record<string, unknown>;

/** What flow authors rely on when it works, and while things around it change. */
describe("submit operation", function () {
  this.timeout(120_000);

  let folder: string;
  let anvil: Anvil;
  /** Between the service and its chain, which can go away. */
  let chain: ServiceProxy;
  let harness: OperationHarness;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-chain-"));
    anvil = await startAnvil(folder);
    chain = await ServiceProxy.before(anvil.rpcUrl);
    harness = await OperationHarness.start(undefined, {}, { rpcUrl: chain.baseUrl });
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(async () => {
    await harness?.close();
    await chain?.close();
    await anvil?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  describe("its messages", () => {
    const good = { to: RECEIVER, payload: "1" };
    before(() =>
      harness.deploy(
        [
          [submitNode(), 2],
          [submitNode({ id: "quiet", follow: false, waitFor: "accepted" }), 2],
          [
            submitNode({
              id: "batch",
              waitFor: "confirmed",
              calls: [
                call("token", "transfer(address,uint256)", value("receiver", "flow"), value("7")),
                {
                  ...{ kind: "raw", to: value("$lowercase(payload.to)", "jsonata") },
                  ...{ data: value("payload.data", "msg"), amount: value("3", "num") },
                },
              ],
            }),
            2,
          ],
          [submitNode({ id: "listed", source: "message" }), 2],
          [
            {
              ...{ id: "remember", type: "function", outputs: 1, libs: [] },
              func: 'flow.set("receiver", msg.payload); return msg;',
            },
            1,
          ],
        ],
        [],
      ),
    );

    it("shows the status of the newest message, also when an older one changes later", async () => {
      const older = await harness.ask("submit", good);
      await harness.refuse("submit", { ...KEPT, ...good, payload: "many" });
      await harness.nodeRed.status("submit", isRed);
      await harness.toldAt("submit:1", older.probe, "confirmed");
      should(harness.nodeRed.statuses("submit").at(-1)).have.properties({ fill: "red", shape: "ring" });
    });

    it("sends the operation with its transaction, and each status to the second output", async () => {
      const msg = await harness.ask("submit", { ...COMPANY, to: RECEIVER, payload: AMOUNT });
      checkCompany(msg, CREC);
      should(msg.topic).equal("mine");
      const payload = msg.payload as Record_;
      const { crec = {} } = msg;
      should(payload).have.properties({
        operation_id: crec.operationId,
        wallet_operation_id: crec.walletOperationId,
        digest: crec.digest,
        status: crec.status,
        address: harness.wallet,
        chain_selector: harness.service.ready.chain_selector,
      });
      should(STATUSES.slice(4)).containEql(crec.status);
      should(payload.transactionHash).match(/^0x[0-9a-f]{64}$/);
      const { data } = encodeFunctionCall({
        abi: parseAbi(TOKEN_ABI),
        function: "transfer",
        args: [RECEIVER, AMOUNT],
      });
      const { chain_id, contracts: there } = harness.service.ready;
      should(payload.transactions).deepEqual([{ to: there.DemoToken, value: "0", data }]);
      const signed = {
        id: String(crec.walletOperationId),
        account: harness.wallet,
        deadline: Number(payload.deadline),
        transactions: payload.transactions as Array<{ to: string; value: string; data: `0x${string}` }>,
      };
      should(crec.verification).have.property("verified", true);
      should(crec.digest).equal(operationDigest(signed, chain_id));
      should(signed.deadline).be.approximately(Date.now() / 1000 + 900, 30);

      const changes = await harness.toldAt("submit:1", msg.probe, "confirmed");
      should(changes.map((one) => one.payload)).deepEqual(STATUSES.map((status) => ({ status, reason: "" })));
      should(changes.map(({ topic }) => topic)).deepEqual(
        STATUSES.map((status) => `operation.status/${status}`),
      );
      for (const [index, change] of changes.entries()) {
        checkCompany(change, CREC);
        const isProven = index >= STATUSES.indexOf("confirmed_latest");
        const { verification, ...rest } = change.crec ?? {};
        const { verification: own, ...others } = crec;
        should(own).have.property("verified", true);
        should(rest).deepEqual({ ...others, status: STATUSES[index] });
        should(verification).have.properties(
          isProven ? { verified: true } : { verified: false, reason: "not_verifiable" },
        );
      }
      await harness.nodeRed.status("submit", "confirmed");
      should(harness.seenAt("submit:0", msg.probe)).have.length(1);
    });

    it("executes several calls as one operation, with values from the message, the flow and JSONata", async () => {
      await harness.ask("remember", { payload: RECEIVER });
      const { data } = encodeFunctionCall({
        abi: parseAbi("function add(uint256 amount) payable"),
        function: "add",
        args: ["5"],
      });
      const counter = harness.service.ready.contracts.Counter ?? "";
      const msg = await harness.ask("batch", {
        ...COMPANY,
        payload: { to: counter.toUpperCase().replace("X", "x"), data },
      });
      checkCompany(msg, CREC);
      // It waited for the status that is set in the form.
      should(msg.crec).have.property("status", "confirmed");
      const { transactions, status } = msg.payload as { transactions: Record_[]; status: string };
      should(status).equal("confirmed");
      should(transactions).have.length(2);
      should(transactions[1]).deepEqual({ to: counter, value: "3", data });
      const token = encodeFunctionCall({
        abi: parseAbi(TOKEN_ABI),
        function: "transfer",
        args: [RECEIVER, "7"],
      });
      should(transactions[0]).deepEqual({
        to: harness.service.ready.contracts.DemoToken,
        value: "0",
        data: token.data,
      });
      should(harness.seenAt("batch:1", msg.probe).map(({ crec }) => crec?.status)).deepEqual(STATUSES);
    });

    it("takes a list of calls from the message, up to 16", async () => {
      const { DemoToken: to = "" } = harness.service.ready.contracts;
      const { data } = encodeFunctionCall({
        abi: parseAbi(TOKEN_ABI),
        function: "transfer",
        args: [RECEIVER, "1"],
      });
      const msg = await harness.ask("listed", {
        payload: [{ to, data }, ...Array(15).fill({ to: RECEIVER, value: "1" })],
      });
      const { transactions } = msg.payload as { transactions: Record_[] };
      should(transactions).have.length(16);
      should(transactions.slice(0, 2)).deepEqual([
        { to, value: "0", data },
        { to: RECEIVER, value: "1", data: "0x" },
      ]);
    });

    it("sends no later statuses where the form says so", async () => {
      const msg = await harness.ask("quiet", { ...good });
      await harness.nodeRed.status("quiet", isFine);
      // Another operation has reached its last status meanwhile.
      const other = await harness.ask("submit", { ...good });
      await harness.toldAt("submit:1", other.probe, "confirmed");
      should(harness.seenAt("quiet:1", msg.probe).map(({ crec }) => crec?.status)).deepEqual(["accepted"]);
    });
  });

  describe("with interruptions", () => {
    const good = { to: RECEIVER, payload: "1" };
    /** Only what has changed: the catch of a flow that stops as a whole hears nothing any more. */
    const redeploy = (more = {}) =>
      harness.deploy([[submitNode({ name: "changed", ...more }), 2]], [], "nodes");
    const isLook = ({ path }: { path: string }) => path.endsWith("/events/search");

    it("a chain that is down is an error, and the next message works when it is back", async () => {
      await harness.deploy([
        [submitNode(), 2],
        [queryNode(), 2],
      ]);
      await harness.ask("submit", good);
      await chain.goDown();
      const [submitted, asked] = await Promise.all([
        harness.refuse("submit", { ...KEPT, ...good }),
        harness.refuse("query", { ...KEPT, payload: harness.wallet }),
      ]).finally(() => chain.comeBack());
      checkError(submitted, "submit", "CHAIN_UNAVAILABLE");
      checkError(asked, "query", "QUERY_FAILED", "CHAIN_UNAVAILABLE");
      await harness.nodeRed.status("submit", isRed);
      await harness.nodeRed.status("query", isRed);
      await harness.ask("submit", good);
      await harness.ask("query", { payload: harness.wallet });
      await harness.nodeRed.status("submit", isFine);
      await harness.nodeRed.status("query", isFine);
    });

    it("a wait that times out is WAIT_TIMEOUT, with the operation's id", async () => {
      await harness.deploy([[submitNode({ id: "hasty", timeout: "0.4", waitFor: "confirmed" }), 2]]);
      const caught = await harness.refuse("hasty", { ...KEPT, ...good });
      checkError(caught, "hasty", "WAIT_TIMEOUT");
      should(caught.crec?.operationId).be.a.String();
      should(caught.crec?.walletOperationId).match(/^\d+$/);
    });

    it("a status that is reached is sent although the operation cannot be read", async () => {
      await harness.deploy([[submitNode(), 2]]);
      let reads = 0;
      harness.proxy.harm = ({ method, path }) => {
        if (method !== "GET" || !path.includes("/operations/")) return undefined;
        reads += 1;
        // The first one says which operation was created: the answer has its id only.
        return reads === 1 ? undefined : { kind: "answer", status: 404, body: "{}" };
      };
      const msg = await harness.ask("submit", good);
      should(msg.payload).have.properties({
        operation_id: msg.crec?.operationId,
        status: "confirmed_latest",
      });
      should((msg.payload as Record_).transactionHash).match(/^0x[0-9a-f]{64}$/);
    });

    it("a redeploy ends the wait with WAIT_INTERRUPTED and the operation's id, and the operation continues", async () => {
      await harness.deploy([[submitNode({ resume: false }), 2]]);
      harness.proxy.harm = (passing) => (isLook(passing) ? { kind: "stall" } : undefined);
      const looked = harness.proxy.next(1, isLook);
      const probe = freshId();
      await harness.nodeRed.press("press-submit", { ...KEPT, ...good, probe });
      await looked;
      const start = performance.now();
      await redeploy({ resume: false });
      // What it waits for is stalled until its time-out of 10 s.
      should(performance.now() - start).be.below(6_000);
      const { value: shown } = await harness.nodeRed.shows(
        ({ name, value }) => name === "error" && (value as Message).probe === probe,
      );
      const caught = shown as Message;
      checkError(caught, "submit", "WAIT_INTERRUPTED");
      harness.proxy.harm = () => undefined;
      const { operationId, channelId, walletOperationId } = caught.crec ?? {};
      should(walletOperationId).match(/^\d+$/);
      const { base_url, api_key } = harness.service.ready;
      const answer = await fetch(`${base_url}/channels/${channelId}/operations/${operationId}`, {
        headers: { authorization: `Apikey ${api_key}` },
      });
      should(await answer.json()).have.property("wallet_operation_id", walletOperationId);
    });

    it("a redeploy during the submit reports the wallet operation id", async () => {
      await harness.deploy([[submitNode(), 2]]);
      const isSubmit = ({ method, path }: { method: string; path: string }) =>
        method === "POST" && path.endsWith("/operations");
      harness.proxy.harm = (passing) => (isSubmit(passing) ? { kind: "stall" } : undefined);
      const submitted = harness.proxy.next(1, isSubmit);
      const probe = freshId();
      await harness.nodeRed.press("press-submit", { ...KEPT, ...good, probe });
      await submitted;
      await redeploy();
      const { value: shown } = await harness.nodeRed.shows(
        ({ name, value }) => name === "error" && (value as Message).probe === probe,
      );
      checkError(shown as Message, "submit", "WAIT_INTERRUPTED");
      should((shown as Message).crec?.walletOperationId).match(/^\d+$/);
    });
  });

  describe("afterwards", () => {
    it("Node-RED still runs, had no unexpected errors, and has shown no private key", async () => {
      harness.checkRunsWell();
      await harness.checkNeverShown([harness.key]);
    });
  });
});
