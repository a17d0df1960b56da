import { fileURLToPath } from "node:url";
import { Interface, parseEther, TypedDataEncoder } from "ethers";
import should from "should";
import type { CallDef } from "../../nodes/common/shared/stored-values.ts";
import type { Preview, PreviewRequest } from "../../nodes/submit-operation/preview-types.ts";
import { NodeRed, UserDir } from "../support/node-red.ts";
import { contractNode } from "../support/nodes.ts";
import { NOBODY, OperationHarness, RECEIVER, SEPOLIA } from "../support/operation-harness.ts";
import { call, TOKEN_ABI, value, walletNode } from "../support/operation-nodes.ts";

const ABI = [...TOKEN_ABI.split("\n"), "function deposit((uint64 at, bytes32[] tags) note) payable"].join(
  "\n",
);
const TAG = `0x${"ab".repeat(32)}`;
const TYPES = {
  Operation: [
    { name: "id", type: "uint256" },
    { name: "account", type: "address" },
    { name: "deadline", type: "uint256" },
    { name: "transactions", type: "Transaction[]" },
  ],
  Transaction: [
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "data", type: "bytes" },
  ],
};
const SECRET = "nobody may read this";

/** What the form of an operation shows before anything is signed. */
describe("the preview of an operation", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  let token: string;
  let selector: string;
  const answers: string[] = [];

  before(async () => {
    harness = await OperationHarness.start({ TEST_SECRET: SECRET, TEST_ABI: ABI, TEST_DECIMALS: "6" });
    const { ready } = harness.service;
    token = String(ready.contracts.DemoToken);
    selector = ready.chain_selector;
    const byEnvironment = { id: "by-environment", abi: "${TEST_ABI}", decimals: "${TEST_DECIMALS}" };
    await harness.deploy(
      [],
      [contractNode(ready, byEnvironment), walletNode(ready, { id: "nowhere", wallet: "nobody's" })],
    );
  });

  after(() => harness?.close());

  const transfer = (amount = value("1.5")) =>
    call("new", "transfer(address,uint256)", value(RECEIVER.toLowerCase()), amount) as CallDef;
  const inTokens = (text: string) => ({ ...value(text), unit: "token" as const });
  const pay = (amount: string, unit: "ether" | "gwei" | "wei" = "wei"): CallDef => ({
    ...{ kind: "raw", to: value(NOBODY), data: value("") },
    amount: { ...value(amount), unit },
  });
  const post = (body: unknown, path = harness.nodeRed) =>
    path.fetch("crec/operation/preview", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  /** A form in which nothing is deployed yet. */
  const form = (calls: CallDef[], more: PreviewRequest = {}): PreviewRequest => ({
    source: "form",
    calls,
    contracts: {
      new: { name: "my token", chainSelector: selector, address: token, abi: ABI, decimals: "18" },
    },
    wallet: { id: "undeployed", chainSelector: selector, wallet: harness.wallet, connection: "" },
    deadline: "15",
    ...more,
  });
  const preview = async (calls: CallDef[], more?: PreviewRequest): Promise<Preview> => {
    const response = await post(form(calls, more));
    should(response.status).equal(200);
    const text = await response.text();
    answers.push(text);
    return JSON.parse(text) as Preview;
  };
  /** The value of the second parameter of the first call. */
  const amountOf = ({ calls }: Preview) => calls[0]?.args?.[1] ?? { text: "" };

  it("shows each call in readable form, and the digest that another library computes", async () => {
    const note = { value: JSON.stringify({ at: "7", tags: [TAG] }), type: "json" };
    const deposit = {
      ...call("new", "deposit((uint64,bytes32[]))", note),
      amount: { ...value("2"), unit: "gwei" },
    } as CallDef;
    const started = Math.floor(Date.now() / 1000);
    const { calls, digest, why } = await preview([transfer(inTokens("1.5")), pay("0.25", "ether"), deposit]);
    should(why).be.undefined();
    const [first, second, third] = calls;
    const data = (name: string, ...args: unknown[]) =>
      new Interface(ABI.split("\n")).encodeFunctionData(name, args);
    should(first).deepEqual({
      ...{ contract: "my token", signature: "transfer(address,uint256)", to: { text: token } },
      args: [
        { name: "to", type: "address", text: RECEIVER },
        { name: "value", type: "uint256", text: "1.5", smallest: String(parseEther("1.5")), unit: "token" },
      ],
      data: { text: data("transfer", RECEIVER, parseEther("1.5")) },
      amount: { text: "0", unit: "wei" },
    });
    should(second).deepEqual({
      ...{ to: { text: NOBODY }, data: { text: "0x" } },
      amount: { text: "0.25", smallest: String(parseEther("0.25")), unit: "ether" },
    });
    should(third?.args?.[0]).have.property("text", JSON.stringify({ at: "7", tags: [TAG] }));
    should(third?.amount).deepEqual({
      ...{ text: "2", smallest: "2000000000", unit: "gwei" },
      larger: { text: "0.000000002", unit: "ether" },
    });

    if (!digest) throw new Error("There is no digest.");
    const { domain, id, deadline } = digest;
    should(domain).deepEqual({
      ...{ name: "CLLSmartAccount", version: "1", verifyingContract: harness.wallet },
      chainId: Number(harness.service.ready.chain_id),
    });
    should(Number(deadline)).be.within(started + 900, Math.ceil(Date.now() / 1000) + 900);
    const transactions = [
      { to: token, value: 0n, data: data("transfer", RECEIVER, parseEther("1.5")) },
      { to: NOBODY, value: parseEther("0.25"), data: "0x" },
      { to: token, value: 2_000_000_000n, data: data("deposit", [7, [TAG]]) },
    ];
    const operation = { id, account: harness.wallet, deadline, transactions };
    should(digest.digest).equal(TypedDataEncoder.hash(domain, TYPES, operation));
  });

  it("shows in tokens and in ether what is given in the smallest unit", async () => {
    const { calls } = await preview([transfer(value("25000000000000000000")), pay("1500000000000000000")]);
    should(calls[0]?.args).match([
      (to: object) => should(to).not.have.property("larger"),
      { text: "25000000000000000000", larger: { text: "25", unit: "token" } },
    ]);
    should(calls[1]?.amount).deepEqual({
      ...{ text: "1500000000000000000", unit: "wei" },
      larger: { text: "1.5", unit: "ether" },
    });
  });

  it("uses a new id each time, and shows when there is no deadline", async () => {
    const [one, other] = [await preview([pay("1")]), await preview([pay("1")], { deadline: "0" })];
    should(one.digest?.id).not.equal(other.digest?.id);
    should(other.digest?.deadline).equal("0");
  });

  it("shows where a message will provide a value, and why there is no digest", async () => {
    const fromMessage = await preview([
      transfer({ ...value("payload.amount", "msg"), unit: "token" } as never),
    ]);
    should(amountOf(fromMessage)).containEql({ text: "msg.payload.amount", later: true, unit: "token" });
    should(fromMessage.calls[0]?.data).be.undefined();
    should(fromMessage.digest).be.undefined();
    should(fromMessage.why).match(/no digest yet.*: msg\.payload\.amount\.$/);
    for (const [given, shown] of [
      [value("#:(file)::a.b", "flow"), "flow.a.b"],
      [value("$sum(payload)", "jsonata"), "$sum(payload)"],
      [value("TEST_SECRET", "env"), "${TEST_SECRET}"],
      [value("${TEST_SECRET}"), "${TEST_SECRET}"],
    ] as const) {
      const answer = await preview([transfer(given)]);
      should(amountOf(answer)).containEql({ text: shown, later: true });
      should(JSON.stringify(answer)).not.containEql(SECRET);
    }
    should((await preview([pay("1")], { deadline: "${TEST_SECRET}" })).why).match(/\$\{TEST_SECRET\}\.$/);
  });

  it("shows the other address that a call goes to", async () => {
    const elsewhere = { ...transfer(value("1")), address: value(NOBODY) } as CallDef;
    const { calls, digest } = await preview([elsewhere]);
    should(calls[0]?.to).deepEqual({ text: NOBODY });
    should(digest).be.ok();
    const later = await preview([{ ...elsewhere, address: value("payload.token", "msg") } as CallDef]);
    should(later.calls[0]?.to).deepEqual({ text: "msg.payload.token", later: true });
    should(later.why).match(/msg\.payload\.token/);
  });

  it("warns of recipients that are most likely a mistake, also while there is no digest", async () => {
    const to = (address: string) =>
      call("new", "transfer(address,uint256)", value(address), value("1")) as CallDef;
    const calls = [to(harness.wallet), to(token), transfer(inTokens("1"))];
    const unusual = (answer: Preview) => answer.calls.map((one) => one.unusual?.recipient);
    const whole = await preview(calls);
    should(unusual(whole)).deepEqual(["wallet", "called", undefined]);
    should(whole.digest).be.ok();
    const later = await preview([...calls, transfer(value("payload", "msg"))]);
    should(unusual(later)).deepEqual(["wallet", "called", undefined, undefined]);
    should(later.digest).be.undefined();
  });

  it("reports what is wrong with each value", async () => {
    const problemOf = async (calls: CallDef[], more?: PreviewRequest) => {
      const answer = await preview(calls, more);
      should(answer.digest).be.undefined();
      should(answer.why).equal("There is no digest: call 1 has an error. Fix it first.");
      const [{ problem, to, args = [], data, amount } = { to: undefined, amount: undefined }] = answer.calls;
      return [problem, ...[to, ...args, data, amount].map((one) => one?.problem)].filter(Boolean).join("|");
    };
    const contracts = (more: object) => ({ contracts: { new: { ...form([]).contracts?.new, ...more } } });
    should(await problemOf([transfer(value("1.5"))])).match(/^value must be a whole number/);
    should(await problemOf([transfer(inTokens("0.0000000000000000001"))])).match(/^value .*decimal/);
    const unknown = contracts({ decimals: "", address: NOBODY, abi: "function pay(uint256 amount)" });
    should(await problemOf([call("new", "pay(uint256)", inTokens("1")) as CallDef], unknown)).match(
      new RegExp(`decimals of ${NOBODY} are not known`),
    );
    should(await problemOf([pay("0.1")])).match(/^value must be a whole number/);
    should(await problemOf([pay("0.0000000001", "gwei")])).match(/^value .*decimal/);
    should(await problemOf([{ ...pay("1"), to: value("0x12") } as CallDef])).match(/^address must be/);
    should(await problemOf([{ ...pay("1"), data: value("0x1") } as CallDef])).match(
      /^call data must be bytes/,
    );
    should(await problemOf([{ ...transfer(inTokens("1")), amount: value("1") }])).match(/is not payable/);
    should(await problemOf([transfer()], contracts({ abi: "function (" }))).match(/ABI|line/);
    should(await problemOf([transfer()], contracts({ address: "" }))).match(/^The contract's address must/);
    should(await problemOf([transfer(inTokens("1"))], contracts({ chainSelector: SEPOLIA }))).match(
      /is on network/,
    );
    should(await problemOf([call("new", "gone()") as CallDef])).match(/no function "gone\(\)"/);
    should(await problemOf([call("gone", "transfer(address,uint256)") as CallDef])).match(/^No contract/);
  });

  it("says what is missing for a digest", async () => {
    const why = async (more: PreviewRequest, calls = [pay("1")]) => (await preview(calls, more)).why;
    const wallet = (more: object) => ({ wallet: { ...form([]).wallet, ...more } });
    should(await why({}, [])).match(/no calls yet/);
    should(await preview(Array(17).fill(pay("1"))))
      .have.property("problem")
      .match(/at most 16 calls, not 17/);
    should(await why({ wallet: {} })).match(/Choose a wallet/);
    should(await why(wallet({ wallet: "harness-wallet" }))).match(/only its name "harness-wallet".*Deploy/);
    should(await why(wallet({ id: "wallet", wallet: "another" }))).match(/only its name "another"/);
    should(await why(wallet({ id: "nowhere", wallet: "nobody's" }))).match(/no wallet named "nobody's"/);
    should(await why(wallet({ chainSelector: "4242" }))).match(/network 4242.*Deploy/);
    should(await why(wallet({ chainSelector: "4242", connection: "connection" }))).match(/4242/);
    should(await why({ deadline: "soon" })).match(/number of minutes/);
  });

  it("asks the service for the address of a deployed wallet that is known by name", async () => {
    const wallet = {
      id: "wallet",
      chainSelector: selector,
      wallet: "harness-wallet",
      connection: "connection",
    };
    should((await preview([pay("1")], { wallet })).digest?.domain.verifyingContract).equal(harness.wallet);
  });

  it("uses variables only through deployed nodes", async () => {
    const contract = {
      chainSelector: selector,
      address: token,
      abi: "${TEST_ABI}",
      decimals: "${TEST_DECIMALS}",
    };
    const calls = [{ ...transfer(inTokens("1.5")), contract: "by-environment" } as CallDef];
    should(amountOf(await preview(calls, { contracts: { "by-environment": contract } }))).have.property(
      "smallest",
      "1500000",
    );
    for (const stolen of [
      { abi: "${TEST_SECRET}" },
      { address: "${TEST_SECRET}" },
      { decimals: "${TEST_SECRET}" },
    ]) {
      const answer = await preview(calls, { contracts: { "by-environment": { ...contract, ...stolen } } });
      should(answer.calls[0]?.problem).match(/^What \$\{TEST_SECRET\} stands for is known once/);
      should(JSON.stringify(answer)).not.containEql(SECRET);
    }
    const wallet = { id: "wallet", chainSelector: selector, wallet: "${TEST_SECRET}", connection: "" };
    should((await preview([pay("1")], { wallet })).why).match(/^What \$\{TEST_SECRET\} stands for/);
  });

  it("shows a list of raw transactions in the form, and says when a message provides it", async () => {
    const list = JSON.stringify([{ to: NOBODY, value: "5", data: "0x1234" }]);
    const listed = await preview([], { source: "message", transactions: list, transactionsType: "json" });
    should(listed.calls).deepEqual([
      {
        ...{ to: { text: NOBODY }, data: { text: "0x1234" } },
        amount: { text: "5", unit: "wei", larger: { text: "0.000000000000000005", unit: "ether" } },
      },
    ]);
    should(listed.digest).be.ok();
    const later = await preview([], { source: "message", transactions: "payload", transactionsType: "msg" });
    should(later).deepEqual({ calls: [], why: later.why });
    should(later.why).match(/: msg\.payload\.$/);
  });

  it("rejects malformed requests, and says what is wrong", async () => {
    for (const [body, says] of [
      [[], /^The request must be an object/],
      [{ calls: 1 }, /^calls must be a list/],
      [{ calls: [null] }, /^call 1 must be an object/],
      [{ calls: [{ kind: "contract", args: 3 }] }, /^values in call 1 must be a list/],
      [{ calls: [{ args: [null] }] }, /^value 1 in call 1 must be an object/],
      [{ calls: [{ kind: "raw", to: { value: {} } }] }, /^to\.value in call 1 must be text/],
      [{ contracts: { a: null } }, /^contracts\.a must be an object/],
      [{ wallet: [] }, /^wallet must be an object/],
      [{ deadline: [] }, /^deadline must be text/],
    ] as const) {
      const response = await post(body);
      should(response.status).equal(200);
      const { problem, code } = (await response.json()) as { problem: string; code: string };
      should(code).equal("INVALID_REQUEST", problem);
      should(problem).match(says);
    }
    await preview([{ ...transfer(), contract: "__proto__" } as CallDef]);
    harness.checkRunsWell();
  });

  it("needs the read permission", async () => {
    const userDir = await UserDir.make();
    const settings = fileURLToPath(new URL("admin-auth-settings.cjs", import.meta.url));
    const guarded = await NodeRed.start(userDir, {}, { settings, token: "admin" });
    try {
      // Answers only once a node of ours runs.
      await guarded.deploy([contractNode(harness.service.ready)]);
      const as = (headers: Record<string, string>) =>
        guarded.fetch("crec/operation/preview", {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(form([pay("1")])),
        });
      should((await as({})).status).equal(401);
      const answer = await as({ Authorization: "Bearer reader" });
      should(answer.status).equal(200);
      should(await answer.json()).have.property("digest");
    } finally {
      await guarded.kill();
      await userDir.remove();
    }
  });

  it("contains no key", async () => {
    await preview([transfer(inTokens("1.5")), pay("1")]);
    const wallet = { id: "wallet", chainSelector: selector, wallet: "${TEST_SECRET}", connection: "" };
    await preview([transfer()], { wallet });
    const told = [...answers, harness.nodeRed.log, harness.nodeRed.heard].join("\n");
    should(answers).not.be.empty();
    for (const secret of [SECRET, harness.key.slice(2), harness.service.ready.api_key]) {
      should(told.includes(secret)).be.false();
    }
  });
});
