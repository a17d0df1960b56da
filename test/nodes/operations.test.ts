import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { type Anvil, startAnvil } from "../../service/src/chain/anvil.ts";
import type { RunningService } from "../../service/src/index.ts";
import {
  encodeFunctionCall,
  generatePrivateKey,
  localEcdsaSigner,
  operationDigest,
  parseAbi,
} from "../../src/index.ts";
import { ask, benchFlow, type Message, refuse } from "../support/bench.ts";
import { type FlowNode, freshId, NodeRed, UserDir } from "../support/node-red.ts";
import { channelNode, connectionNode, contractNode, manageNode } from "../support/nodes.ts";
import {
  COUNTER_ABI,
  call,
  queryNode,
  REGISTRY_ABI,
  signerNode,
  submitNode,
  TOKEN_ABI,
  value,
  walletNode,
} from "../support/operation-nodes.ts";
import { ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";

const LADDER = [
  "accepted",
  "sending",
  "sent",
  "broadcasting",
  "confirmed_latest",
  "confirmed_safe",
  "confirmed",
];
const RECEIVER = "0x00000000000000000000000000000000DeaDBeef";
const NOBODY = "0x1111111111111111111111111111111111111111";
const SEPOLIA = "16015286601757825753";
/** Above 2^53, and no number that a double holds. */
const AMOUNT = "12345678901234567891";
const SENSOR = `0x${"5e".repeat(32)}`;

/** What comes with every message here, and must go out again as it was. */
const COMPANY = {
  topic: "mine",
  extra: { nested: [1, { two: "2" }] },
  crec: { keep: "me", status: "of before" },
};

type Record_ = Record<string, unknown>;

/** The nodes that act and ask, in a real Node-RED, against the real service on a chain that can go away. */
describe("nodes of operations and queries", function () {
  this.timeout(60_000);

  const key = generatePrivateKey();
  const strangerKey = generatePrivateKey();
  const malformedKey = `${generatePrivateKey()}5eed`;
  const owner = localEcdsaSigner(key).address;

  let folder: string;
  let anvil: Anvil;
  let chain: ServiceProxy;
  let service: RunningService;
  let proxy: ServiceProxy;
  let userDir: UserDir;
  let nodeRed: NodeRed;
  let wallet: string;

  const contracts = (): FlowNode[] => {
    const { ready } = service;
    const contract = (id: string, name: string, abi: string, more: Partial<FlowNode> = {}) =>
      contractNode(ready, { id, address: ready.contracts[name], abi, ...more });
    return [
      contract("token", "DemoToken", TOKEN_ABI),
      contract("counter", "Counter", COUNTER_ABI),
      contract("registry", "SensorRegistry", REGISTRY_ABI),
      contract("elsewhere", "Counter", COUNTER_ABI, { chainSelector: SEPOLIA }),
      contract("codeless", "DemoToken", TOKEN_ABI, { address: NOBODY }),
    ];
  };

  const config = (): FlowNode[] => [
    connectionNode(service.ready, { baseUrl: proxy.baseUrl }),
    channelNode({ createMissing: true }),
    ...contracts(),
    signerNode(key),
    walletNode(service.ready),
  ];

  const deploy = (nodes: ReadonlyArray<[FlowNode, number]>, more: readonly FlowNode[] = []) =>
    nodeRed.deploy(benchFlow([...config(), ...more], nodes));

  const faucet = async (body: Record_): Promise<void> => {
    const { base_url, api_key } = service.ready;
    const answer = await fetch(`${base_url}/local/faucet`, {
      method: "POST",
      headers: { authorization: `Apikey ${api_key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    should(answer.status).equal(200);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-chain-"));
    [anvil, userDir] = await Promise.all([startAnvil(folder), UserDir.make()]);
    chain = await ServiceProxy.before(anvil.rpcUrl);
    service = await startTestService({ rpcUrl: chain.baseUrl });
    proxy = await ServiceProxy.before(service.ready.base_url);
    nodeRed = await NodeRed.start(userDir, {}, { define: ["logging.console.level=trace"] });
    await deploy([[manageNode("wallets.create-or-find", { wallet: "wallet" }), 1]]);
    const { crec } = await ask(nodeRed, "manage", {});
    wallet = String(crec?.walletAddress);
    await faucet({ to: wallet, amount: "1000000000000000000000" });
    await faucet({ to: wallet, amount: "1000", token: "native" });
  });

  afterEach(() => {
    proxy.harm = () => undefined;
  });

  after(async () => {
    await nodeRed?.kill();
    await proxy?.close();
    await service?.close();
    await chain?.close();
    await anvil?.stop();
    await userDir?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const isRed = ({ fill }: { fill?: string }) => fill === "red";
  const isFine = ({ fill }: { fill?: string }) => fill === "green" || fill === "blue";

  /** What came out beside the answer: the rest of the message, and only what is promised in `msg.crec`. */
  function checkCompany(msg: Message, crec: readonly string[]): void {
    should(msg.extra).deepEqual(COMPANY.extra);
    should(msg.odd).deepEqual([]);
    should(Object.keys(msg).sort()).deepEqual([
      "_msgid",
      "crec",
      "extra",
      "odd",
      "payload",
      "probe",
      "topic",
    ]);
    should(Object.keys(msg.crec ?? {}).sort()).deepEqual(["keep", ...crec].sort());
    should(msg.crec).have.property("keep", "me");
  }

  const without = (msg: Message, ...names: string[]): Message =>
    Object.fromEntries(Object.entries(msg).filter(([name]) => !names.includes(name)));

  function checkError(msg: Message, id: string, code: string, says?: string | RegExp): void {
    const { error = { message: "", code: "", source: { id: "" } } } = msg;
    should(error.code).equal(code, error.message);
    should(error.source.id).equal(id);
    const sentence = error.message.replace(/^\w+: /, "");
    should(sentence).match(/^["\w].*[.)]( It (said|begins): .*)?$/s);
    should(sentence.length).be.below(400);
    should(sentence).not.match(/undefined|\[object|TypeError|NaN/);
    if (typeof says === "string") should(sentence).containEql(says);
    else if (says) should(sentence).match(says);
    should(msg).have.property("kept", "as it was");
    should(msg.crec).have.property("keep", "me");
  }

  const KEPT = { kept: "as it was", crec: { keep: "me" } };

  /** Sends what is refused, then what is good, through one and the same node; gives what Catch got. */
  async function refusedThenFine(
    id: string,
    [code, says]: [string, (string | RegExp)?],
    bad: Message,
    good: Message,
  ): Promise<Message> {
    const caught = await refuse(nodeRed, id, { ...KEPT, ...bad });
    checkError(caught, id, code, says);
    await nodeRed.status(id, isRed);
    should(nodeRed.statuses(id).at(-1)).have.properties({ fill: "red", shape: "ring" });
    await ask(nodeRed, id, good);
    await nodeRed.status(id, isFine);
    return caught;
  }

  /** What left a port for the message of this probe. */
  const seenAt = (name: string, probe: unknown): Message[] =>
    nodeRed
      .shown(name)
      .map((shown) => shown.value as Message)
      .filter((msg) => msg.probe === probe);

  const fromPort = async (name: string, probe: unknown, status: string): Promise<Message[]> => {
    await nodeRed.showing(name, (shown) => {
      const { probe: its, crec } = shown as Message;
      return its === probe && crec?.status === status;
    });
    return seenAt(name, probe);
  };

  const CREC = ["channelId", "digest", "operationId", "status", "walletOperationId"];

  describe("submit operation", () => {
    const good = { to: RECEIVER, payload: "1" };
    before(() =>
      deploy(
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

    it("gives the operation with its transaction, and every rung by the second port", async () => {
      const msg = await ask(nodeRed, "submit", { ...COMPANY, to: RECEIVER, payload: AMOUNT });
      checkCompany(without(msg, "to"), CREC);
      should(msg.topic).equal("mine");
      const payload = msg.payload as Record_;
      const { crec = {} } = msg;
      should(payload).have.properties({
        operation_id: crec.operationId,
        wallet_operation_id: crec.walletOperationId,
        digest: crec.digest,
        status: crec.status,
        address: wallet,
        chain_selector: service.ready.chain_selector,
      });
      should(LADDER.slice(4)).containEql(crec.status);
      should(payload.transactionHash).match(/^0x[0-9a-f]{64}$/);
      const { data } = encodeFunctionCall({
        abi: parseAbi(TOKEN_ABI),
        function: "transfer",
        args: [RECEIVER, AMOUNT],
      });
      const { chain_id, contracts: there } = service.ready;
      should(payload.transactions).deepEqual([{ to: there.DemoToken, value: "0", data }]);
      const signed = {
        id: String(crec.walletOperationId),
        account: wallet,
        deadline: Number(payload.deadline),
        transactions: payload.transactions as Array<{ to: string; value: string; data: `0x${string}` }>,
      };
      should(crec.digest).equal(operationDigest(signed, chain_id));
      should(signed.deadline).be.approximately(Date.now() / 1000 + 900, 30);

      const rungs = await fromPort("submit:1", msg.probe, "confirmed");
      should(rungs.map((one) => one.payload)).deepEqual(LADDER.map((status) => ({ status, reason: "" })));
      should(rungs.map(({ topic }) => topic)).deepEqual(LADDER.map((status) => `operation.status/${status}`));
      for (const [index, rung] of rungs.entries()) {
        checkCompany(without(rung, "to"), CREC);
        should(rung.crec).deepEqual({ ...crec, status: LADDER[index] });
      }
      await nodeRed.status("submit", "confirmed");
      should(seenAt("submit:0", msg.probe)).have.length(1);
    });

    it("carries out several calls as one, raw ones too, with values from the message, the flow and JSONata", async () => {
      await ask(nodeRed, "remember", { payload: RECEIVER });
      const { data } = encodeFunctionCall({
        abi: parseAbi("function add(uint256 amount) payable"),
        function: "add",
        args: ["5"],
      });
      const counter = service.ready.contracts.Counter ?? "";
      const msg = await ask(nodeRed, "batch", {
        ...COMPANY,
        payload: { to: counter.toUpperCase().replace("X", "x"), data },
      });
      checkCompany(msg, CREC);
      // It waited for the rung that it was told.
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
        to: service.ready.contracts.DemoToken,
        value: "0",
        data: token.data,
      });
      should(seenAt("batch:1", msg.probe).map(({ crec }) => crec?.status)).deepEqual(LADDER);
    });

    it("takes a list of calls from the message, up to 16", async () => {
      const { DemoToken: to = "" } = service.ready.contracts;
      const { data } = encodeFunctionCall({
        abi: parseAbi(TOKEN_ABI),
        function: "transfer",
        args: [RECEIVER, "1"],
      });
      const msg = await ask(nodeRed, "listed", {
        payload: [{ to, data }, ...Array(15).fill({ to: RECEIVER, value: "1" })],
      });
      const { transactions } = msg.payload as { transactions: Record_[] };
      should(transactions).have.length(16);
      should(transactions.slice(0, 2)).deepEqual([
        { to, value: "0", data },
        { to: RECEIVER, value: "1", data: "0x" },
      ]);
    });

    it("tells nothing more once the first port has sent, where that is not wanted", async () => {
      const msg = await ask(nodeRed, "quiet", { ...good });
      await nodeRed.status("quiet", isFine);
      // Another operation has climbed all the way meanwhile.
      const other = await ask(nodeRed, "submit", { ...good });
      await fromPort("submit:1", other.probe, "confirmed");
      should(seenAt("quiet:1", msg.probe).map(({ crec }) => crec?.status)).deepEqual(["accepted"]);
    });
  });

  describe("submit operation, with something wrong in the message: the next message works", () => {
    const TOO_MUCH = String(10n ** 30n);
    const good = { to: RECEIVER, payload: "1" };
    before(() =>
      deploy([
        [submitNode(), 2],
        [
          submitNode({
            id: "fails",
            calls: [
              call("counter", "add(uint256)", value("1")),
              call("counter", "failWithReason(string)", value("payload", "msg")),
            ],
          }),
          2,
        ],
        [
          submitNode({
            id: "coins",
            calls: [
              {
                ...call("token", "transfer(address,uint256)", value(RECEIVER), value("1")),
                amount: value("amount", "msg"),
              },
            ],
          }),
          2,
        ],
        [submitNode({ id: "listed", source: "message" }), 2],
        [
          submitNode({
            id: "expression",
            calls: [call("counter", "add(uint256)", value("$number(payload)", "jsonata"))],
          }),
          2,
        ],
      ]),
    );

    it("a call that reverts with an error of the contract", async () => {
      const says =
        /InsufficientBalance\(holder: 0x\w{40}, balance: \d+, needed: 1000000000000000000000000000000\)/;
      const caught = await refusedThenFine(
        "submit",
        ["OPERATION_FAILED", says],
        { to: RECEIVER, payload: TOO_MUCH },
        good,
      );
      const told = await fromPort("submit:1", caught.probe, "failed");
      should(told.at(-1)).match({
        topic: "operation.status/failed",
        payload: { status: "failed", reason: says },
      });
      should(told.at(-1)?.crec).have.properties({
        operationId: caught.crec?.operationId,
        walletOperationId: caught.crec?.walletOperationId,
      });
      should(caught.error?.message).containEql(String(caught.crec?.operationId));
      should(seenAt("submit:0", caught.probe)).be.empty();
    });

    it("a call that reverts with a text, in the middle of several: none is carried out", async () => {
      const caught = await refuse(nodeRed, "fails", { ...KEPT, payload: "no more today" });
      checkError(caught, "fails", "OPERATION_FAILED", "transaction 2 of 2: no more today");
      await nodeRed.status("fails", isRed);
    });

    const badValues: Array<[string, string, string, Message]> = [
      ["text where a number belongs", "INVALID_ARGUMENT", "calls[0].args.value", { ...good, payload: "ten" }],
      [
        "an object where a number belongs",
        "INVALID_ARGUMENT",
        "calls[0].args.value",
        { ...good, payload: {} },
      ],
      [
        "a number that a message cannot hold",
        "INVALID_ARGUMENT",
        "calls[0].args.value",
        { ...good, payload: 2 ** 60 },
      ],
      ["a fraction", "INVALID_ARGUMENT", "calls[0].args.value", { ...good, payload: 1.5 }],
      [
        "more than 256 bits",
        "INTEGER_OUT_OF_RANGE",
        "calls[0].args.value",
        { ...good, payload: String(2n ** 256n) },
      ],
      ["a negative number", "INTEGER_OUT_OF_RANGE", "calls[0].args.value", { ...good, payload: -1 }],
      ["a value that the message lacks", "INVALID_ARGUMENT", "calls[0].args.value", { to: RECEIVER }],
      ["an address too short", "INVALID_ADDRESS", "calls[0].args.to", { ...good, to: "0x12" }],
      [
        "an address with a mistyped letter",
        "INVALID_ADDRESS",
        "calls[0].args.to",
        { ...good, to: RECEIVER.replace("D", "d") },
      ],
      ["a number for an address", "INVALID_ARGUMENT", "calls[0].args.to", { ...good, to: 1 }],
    ];
    for (const [what, code, path, bad] of badValues) {
      it(what, async () => {
        const caught = await refusedThenFine("submit", [code, path], bad, good);
        // Nothing was sent.
        should(caught.crec).deepEqual({ keep: "me" });
        should(seenAt("submit:1", caught.probe)).be.empty();
      });
    }

    const badAmounts: Array<[string, string, unknown]> = [
      ["negative", "INTEGER_OUT_OF_RANGE", "-1"],
      ["no number", "INVALID_ARGUMENT", "much"],
      ["a list", "INVALID_FIELD", [1]],
    ];
    for (const [what, code, amount] of badAmounts) {
      it(`an amount that is ${what}`, () =>
        refusedThenFine("coins", [code, "calls[0].amount"], { payload: 1, amount }, { payload: 1 }));
    }

    it("coins for a function that takes none", () =>
      refusedThenFine(
        "coins",
        ["OPERATION_FAILED", "reverted without a reason"],
        { payload: 1, amount: "1" },
        { payload: 1 },
      ));

    it("an expression that cannot be worked out", () =>
      refusedThenFine(
        "expression",
        ["INVALID_FIELD", "calls[0].args[0]"],
        { payload: "many" },
        { payload: "1" },
      ));

    const raw = { to: RECEIVER, value: "1" };
    const badLists: Array<[string, string, string, unknown]> = [
      ["no list", "INVALID_FIELD", "list of {to, value, data}", { to: RECEIVER }],
      ["an empty list", "NO_CALLS", "no calls", []],
      ["more than 16 calls", "TOO_MANY_CALLS", "this one has 17", Array(17).fill(raw)],
      ["a call to nowhere", "INVALID_ADDRESS", "calls[1].to", [raw, { value: "1" }]],
      ["null for a call", "INVALID_ADDRESS", "calls[0].to", [null]],
      ["half a byte of data", "INVALID_ARGUMENT", "calls[1].data", [raw, { ...raw, data: "0x123" }]],
      [
        "an amount beyond 256 bits",
        "INTEGER_OUT_OF_RANGE",
        "calls[0].value",
        [{ ...raw, value: String(2n ** 256n) }],
      ],
    ];
    for (const [what, code, says, payload] of badLists) {
      it(`as a list of calls, ${what}`, () =>
        refusedThenFine("listed", [code, says], { payload }, { payload: [raw] }));
    }

    it("an unknown channel", () =>
      refusedThenFine(
        "submit",
        ["CHANNEL_NOT_FOUND"],
        { ...good, crec: { keep: "me", channelId: "00000000-0000-4000-8000-000000000000" } },
        good,
      ));
  });

  describe("submit operation, with something wrong in the form: red, until the form is mended", () => {
    const good = { to: RECEIVER, payload: "1" };
    const cases: Array<[string, [string, (string | RegExp)?], Partial<FlowNode>]> = [
      [
        "too few arguments",
        ["INVALID_ARGUMENT", "calls[0].args must have 2 value(s)"],
        { calls: [call("token", "transfer(address,uint256)", value(RECEIVER))] },
      ],
      [
        "an unknown function",
        ["FUNCTION_NOT_IN_ABI", 'no function "mint(uint256)"'],
        { calls: [call("token", "mint(uint256)", value("1"))] },
      ],
      [
        "a contract on another network",
        ["NETWORK_DIFFERS", SEPOLIA],
        { calls: [call("elsewhere", "add(uint256)", value("1"))] },
      ],
      ["no contract", ["CONTRACT_MISSING"], { calls: [call("", "add(uint256)", value("1"))] }],
      ["no call", ["NO_CALLS"], { calls: [] }],
      [
        "17 calls",
        ["TOO_MANY_CALLS"],
        { calls: Array(17).fill(call("counter", "add(uint256)", value("1"))) },
      ],
      ["no channel", ["CHANNEL_MISSING"], { channel: "" }],
      ["no wallet", ["WALLET_MISSING"], { wallet: "" }],
      ["a rung that is none", ["INVALID_FIELD", "Wait until"], { waitFor: "confirmd" }],
      ["a wait of no length", ["INVALID_FIELD", "Wait at most"], { timeout: "soon" }],
      ["a deadline that is none", ["INVALID_ARGUMENT", "deadline"], { deadline: "soon" }],
      ["a wallet that nobody has deployed", ["WALLET_NOT_FOUND", '"nobody"'], { wallet: "unknown" }],
      ["an address that is no wallet", ["WALLET_NOT_FOUND"], { wallet: "unknown-address" }],
      ["a wallet without a signer", ["SIGNER_MISSING"], { wallet: "signerless" }],
      ["a signer without a key", ["SIGNER_INCOMPLETE"], { wallet: "keyless" }],
      ["a malformed key", ["INVALID_PRIVATE_KEY"], { wallet: "malformed" }],
      [
        "a signer that the wallet does not allow",
        ["VALIDATION_ERROR", "not allowed on the wallet"],
        { wallet: "stranger" },
      ],
      ["a wallet without a network", ["WALLET_INCOMPLETE"], { wallet: "nowhere" }],
    ];

    it("each of them", async () => {
      const wallets = (signer: string, id = signer, more: Partial<FlowNode> = {}) =>
        walletNode(service.ready, { id, signer, ...more });
      await deploy(
        cases.map(([, , properties], index) => [submitNode({ id: `case-${index}`, ...properties }), 2]),
        [
          wallets("signer", "unknown", { wallet: "nobody" }),
          wallets("signer", "unknown-address", { wallet: NOBODY }),
          wallets("", "signerless"),
          wallets("no-key", "keyless"),
          wallets("bad-key", "malformed"),
          wallets("strange-key", "stranger"),
          wallets("signer", "nowhere", { chainSelector: "" }),
          signerNode(undefined, { id: "no-key" }),
          signerNode(malformedKey, { id: "bad-key" }),
          signerNode(strangerKey, { id: "strange-key" }),
        ],
      );
      for (const [index, [what, [code, says]]] of cases.entries()) {
        const id = `case-${index}`;
        const caught = await refuse(nodeRed, id, { ...KEPT, ...good });
        try {
          checkError(caught, id, code, says);
          should(await nodeRed.status(id, isRed)).have.property("shape", "ring");
          should(seenAt(`${id}:1`, caught.probe)).be.empty();
        } catch (cause) {
          throw new Error(`${what}: ${(cause as Error).message}`, { cause });
        }
      }
      await deploy(cases.map((_case, index) => [submitNode({ id: `case-${index}` }), 2]));
      await ask(nodeRed, "case-0", good);
    });

    it("an archived wallet, by name and by address", async () => {
      const old = walletNode(service.ready, { id: "old", wallet: "old-wallet" });
      await deploy(
        [
          [manageNode("wallets.create-or-find", { id: "make", wallet: "old" }), 1],
          [manageNode("wallets.archive", { id: "archive" }), 1],
          [
            submitNode({
              id: "by-name",
              wallet: "old",
              calls: [call("counter", "add(uint256)", value("1"))],
            }),
            2,
          ],
        ],
        [old],
      );
      const { crec } = await ask(nodeRed, "make", {});
      await ask(nodeRed, "by-name", {});
      await ask(nodeRed, "archive", { payload: "old-wallet" });
      checkError(
        await refuse(nodeRed, "by-name", KEPT),
        "by-name",
        "WALLET_ALREADY_ARCHIVED",
        "Use another wallet",
      );
      const submits = () =>
        proxy.passed.filter(({ method, path }) => method === "POST" && path.endsWith("/operations"));
      const before = submits().length;
      await deploy(
        [[submitNode({ id: "by-address", wallet: "old" }), 2]],
        [{ ...old, wallet: String(crec?.walletAddress) }],
      );
      const caught = await refuse(nodeRed, "by-address", { ...KEPT, ...good });
      checkError(caught, "by-address", "WALLET_ALREADY_ARCHIVED", "Use another wallet");
      await nodeRed.status("by-address", isRed);
      // That will not change: it is not asked again and again.
      should(submits().length - before).equal(1);
    });
  });

  describe("manage, of wallets", () => {
    before(() =>
      deploy(
        [
          [manageNode("wallets.list", { id: "list" }), 1],
          [manageNode("wallets.get", { id: "get" }), 1],
          [
            manageNode("wallets.create-or-find", {
              ...{ id: "make", wallet: "managed", description: "description", descriptionType: "msg" },
            }),
            1,
          ],
          [manageNode("wallets.rename", { id: "rename", newName: "newName", newNameType: "msg" }), 1],
          [manageNode("wallets.archive", { id: "archive" }), 1],
        ],
        [walletNode(service.ready, { id: "managed", wallet: "managed-wallet" })],
      ),
    );

    const CREC_WALLET = ["status", "walletAddress", "walletId"];
    const good = async (id: string, message: Message, more: readonly string[] = []) => {
      const msg = await ask(nodeRed, id, { ...COMPANY, ...message });
      checkCompany(without(msg, "description", "newName"), [...CREC_WALLET, ...more]);
      should(msg.topic).equal("mine");
      return msg;
    };

    it("creates one for the signer and waits until it is deployed, then finds it", async () => {
      const made = await good("make", { description: "by a test" }, ["found"]);
      should(made.payload).have.properties({
        ...{ name: "managed-wallet", description: "by a test", status: "deployed", wallet_type: "ecdsa" },
        ...{ wallet_owner_address: owner, allowed_ecdsa_signers: [owner] },
      });
      should(made.crec).have.properties({ status: "deployed", found: false });
      should(made.crec?.walletAddress).equal((made.payload as Record_).address);
      const texts = nodeRed.statuses("make").map(({ text }) => text);
      should(texts[0]).equal("manage.status.working");
      should(texts.at(-1)).equal("deployed");
      const found = await good("make", {}, ["found"]);
      should(found.crec).deepEqual({ ...made.crec, found: true });
    });

    it("gets one by name and by id, and lists all", async () => {
      const byName = await good("get", { payload: "managed-wallet" });
      const byId = await good("get", { payload: byName.crec?.walletId });
      should(byId.payload).deepEqual(byName.payload);
      const listed = await ask(nodeRed, "list", { ...COMPANY });
      checkCompany(listed, ["status"]);
      should(listed.payload).containDeep([{ name: "bench-wallet" }, { name: "managed-wallet" }]);
    });

    it("renames and archives one", async () => {
      const renamed = await good("rename", { payload: "managed-wallet", newName: "renamed-wallet" });
      should(renamed.payload).have.property("name", "renamed-wallet");
      const archived = await good("archive", { payload: "renamed-wallet" });
      should(archived.crec).have.properties({ walletId: renamed.crec?.walletId, status: "archived" });
    });

    it("says what cannot be, and goes on", async () => {
      await refusedThenFine(
        "get",
        ["WALLET_NOT_FOUND", '"nobody"'],
        { payload: "nobody" },
        { payload: "bench-wallet" },
      );
      const taken = { payload: "bench-wallet", newName: "twice" };
      await ask(nodeRed, "make", {});
      await refusedThenFine(
        "rename",
        ["WALLET_ALREADY_EXISTS"],
        { payload: "managed-wallet", newName: "bench-wallet" },
        { payload: "managed-wallet", newName: taken.newName },
      );
      const { crec } = await ask(nodeRed, "archive", { payload: taken.newName });
      const caught = await refuse(nodeRed, "archive", { ...KEPT, payload: crec?.walletId });
      checkError(caught, "archive", "WALLET_ALREADY_ARCHIVED");
      await nodeRed.status("archive", isRed);
    });
  });

  describe("run query", () => {
    const blockOf = ({ crec }: Message) => String((crec?.block as Record_ | undefined)?.number);
    const CREC_QUERY = ["block", "channelId", "queryId", "raw", "status", "verification"];
    before(() =>
      deploy([
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
            ...{ id: "raw", kind: "raw", chainSelector: service.ready.chain_selector },
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
      const msg = await ask(nodeRed, "query", { ...COMPANY, payload: wallet });
      checkCompany(msg, CREC_QUERY);
      should(msg.topic).equal("mine");
      should(msg.payload).match(/^\d{18,}$/);
      const { crec = {} } = msg;
      should(crec.status).equal("completed");
      should(crec.verification).match({ verified: true });
      should((crec.verification as { signers: string[] }).signers).have.length(
        service.ready.min_required_signatures,
      );
      should(BigInt(String(crec.raw))).equal(BigInt(String(msg.payload)));
      const block = crec.block as Record_;
      should(block.number).match(/^\d+$/);
      should(block.hash).match(/^0x[0-9a-f]{64}$/);
      const told = seenAt("query:1", msg.probe);
      should(told.length).be.above(0);
      for (const one of told) {
        const { status } = one.payload as { status: string };
        should(one.payload).deepEqual({ status });
        should(one.topic).equal(`query.status/${status}`);
        checkCompany(one, ["channelId", "queryId", "status"]);
        should(one.crec).have.properties({ queryId: crec.queryId, status });
      }
      await nodeRed.status("query", "completed");
    });

    it("gives several values as an object by name, wide integers as text", async () => {
      const { payload } = await ask(nodeRed, "several", {});
      should(payload).deepEqual({ value: "0", takenAt: "0", quality: "0", alarm: false });
    });

    it("asks with raw call data, and gives the bytes", async () => {
      const { data } = encodeFunctionCall({
        abi: parseAbi(TOKEN_ABI),
        function: "balanceOf",
        args: [wallet],
      });
      const msg = await ask(nodeRed, "raw", { payload: { to: service.ready.contracts.DemoToken, data } });
      should(msg.payload).match(/^0x[0-9a-f]{64}$/);
      should(msg.crec).have.property("raw", msg.payload);
    });

    it("reads the past at a block number, and what is final", async () => {
      const now = await ask(nodeRed, "query", { payload: RECEIVER });
      const number = blockOf(now);
      const sent = await ask(nodeRed, "submit", { to: RECEIVER, payload: "1000" });
      await fromPort("submit:1", sent.probe, "confirmed");
      const past = await ask(nodeRed, "at-block", { payload: RECEIVER, block: number });
      should(past.payload).equal(now.payload);
      should(past.crec?.block).deepEqual(now.crec?.block);
      // A number serves as well as its digits.
      should((await ask(nodeRed, "at-block", { payload: RECEIVER, block: Number(number) })).payload).equal(
        now.payload,
      );
      const final = await ask(nodeRed, "final", { payload: RECEIVER });
      should(BigInt(String(final.payload))).equal(BigInt(String(now.payload)) + 1000n);
    });

    it("leaves the check of the proof out where that is wanted", async () => {
      const msg = await ask(nodeRed, "unverified", { ...COMPANY, payload: wallet });
      checkCompany(
        msg,
        CREC_QUERY.filter((name) => name !== "verification"),
      );
    });

    it("says what a call reverted with, by the contract's own error too", async () => {
      const reverted = await refuse(nodeRed, "reverts", { ...KEPT, payload: "closed on Fridays" });
      checkError(reverted, "reverts", "QUERY_FAILED", /CALL_REVERTED.*closed on Fridays/);
      const told = await fromPort("reverts:1", reverted.probe, "failed");
      should(told.at(-1)).match({ topic: "query.status/failed", payload: { status: "failed" } });
      should(told.at(-1)?.crec).have.property("queryId", reverted.crec?.queryId);
      const own = await refuse(nodeRed, "as-somebody", { ...KEPT, payload: "9", from: RECEIVER });
      checkError(own, "as-somebody", "QUERY_FAILED", `Refused(caller: ${RECEIVER}, amount: 9)`);
      checkError(
        await refuse(nodeRed, "panics", { ...KEPT, payload: 1 }),
        "panics",
        "QUERY_FAILED",
        "division or modulo by zero",
      );
    });

    it("says that there is no contract", async () => {
      const caught = await refuse(nodeRed, "no-code", KEPT);
      checkError(caught, "no-code", "QUERY_FAILED", "CONTRACT_NOT_FOUND");
      await nodeRed.status("no-code", isRed);
    });

    it("refuses what is wrong in a message, and goes on", async () => {
      const good = { payload: wallet, block: "latest" };
      await refusedThenFine("query", ["INVALID_ADDRESS", "args.account"], { payload: "0x12" }, good);
      await refusedThenFine("query", ["INVALID_ARGUMENT", "args.account"], {}, good);
      const number = blockOf(await ask(nodeRed, "query", good));
      const past = { payload: wallet, block: number };
      await refusedThenFine(
        "at-block",
        ["QUERY_FAILED", "BLOCK_SELECTION_NOT_AVAILABLE"],
        { payload: wallet, block: "999999999" },
        past,
      );
      await refusedThenFine(
        "at-block",
        ["INVALID_ARGUMENT", "block number"],
        { payload: wallet, block: "newest" },
        past,
      );
      await refusedThenFine("at-block", ["MISSING_VALUE", "Block number"], { payload: wallet }, past);
      const { data } = encodeFunctionCall({
        abi: parseAbi(TOKEN_ABI),
        function: "balanceOf",
        args: [wallet],
      });
      const to = service.ready.contracts.DemoToken;
      await refusedThenFine(
        "raw",
        ["INVALID_ADDRESS"],
        { payload: { to: "0x1", data } },
        { payload: { to, data } },
      );
      await refusedThenFine(
        "raw",
        ["INVALID_ARGUMENT"],
        { payload: { to, data: "0x123" } },
        { payload: { to, data } },
      );
      await refusedThenFine(
        "raw",
        ["MISSING_VALUE", "Contract address"],
        { payload: { data } },
        { payload: { to, data } },
      );
    });

    it("refuses what is wrong in the form", async () => {
      checkError(await refuse(nodeRed, "few", KEPT), "few", "INVALID_ARGUMENT", "args must have 1 value(s)");
      checkError(await refuse(nodeRed, "no-function", KEPT), "no-function", "FUNCTION_NOT_IN_ABI");
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
        (body: string) =>
          JSON.stringify({ ...JSON.parse(body), query_id: "00000000-0000-4000-8000-000000000000" }),
      ]) {
        proxy.harm = ({ method, path }) =>
          method === "GET" && path.includes("/queries/") ? { kind: "change", change } : undefined;
        const caught = await refuse(nodeRed, "query", { ...KEPT, payload: wallet });
        checkError(caught, "query", "QUERY_NOT_VERIFIED");
        should(caught.crec?.verification).match({ verified: false });
        should(seenAt("query:0", caught.probe)).be.empty();
        await nodeRed.status("query", isRed);
      }
      proxy.harm = () => undefined;
      await ask(nodeRed, "query", { payload: wallet });
      await nodeRed.status("query", isFine);
    });
  });

  describe("while things happen", () => {
    const good = { to: RECEIVER, payload: "1" };
    /** Only what has changed: the catch of a flow that stops as a whole hears nothing any more. */
    const redeploy = () =>
      nodeRed.deploy(benchFlow(config(), [[submitNode({ name: "changed" }), 2]]), "nodes");
    const isLook = ({ path }: { path: string }) => path.endsWith("/events/search");

    it("a chain that is down is an error, and work goes on when it is back", async () => {
      await deploy([
        [submitNode(), 2],
        [queryNode(), 2],
      ]);
      await ask(nodeRed, "submit", good);
      await chain.goDown();
      const [submitted, asked] = await Promise.all([
        refuse(nodeRed, "submit", { ...KEPT, ...good }),
        refuse(nodeRed, "query", { ...KEPT, payload: wallet }),
      ]);
      checkError(submitted, "submit", "CHAIN_UNAVAILABLE");
      checkError(asked, "query", "QUERY_FAILED", "CHAIN_UNAVAILABLE");
      await nodeRed.status("submit", isRed);
      await nodeRed.status("query", isRed);
      await chain.comeBack();
      await ask(nodeRed, "submit", good);
      await ask(nodeRed, "query", { payload: wallet });
      await nodeRed.status("submit", isFine);
      await nodeRed.status("query", isFine);
    });

    it("a wait that is too long is WAIT_TIMEOUT, with the operation's id", async () => {
      await deploy([[submitNode({ id: "hasty", timeout: "0.4", waitFor: "confirmed" }), 2]]);
      const caught = await refuse(nodeRed, "hasty", { ...KEPT, ...good });
      checkError(caught, "hasty", "WAIT_TIMEOUT");
      should(caught.crec?.operationId).be.a.String();
      should(caught.crec?.walletOperationId).match(/^\d+$/);
    });

    it("a rung that is reached is told though the operation cannot be read", async () => {
      await deploy([[submitNode(), 2]]);
      proxy.harm = ({ method, path }) =>
        method === "GET" && path.includes("/operations/")
          ? { kind: "answer", status: 404, body: "{}" }
          : undefined;
      const msg = await ask(nodeRed, "submit", good);
      should(msg.payload).have.properties({
        operation_id: msg.crec?.operationId,
        status: "confirmed_latest",
      });
      should((msg.payload as Record_).transactionHash).match(/^0x[0-9a-f]{64}$/);
    });

    it("a redeploy ends the wait with WAIT_INTERRUPTED and the operation's id, and the operation goes on", async () => {
      await deploy([[submitNode(), 2]]);
      proxy.harm = (passing) => (isLook(passing) ? { kind: "stall" } : undefined);
      const looked = proxy.next(1, isLook);
      const probe = freshId();
      await nodeRed.press("press-submit", { ...KEPT, ...good, probe });
      await looked;
      const start = performance.now();
      await redeploy();
      should(performance.now() - start).be.below(1_000);
      const { value: shown } = await nodeRed.shows(
        ({ name, value }) => name === "error" && (value as Message).probe === probe,
      );
      const caught = shown as Message;
      checkError(caught, "submit", "WAIT_INTERRUPTED");
      proxy.harm = () => undefined;
      const { operationId, channelId, walletOperationId } = caught.crec ?? {};
      should(walletOperationId).match(/^\d+$/);
      const { base_url, api_key } = service.ready;
      const answer = await fetch(`${base_url}/channels/${channelId}/operations/${operationId}`, {
        headers: { authorization: `Apikey ${api_key}` },
      });
      should(await answer.json()).have.property("wallet_operation_id", walletOperationId);
    });

    it("a redeploy in the middle of the submit tells the wallet operation id to look for", async () => {
      await deploy([[submitNode(), 2]]);
      const isSubmit = ({ method, path }: { method: string; path: string }) =>
        method === "POST" && path.endsWith("/operations");
      proxy.harm = (passing) => (isSubmit(passing) ? { kind: "stall" } : undefined);
      const submitted = proxy.next(1, isSubmit);
      const probe = freshId();
      await nodeRed.press("press-submit", { ...KEPT, ...good, probe });
      await submitted;
      await redeploy();
      const { value: shown } = await nodeRed.shows(
        ({ name, value }) => name === "error" && (value as Message).probe === probe,
      );
      checkError(shown as Message, "submit", "WAIT_INTERRUPTED");
      should((shown as Message).crec?.walletOperationId).match(/^\d+$/);
    });
  });

  describe("the signer's form", () => {
    const post = (path: string, body?: unknown) =>
      nodeRed.fetch(path, {
        method: "POST",
        ...(body === undefined
          ? {}
          : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      });

    it("gets a new key with its address, another one each time", async () => {
      const made = await Promise.all([1, 2].map(async () => (await post("crec/signer/generate")).json()));
      const keys = made.map(({ privateKey, address }) => {
        should(privateKey).match(/^0x[0-9a-f]{64}$/);
        should(localEcdsaSigner(privateKey).address).equal(address);
        return privateKey;
      });
      should(keys[0]).not.equal(keys[1]);
      const captured = nodeRed.log;
      for (const made of keys) should(captured.includes(made.slice(2))).be.false();
    });

    it("gets the address of a key that was typed in, with or without 0x and blanks", async () => {
      for (const typed of [key, key.slice(2), ` ${key.toUpperCase().replace("0X", "0x")} `]) {
        const answer = await post("crec/signer/address", { privateKey: typed });
        should(await answer.json()).deepEqual({ address: owner });
      }
    });

    it("gets a sentence for what is no key, which does not repeat it", async () => {
      for (const privateKey of [
        "",
        "secret",
        malformedKey,
        `0x${"0".repeat(64)}`,
        `0x${"f".repeat(64)}`,
        1,
        null,
        [key],
      ]) {
        const answer = await post("crec/signer/address", { privateKey });
        should(answer.status).equal(400);
        const { message } = (await answer.json()) as { message: string };
        should(message).match(/^[\w ].*64 hex digits.*\.$/);
        should(message).not.containEql("5eed");
      }
      should((await post("crec/signer/address", {})).status).equal(400);
      should((await post("crec/signer/address")).status).equal(400);
    });

    it("gets the address of a deployed signer, and of none the empty one", async () => {
      const addressOf = async (id: string) => (await nodeRed.fetch(`crec/signer/address/${id}`)).json();
      should(await addressOf("signer")).deepEqual({ address: owner });
      should(await addressOf("undeployed")).deepEqual({ address: "" });
      should(await addressOf("token")).deepEqual({ address: "" });
      const stored = await (await nodeRed.fetch("credentials/crec-signer/signer")).text();
      should(JSON.parse(stored)).deepEqual({ has_privateKey: true });
    });
  });

  describe("after all that", () => {
    it("Node-RED runs, and met nothing that was not foreseen", () => {
      should(nodeRed.running).be.true();
      should(nodeRed.log).not.match(/uncaught|unhandled|INTERNAL_ERROR|MaxListeners|Close timed out/i);
    });

    it("no private key was ever shown", async () => {
      const flows = await (await nodeRed.fetch("flows")).text();
      const captured = [nodeRed.log, nodeRed.heard, flows].join("\n").toLowerCase();
      should(captured.length).be.above(50_000);
      for (const secret of [key, strangerKey, malformedKey]) {
        const digits = secret.slice(2).toLowerCase();
        const bytes = Buffer.from(digits, "hex");
        const forms = [
          digits,
          bytes.toString("base64").toLowerCase(),
          BigInt(`0x${digits}`).toString(),
          [...bytes].join(","),
        ];
        for (const form of forms) should(captured.includes(form)).be.false();
      }
    });
  });
});
