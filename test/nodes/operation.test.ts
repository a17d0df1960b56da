import should from "should";
import {
  CrecClient,
  encodeFunctionCall,
  generatePrivateKey,
  operationDigest,
  parseAbi,
} from "../../src/index.ts";
import { type Message, withoutTimes } from "../support/flow-harness.ts";
import { freshId } from "../support/node-red.ts";
import {
  COMPANY,
  checkCompany,
  checkError,
  KEPT,
  OperationHarness,
  RECEIVER,
} from "../support/operation-harness.ts";
import { operationNode, signerNode, submitNode, TOKEN_ABI } from "../support/operation-nodes.ts";

type Record_ = Record<string, unknown>;

const GOOD = { to: RECEIVER, payload: "12345678901234567891" };
const DRAFT_CREC = ["channelId", "digest", "operationId", "preview", "status", "walletOperationId"];
const CREC = ["channelId", "operationId", "status"];

/** Drafts that a person approves, and the actions of the node. */
describe("drafts and the node operation", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  let client: CrecClient;
  const strangerKey = generatePrivateKey();

  const nodes = (): Parameters<OperationHarness["deploy"]>[0] => [
    [submitNode({ id: "draft", mode: "draft" }), 2],
    [submitNode({ id: "bold", mode: "draft", allowUnusual: true }), 2],
    [submitNode({ id: "soon", mode: "draft", deadline: "0.9" }), 2],
    [submitNode({ id: "moment", mode: "draft", deadline: "0.04" }), 2],
    [submitNode({ id: "endless", mode: "draft", deadline: "0" }), 2],
    [submitNode({ id: "usual", mode: "draft", deadline: "" }), 2],
    [submitNode({ id: "listed", mode: "draft", source: "message" }), 2],
    [submitNode({ resume: false }), 2],
    [operationNode("get"), 1],
    [operationNode("list"), 1],
    [operationNode("list", { id: "few", limit: "2", statuses: ["pending_signature", "cancelled"] }), 1],
    [operationNode("finalize"), 1],
    [operationNode("finalize", { id: "finalize-far", waitFor: "confirmed_latest" }), 1],
    [operationNode("finalize", { id: "finalize-any", digest: "" }), 1],
    [operationNode("finalize", { id: "stranger", signer: "stranger-signer" }), 1],
    [operationNode("cancel"), 1],
    [operationNode("cancel", { id: "cancel-soon", timeout: "2" }), 1],
    [operationNode("wait"), 1],
    [operationNode("wait", { id: "hasty", timeout: "0.3" }), 1],
    [operationNode("wait", { id: "misspelt", waitFor: "final" }), 1],
    [operationNode("list", { id: "none", limit: "0" }), 1],
    [operationNode("finalise", { id: "unknown" }), 1],
    [operationNode("finalize", { id: "unsigned", signer: "" }), 1],
  ];
  const config = () => [signerNode(strangerKey, { id: "stranger-signer" })];
  const deploy = () => harness.deploy(nodes(), config());

  before(async () => {
    harness = await OperationHarness.start();
    const { base_url, api_key } = harness.service.ready;
    client = new CrecClient({ baseUrl: base_url, apiKey: api_key });
    await deploy();
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(async () => {
    await client?.close();
    await harness?.close();
  });

  const draft = async (id = "draft") => (await harness.ask(id, GOOD)).crec ?? {};
  const stored = ({ channelId, operationId }: Record_) =>
    client.operations.get(String(channelId), String(operationId));
  const signed = async (operation: Awaited<ReturnType<typeof stored>>) => {
    const { wallet_operation_id: id, address: account, deadline, transactions } = operation;
    return operationDigest({ id, account, deadline, transactions }, harness.service.ready.chain_id);
  };

  describe("a draft", () => {
    it("is sent to the first output, unsigned, with its calls in readable form", async () => {
      const msg = await harness.ask("draft", { ...COMPANY, ...GOOD });
      checkCompany(msg, DRAFT_CREC);
      should(msg.topic).equal("mine");
      const { DemoToken: to } = harness.service.ready.contracts;
      should(msg.payload).have.properties({
        operation_id: msg.crec?.operationId,
        wallet_operation_id: msg.crec?.walletOperationId,
        status: "pending_signature",
        signature: null,
      });
      should(msg.crec).have.property("status", "pending_signature");
      should(msg.crec?.preview).deepEqual([
        {
          ...{ to, value: "0", contract: to, function: "transfer(address,uint256)" },
          args: { to: RECEIVER, value: GOOD.payload },
          // The service was asked whether there is a contract at the address, and it has told its decimals.
          tokens: { value: "12.345678901234567891" },
        },
      ]);
      should(msg.crec?.digest).equal(await signed(await stored(msg.crec ?? {})));
      should(harness.seenAt("draft:1", msg.probe)).be.empty();
      should(harness.nodeRed.statuses("draft").at(-1)).match({
        fill: "yellow",
        code: "pending_signature",
        text: "waits for approval",
      });
    });

    it("has no deadline with 0, and 15 minutes by default", async () => {
      const deadline = async (id: string) => ((await harness.ask(id, GOOD)).payload as Record_).deadline;
      should(await deadline("endless")).equal(0);
      const now = Date.now() / 1000;
      should(Number(await deadline("usual")) - now).be.within(14 * 60, 15 * 60 + 20);
    });

    it("with a recipient that is most likely a mistake is not created, and with the tick only warned of", async () => {
      const unusual = { to: harness.wallet, payload: "0" };
      const caught = await harness.refuse("draft", { ...KEPT, ...unusual });
      checkError(caught, "draft", "UNUSUAL_RECIPIENT", "call 1: transfer from this wallet to itself");
      const { crec = {} } = await harness.ask("bold", unusual);
      const warning = "[warn] [crec-operation:finalize] Call 1: transfer from this wallet to itself";
      should(harness.nodeRed.log).not.containEql(warning);
      await harness.ask("finalize", { crec });
      should(harness.nodeRed.log).containEql(warning);
    });

    it("shows the bytes of raw calls", async () => {
      const token = harness.service.ready.contracts.DemoToken ?? "";
      const calls = [
        { to: RECEIVER, value: "1" },
        { to: token, data: "0x12345678" },
      ];
      const { crec } = await harness.ask("listed", { payload: calls });
      should(crec?.preview).deepEqual([
        { to: RECEIVER, value: "1", ether: "0.000000000000000001" },
        { to: token, value: "0", contract: token, data: "0x12345678" },
      ]);
    });
  });

  describe("get", () => {
    it("sends the operation, its digest and its readable calls, as the draft had them", async () => {
      const crec = await draft();
      const msg = await harness.ask("get", {
        ...COMPANY,
        crec: { keep: "me", operationId: crec.operationId },
      });
      checkCompany(msg, DRAFT_CREC);
      should(msg.crec).deepEqual({ keep: "me", ...withoutTimes({ crec }) });
      should(msg.payload).deepEqual(JSON.parse(JSON.stringify(await stored(crec))));
    });

    it("uses the names of the contract node, and no names that do not fit the bytes", async () => {
      const { channelId } = await draft();
      const { data } = encodeFunctionCall({
        abi: parseAbi(TOKEN_ABI),
        function: "transfer",
        args: [RECEIVER, "9"],
      });
      const { chain_selector, contracts } = harness.service.ready;
      const token = contracts.DemoToken ?? "";
      const stranger = "0x00000000000000000000000000000000000000AA";
      const metadata = { args: { to: "0x1111111111111111111111111111111111111111", value: "1" } };
      const call = (to: string, function_signature: string) => ({
        ...{ to, value: "0", data },
        preview: { function_signature, metadata },
      });
      const named = "transfer(address,uint256)";
      const { operation } = await client.operations.draft(String(channelId), {
        ...{ chain_selector, address: harness.wallet },
        transactions: [
          call(stranger, "harmless(address,uint256)"),
          call(stranger, named),
          call(stranger, "ha ha"),
          call(token, "harmless(address,uint256)"),
        ],
      });
      const { crec } = await harness.ask("get", { crec: { operationId: operation.operation_id } });
      should(crec?.preview).deepEqual([
        { to: stranger, value: "0", data },
        { to: stranger, value: "0", function: named, args: { 0: RECEIVER, 1: "9" } },
        { to: stranger, value: "0", data },
        {
          to: token,
          value: "0",
          contract: token,
          function: named,
          args: { to: RECEIVER, value: "9" },
          tokens: { value: "0.000000000000000009" },
        },
      ]);
    });

    it("of an unknown id is OPERATION_NOT_FOUND, and without an id MISSING_VALUE", async () => {
      const other = "0f8fad5b-d9cb-469f-a165-70867728950e";
      const caught = await harness.refuse("get", { ...KEPT, crec: { keep: "me", operationId: other } });
      checkError(caught, "get", "OPERATION_NOT_FOUND", "Check both ids");
      checkError(await harness.refuse("get", KEPT), "get", "MISSING_VALUE", "msg.crec.operationId");
    });
  });

  describe("list", () => {
    it("sends all of the channel, newest first, or only some statuses", async () => {
      const [first, second, third] = [await draft(), await draft(), await draft()];
      await harness.ask("cancel", { crec: second });
      const sent = await harness.ask("submit", GOOD);
      const msg = await harness.ask("list", COMPANY);
      checkCompany(msg, ["status"]);
      const ids = (payload: unknown) => (payload as Record_[]).map(({ operation_id }) => operation_id);
      should(ids(msg.payload).slice(0, 4)).deepEqual(
        [sent.crec, third, second, first].map((crec) => crec?.operationId),
      );
      const few = await harness.ask("few", COMPANY);
      should(ids(few.payload)).deepEqual([third.operationId, second.operationId]);
    });

    it("reads all pages up to the limit", async () => {
      await draft();
      harness.proxy.harm = ({ method, path, query }) =>
        method === "GET" && path.endsWith("/operations") && query.includes("limit=2")
          ? {
              kind: "change",
              change: (body) => JSON.stringify({ data: JSON.parse(body).data.slice(0, 1), has_more: true }),
            }
          : undefined;
      const from = harness.proxy.passed.length;
      const { payload } = await harness.ask("few", {});
      should(payload).have.length(2);
      // What other nodes of the flow still follow goes on asking.
      const lists = harness.proxy.passed.slice(from).filter(({ path }) => path.endsWith("/operations"));
      const queries = lists.map(({ query }) => query);
      should(queries).have.length(2);
      should(queries[1])
        .match(/limit=3/)
        .and.match(/status=pending_signature&status=cancelled/);
    });
  });

  describe("finalize", () => {
    it("signs what was approved, and waits until it is accepted", async () => {
      const crec = await draft();
      const msg = await harness.ask("finalize", { ...COMPANY, crec: { ...COMPANY.crec, ...crec } });
      checkCompany(msg, [...DRAFT_CREC, "verification"]);
      should(msg.payload).have.properties({ operation_id: crec.operationId, digest: crec.digest });
      should((msg.payload as Record_).status).not.equal("pending_signature");
      should(msg.crec?.status).equal((msg.payload as Record_).status);
      const done = await harness.ask("wait", {
        ...COMPANY,
        crec: { keep: "me", operationId: crec.operationId },
      });
      checkCompany(done, [...CREC, "verification"]);
      should((done.payload as Record_).transactionHash).match(/^0x[0-9a-f]{64}$/);
    });

    it("waits for the status in the form", async () => {
      const { payload } = await harness.ask("finalize-far", { crec: await draft() });
      should((payload as Record_).status).match(/^confirmed/);
      should((payload as Record_).transactionHash).match(/^0x[0-9a-f]{64}$/);
    });

    it("does not sign a draft with another digest", async () => {
      const [crec, other] = [await draft(), await draft()];
      const wrong = { ...KEPT, crec: { keep: "me", operationId: crec.operationId, digest: other.digest } };
      checkError(
        await harness.refuse("finalize", wrong),
        "finalize",
        "DIGEST_MISMATCH",
        "Nothing was signed",
      );
      const none = { ...KEPT, crec: { keep: "me", operationId: crec.operationId } };
      checkError(await harness.refuse("finalize", none), "finalize", "MISSING_VALUE", "Nothing was signed");
      should((await stored(crec)).status).equal("pending_signature");
      // Where the form asks for no digest, what is there is signed.
      await harness.ask("finalize-any", none);
      should((await stored(crec)).signature).be.a.String();
    });

    it("reports a key that the wallet does not allow", async () => {
      const crec = await draft();
      const caught = await harness.refuse("stranger", { ...KEPT, crec: { keep: "me", ...crec } });
      checkError(caught, "stranger", "VALIDATION_ERROR", "is not allowed on the wallet");
      should((await stored(crec)).status).equal("pending_signature");
    });

    it("is too late for a draft that is cancelled, finalized, expired or about to expire", async () => {
      const [cancelled, finalized, soon, moment] = await Promise.all([
        draft(),
        draft(),
        draft("soon"),
        draft("moment"),
      ]);
      await harness.ask("cancel", { crec: cancelled });
      await harness.ask("finalize", { crec: finalized });
      await client.operations
        .waitFor(String(moment.channelId), String(moment.operationId), { target: "accepted" })
        .catch(() => {});
      const late = async (crec: Record_, code: string, says: string) => {
        const caught = await harness.refuse("finalize", { ...KEPT, crec: { keep: "me", ...crec } });
        checkError(caught, "finalize", code, says);
        should(caught.crec).have.properties({ operationId: crec.operationId, digest: crec.digest });
      };
      await late(cancelled, "OPERATION_NOT_FINALIZABLE", "Check the status of the operation");
      await late(finalized, "OPERATION_NOT_FINALIZABLE", "Check the status of the operation");
      await late(soon, "OPERATION_DEADLINE_ELAPSED", "later deadline");
      await late(moment, "OPERATION_NOT_FINALIZABLE", "Check the status of the operation");
      const caught = await harness.refuse("wait", { ...KEPT, crec: { keep: "me", ...moment } });
      checkError(caught, "wait", "OPERATION_EXPIRED", "later deadline");
    });

    it("answered with an expired operation is OPERATION_EXPIRED", async () => {
      const crec = await draft("moment");
      const expired = client.operations
        .waitFor(String(crec.channelId), String(crec.operationId), { target: "accepted" })
        .catch(() => {});
      harness.proxy.harm = ({ method }) => {
        if (method !== "PATCH") return undefined;
        return {
          kind: "answer",
          status: 200,
          body: JSON.stringify({ operation_id: crec.operationId, status: "expired" }),
        };
      };
      await expired;
      const caught = await harness.refuse("finalize", { ...KEPT, crec: { keep: "me", ...crec } });
      checkError(caught, "finalize", "OPERATION_EXPIRED", "later deadline");
    });

    it("whose answer is lost is looked up", async () => {
      const crec = await draft();
      const [before] = [await stored(crec)];
      should(before.status).equal("pending_signature");
      harness.proxy.harm = ({ method }) =>
        method === "PATCH" ? { kind: "change", change: () => "<html>" } : undefined;
      const { payload } = await harness.ask("finalize", { crec });
      should((payload as Record_).operation_id).equal(crec.operationId);
      should((await stored(crec)).signature).be.a.String();
    });
  });

  describe("cancel", () => {
    it("sends the cancelled draft, once", async () => {
      const crec = await draft();
      const message = { ...COMPANY, crec: { ...COMPANY.crec, operationId: crec.operationId } };
      const msg = await harness.ask("cancel", message);
      checkCompany(msg, CREC);
      should(msg.payload).have.properties({ operation_id: crec.operationId, status: "cancelled" });
      should(msg.crec).have.property("status", "cancelled");
      const caught = await harness.refuse("cancel", { ...KEPT, crec: { keep: "me", ...crec } });
      checkError(caught, "cancel", "OPERATION_NOT_CANCELLABLE", "Check its status");
      const waited = await harness.refuse("wait", { ...KEPT, crec: { keep: "me", ...crec } });
      checkError(waited, "wait", "OPERATION_CANCELLED", "if it is still needed");
    });

    it("of one without a deadline is tried again for the timeout of the node", async () => {
      const crec = await draft("endless");
      let tried = 0;
      harness.proxy.harm = ({ method }) => {
        if (method === "PATCH") tried += 1;
        return method === "PATCH" ? { kind: "answer", status: 503, body: "{}" } : undefined;
      };
      const from = performance.now();
      const caught = await harness.refuse("cancel-soon", { ...KEPT, crec: { keep: "me", ...crec } });
      checkError(caught, "cancel-soon", "SERVICE_ERROR");
      should(performance.now() - from).be.below(10_000);
      should(tried).be.above(1);
    });
  });

  describe("wait", () => {
    it("follows a draft that is finalized meanwhile", async () => {
      const crec = await draft();
      const looked = harness.proxy.next(2, ({ path }) => path.endsWith("/events/search"));
      const waiting = harness.ask("wait", { crec });
      await looked;
      await harness.ask("finalize", { crec });
      should(((await waiting).payload as Record_).status).match(/^confirmed/);
    });

    it("reports why an operation failed, as submit operation does", async () => {
      const caught = await harness.refuse("submit", { ...KEPT, to: RECEIVER, payload: String(10n ** 30n) });
      checkError(caught, "submit", "OPERATION_FAILED", "InsufficientBalance");
      const again = await harness.refuse("wait", { ...KEPT, crec: caught.crec ?? {} });
      checkError(again, "wait", "OPERATION_FAILED", "InsufficientBalance");
      should(again.error?.message).equal(caught.error?.message);
    });

    it("resumes a wait that a deploy has interrupted", async () => {
      let isAnswered = false;
      const noted = (body: string) => {
        isAnswered = true;
        return body;
      };
      harness.proxy.harm = ({ method, path }) => {
        if (path.endsWith("/events/search")) return { kind: "stall" };
        return method === "POST" && path.endsWith("/operations")
          ? { kind: "change", change: noted }
          : undefined;
      };
      // Other operations are looked for, too.
      const looked = harness.proxy.next(1, ({ path }) => isAnswered && path.endsWith("/events/search"));
      const probe = freshId();
      await harness.nodeRed.press("press-submit", { ...KEPT, ...GOOD, probe });
      await looked;
      const changed = nodes().map(([node, ports]) =>
        node.id === "submit" ? [{ ...node, name: "changed" }, ports] : [node, ports],
      ) as ReturnType<typeof nodes>;
      await harness.deploy(changed, config(), "nodes");
      const { value } = await harness.nodeRed.shows(
        (shown) => shown.name === "error" && (shown.value as Message).probe === probe,
      );
      const caught = value as Message;
      checkError(caught, "submit", "WAIT_INTERRUPTED");
      harness.proxy.harm = () => undefined;
      const { error: _error, ...message } = caught;
      const { payload, crec } = await harness.ask("wait", message);
      should((payload as Record_).wallet_operation_id).equal(caught.crec?.walletOperationId);
      should(crec?.status).match(/^confirmed/);
    });

    it("that times out is WAIT_TIMEOUT, with the id", async () => {
      const crec = await draft();
      const caught = await harness.refuse("hasty", { ...KEPT, crec: { keep: "me", ...crec } });
      checkError(caught, "hasty", "WAIT_TIMEOUT");
      should(caught.crec).have.property("operationId", crec.operationId);
    });
  });

  describe("a wrong form", () => {
    it("is an error that names the field, before any request", async () => {
      const crec = { keep: "me", ...(await draft()) };
      const from = harness.proxy.passed.length;
      const refused = async (id: string, code: string, says: string) =>
        checkError(await harness.refuse(id, { ...KEPT, crec }), id, code, says);
      await refused("misspelt", "INVALID_FIELD", '"Wait until"');
      await refused("none", "INVALID_FIELD", '"Limit"');
      await refused("unknown", "UNKNOWN_ACTION", '"finalise"');
      await refused("unsigned", "SIGNER_MISSING", "choose one");
      should(harness.proxy.passed.slice(from).filter(({ path }) => path.includes("/operations"))).be.empty();
    });
  });

  describe("afterwards", () => {
    it("Node-RED still runs, had no unexpected errors, and has shown no private key", async () => {
      harness.checkRunsWell();
      await harness.checkNeverShown([harness.key, strangerKey]);
    });
  });
});
