import should from "should";
import type { Problem } from "../../nodes/common/shared/form-types.ts";
import type { CallDef } from "../../nodes/common/shared/stored-values.ts";
import type { Preview, ToldDecimals } from "../../nodes/submit-operation/preview-types.ts";
import { checksumAddress } from "../../src/index.ts";
import { placeWrapper, WRAPPER } from "../support/forwarders.ts";
import type { FlowNode } from "../support/node-red.ts";
import { channelNode, connectionNode, contractNode } from "../support/nodes.ts";
import {
  checkError,
  KEPT,
  NOBODY,
  OperationHarness,
  RECEIVER,
  SEPOLIA,
} from "../support/operation-harness.ts";
import { call, operationNode, queryNode, submitNode, TOKEN_ABI, value } from "../support/operation-nodes.ts";
import { balanceOn, placeSixDecimals, SIX } from "../support/six-decimals.ts";

/** With a function that only a person knows to take tokens. */
const ABI = `${TOKEN_ABI}\nfunction pay(address to, uint256 amount)\nfunction mint(address to, uint256 quantity)`;

/** Decimals belong to the address that is called, whatever contract gives the ABI. */
describe("the decimals of a call", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  let eighteen: string;

  before(async () => {
    harness = await OperationHarness.start();
    eighteen = String(harness.service.ready.contracts.DemoToken);
    await placeSixDecimals(harness.service.ready, harness.wallet);
  });

  after(() => harness?.close());

  const inTokens = (name: string) => ({ ...value(name, "msg"), unit: "token" });
  const at = (signature: string, ...args: ReadonlyArray<ReturnType<typeof value>>) => ({
    ...call("chosen", signature, ...args),
    address: value("token", "msg"),
  });
  const transfer = at("transfer(address,uint256)", value("to", "msg"), inTokens("payload"));
  const pay = at("pay(address,uint256)", value("to", "msg"), inTokens("payload"));
  const mint = at("mint(address,uint256)", value("to", "msg"), inTokens("payload"));
  const balance = at("balanceOf(address)", value("payload", "msg"));
  const nodes: ReadonlyArray<[FlowNode, number]> = [
    [submitNode({ calls: [transfer] }), 2],
    [submitNode({ id: "draft", calls: [transfer], mode: "draft" }), 2],
    [submitNode({ id: "mints", calls: [mint], mode: "draft" }), 2],
    [operationNode("get"), 1],
    [submitNode({ id: "pays", calls: [pay] }), 2],
    [queryNode({ resultUnit: "token", call: balance }), 2],
    [queryNode({ id: "asks", call: pay }), 2],
    ...["wrong", "unset"].map((id): [FlowNode, number] => [
      queryNode({ id, channel: `${id}-channel`, resultUnit: "token", verify: false, call: balance }),
      2,
    ]),
  ];
  /** A contract of 18 decimals whose ABI is used, and these others. */
  const deploy = (...more: FlowNode[]) => {
    const chosen = { id: "chosen", address: eighteen, abi: ABI, decimals: "18" };
    return harness.deploy(nodes, [contractNode(harness.service.ready, chosen), ...more]);
  };
  const other = (id: string, more: Partial<FlowNode>) =>
    contractNode(harness.service.ready, { id, address: SIX.toLowerCase(), abi: ABI, ...more });
  const received = (token: string) => balanceOn(harness.service.ready, token, RECEIVER);
  const posts = (what = "(?:queries|operations)") => {
    const path = new RegExp(`/${what}$`);
    return harness.proxy.passed.filter((one) => one.method === "POST" && path.test(one.path)).length;
  };
  const queries = () => posts("queries");
  const refusal = async (id: string, message: object, says: RegExp) => {
    const before = posts();
    const caught = await harness.refuse(id, { ...KEPT, to: RECEIVER, token: SIX, ...message });
    checkError(caught, id, "NO_DECIMALS", says);
    should(posts()).equal(before);
  };

  describe("where a contract node has the address", () => {
    before(() =>
      deploy(other("six", { decimals: "6" }), other("on-sepolia", { decimals: "2", chainSelector: SEPOLIA })),
    );

    it("are those of this node, for what is sent and what arrives", async () => {
      for (const [token, smallest] of [
        [SIX, 1_500_000n],
        [eighteen, 1_500_000_000_000_000_000n],
      ] as const) {
        const before = await received(token);
        await harness.ask("submit", { payload: "1.5", to: RECEIVER, token });
        should((await received(token)) - before).equal(smallest);
      }
    });

    it("refuse an amount that the token cannot have", async () => {
      const message = { ...KEPT, payload: "0.000000001", to: RECEIVER, token: SIX };
      const caught = await harness.refuse("submit", message);
      checkError(caught, "submit", "INVALID_ARGUMENT", "value in call 1 has more than 6 decimal places");
    });

    it("are those of this node in the preview of a draft", async () => {
      const { crec } = await harness.ask("draft", { payload: "1.5", to: RECEIVER, token: SIX });
      should(crec?.preview).match([{ to: SIX, tokens: { value: "1.5" }, args: { value: "1500000" } }]);
    });

    it("are those of this node in the preview of a draft of an unusual function, also when it is read", async () => {
      const { crec } = await harness.ask("mints", { payload: "1.5", to: RECEIVER, token: SIX });
      const shown = [{ to: SIX, tokens: { quantity: "1.5" }, args: { quantity: "1500000" } }];
      should(crec?.preview).match(shown);
      should((await harness.ask("get", { crec: crec ?? {} })).crec?.preview).match(shown);
    });

    it("are those of this node in the result of a query", async () => {
      const { payload, crec } = await harness.ask("query", { payload: harness.wallet, token: SIX });
      should(BigInt(String(crec?.raw))).equal(await balanceOn(harness.service.ready, SIX, harness.wallet));
      should(Number(payload)).equal(Number(BigInt(String(crec?.raw))) / 1e6);
    });
  });

  it("are not those of an error that an inner token raised", async () => {
    const { ready } = harness.service;
    await placeWrapper(ready, eighteen);
    const wrapper = { id: "wrapper", address: WRAPPER, abi: ABI, decimals: "6" };
    await deploy(contractNode(ready, wrapper), other("six", { decimals: "6" }));
    const payload = "1000000000";
    const refused = async (token: string) =>
      (await harness.refuse("submit", { ...KEPT, payload, to: RECEIVER, token })).error?.message;
    should(await refused(WRAPPER)).match(
      /InsufficientBalance: balance 0, needed 1000000000000000\. .*holder/,
    );
    should(await refused(SIX)).match(/InsufficientBalance: balance \S+, needed 1,000,000,000 tokens\./);
  });

  it("are not guessed where no contract node has the address", async () => {
    await deploy();
    const says = new RegExp(`^amount in call 1 is given in tokens, but the decimals of ${SIX} are not known`);
    await refusal("pays", { payload: "1.5" }, says);
    await refusal("asks", { payload: "1.5" }, new RegExp(`^amount is given in tokens, .*${SIX}`));
  });

  it("are not chosen from two that differ", async () => {
    await deploy(other("six", { decimals: "6" }), other("nine", { decimals: "9" }), other("none", {}));
    const says = new RegExp(`contract nodes of ${SIX} have different decimals`);
    await refusal("submit", { payload: "1.5" }, says);
    await refusal("query", { payload: harness.wallet }, says);
  });

  describe("where no contract node has the address", () => {
    /** Nothing has asked about it. */
    const fresh = checksumAddress(`0x${"6b".repeat(20)}`, "fresh");
    before(() => placeSixDecimals(harness.service.ready, harness.wallet, fresh));

    const transfers = (probe: object = {}) =>
      harness.ask("submit", { payload: "1.5", to: RECEIVER, token: fresh, ...probe });

    it("end a message while the chain does not answer, and are asked again", async () => {
      await deploy();
      harness.proxy.harm = ({ method, path }) =>
        method === "POST" && path.endsWith("/queries")
          ? { kind: "answer", status: 500, body: "{}" }
          : undefined;
      const sent = posts("operations");
      const caught = await harness.refuse("submit", { ...KEPT, payload: "1.5", to: RECEIVER, token: fresh });
      harness.proxy.harm = () => undefined;
      should(caught.error?.code).equal("SERVICE_ERROR");
      should(posts("operations")).equal(sent);
    });

    it("are asked from the token once for all messages, with a proof", async () => {
      await deploy();
      const [before, asked] = [await received(fresh), queries()];
      await Promise.all([transfers(), transfers(), transfers()]);
      should((await received(fresh)) - before).equal(4_500_000n);
      should(queries()).equal(asked + 1);
      const { payload, crec } = await harness.ask("query", {
        payload: harness.wallet,
        token: fresh.toLowerCase(),
      });
      should(Number(payload)).equal(Number(BigInt(String(crec?.raw))) / 1e6);
      // That of the node itself.
      should(queries()).equal(asked + 2);
      const { crec: drafted } = await harness.ask("draft", { payload: "1.5", to: RECEIVER, token: fresh });
      should(drafted?.preview).match([{ tokens: { value: "1.5" }, args: { value: "1500000" } }]);
    });

    it("that a token told are those of a draft that is read, of an error and of a used key, too", async () => {
      await deploy(other("six", { address: fresh.toLowerCase() }));
      const message = { payload: "1.5", to: RECEIVER, token: fresh };
      const crec = { operationKey: "told decimals" };
      const drafted = await harness.ask("draft", { ...message, crec });
      const read = await harness.ask("get", { crec: drafted.crec ?? {} });
      should(read.crec?.preview).match([{ tokens: { value: "1.5" }, args: { value: "1500000" } }]);
      const says = async (id: string, more: object) =>
        (await harness.refuse(id, { ...message, ...more })).error?.message;
      should(await says("draft", { crec, payload: "2.5" })).containEql("value is 2.5 tokens, was 1.5 tokens");
      should(await says("submit", { payload: "1000000000" })).match(
        /InsufficientBalance: balance \S+, needed 1,000,000,000 tokens\. .*holder/,
      );
    });

    it("are not taken from the token for a function of which nobody knows that it takes tokens", async () => {
      await deploy();
      await refusal("pays", { payload: "1.5" }, new RegExp(`the decimals of ${SIX} are not known`));
    });

    it("are not known where there is no contract, which is remembered", async () => {
      await deploy();
      const says = new RegExp(`the decimals of ${NOBODY} are not known`);
      const message = { ...KEPT, payload: "1.5", to: RECEIVER, token: NOBODY };
      const asked = queries();
      for (let times = 0; times < 2; times += 1) {
        checkError(await harness.refuse("submit", message), "submit", "NO_DECIMALS", says);
      }
      should(queries()).equal(asked + 1);
    });

    it("are not taken from an answer without proof, nor where proofs are not checked", async () => {
      const { ready } = harness.service;
      const other = String(ready.contracts.GuardedToken);
      const says = new RegExp(`the decimals of ${other} are not known`);
      const asking = (id: string, more: Partial<FlowNode>): FlowNode[] => [
        connectionNode(ready, { id: `${id}-connection`, baseUrl: harness.proxy.baseUrl, ...more }),
        channelNode({ id: `${id}-channel`, connection: `${id}-connection` }),
      ];
      await deploy(
        ...asking("wrong", { validSigners: `0x${"12".repeat(20)}`, minRequiredSignatures: "1" }),
        ...asking("unset", {
          ...{ orgId: "", validSigners: "", creTenantId: "", minRequiredSignatures: "" },
        }),
      );
      const message = { ...KEPT, payload: harness.wallet, token: other };
      const asked = queries();
      checkError(await harness.refuse("unset", message), "unset", "NO_DECIMALS", says);
      should(queries()).equal(asked);
      const caught = await harness.refuse("wrong", message);
      checkError(caught, "wrong", "NO_DECIMALS", /are not known: what it tells is not proven/);
    });
  });

  describe("in the preview of a form", () => {
    const post = async <T>(path: string, body: object): Promise<T & Partial<Problem>> => {
      const response = await harness.nodeRed.fetch(`crec/operation/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return (await response.json()) as T & Partial<Problem>;
    };
    const previewed = async (amount: object, address: object, name = "transfer", channel = "channel") => {
      const { chain_selector: chainSelector } = harness.service.ready;
      const chosen = { name: "chosen", chainSelector, address: eighteen, abi: ABI, decimals: "18" };
      const calls = [
        {
          ...call("chosen", `${name}(address,uint256)`, value(RECEIVER), { ...value("1.5"), ...amount }),
          address,
        },
      ] as CallDef[];
      const { calls: shown } = await post<Preview>("preview", {
        ...{ source: "form", channel, calls, contracts: { chosen } },
      });
      return shown[0];
    };
    const preview = async (...of: Parameters<typeof previewed>) => (await previewed(...of))?.args?.[1];
    const ask = (question: object | undefined) => post<ToldDecimals>("decimals", { ...question });

    it("are those of the contract node with this address", async () => {
      await deploy(other("six", { decimals: "6" }));
      const shown = await preview({ unit: "token" }, value(SIX));
      should(shown).containEql({ text: "1.5", smallest: "1500000" });
      const smallest = await preview(value("1500000"), value(SIX));
      should(smallest?.larger?.text).equal("1.5");
      const own = await preview({ unit: "token" }, value(""));
      should(own?.smallest).equal("1500000000000000000");
    });

    it("are not known where only a message names the address, or nobody knows them", async () => {
      const later = await preview({ unit: "token" }, value("token", "msg"));
      should(later).containEql({ text: "1.5", later: true }).and.not.have.property("smallest");
      const asked = await previewed({ unit: "token" }, value(NOBODY));
      should(asked?.args?.[1]).containEql({ text: "1.5", later: true });
      should(await ask({ ...asked?.asks, channel: "channel" })).match({
        code: "NO_DECIMALS",
        problem: new RegExp(
          `tokens, but the decimals of ${NOBODY} are not known. Fill them in in a contract`,
        ),
      });
      const unknown = await preview({ unit: "token" }, value(NOBODY), "pay");
      should(unknown?.problem).match(new RegExp(`the decimals of ${NOBODY} are not known`));
    });

    it("are asked from the token by one query in the node's channel, and shown from then on", async () => {
      const { ready } = harness.service;
      const six = checksumAddress(`0x${"6a".repeat(20)}`, "six");
      await placeSixDecimals(ready, harness.wallet, six);
      const wrapper = checksumAddress(`0x${"a5".repeat(20)}`, "wrapper");
      await placeWrapper(ready, eighteen, wrapper);
      await deploy();
      for (const [token, smallest] of [
        [six, "1500000"],
        [wrapper, "1500000000000000000"],
      ] as const) {
        const asked = queries();
        const before = await previewed({ unit: "token" }, value(token));
        should(before?.asks).match({ address: token, chainSelector: ready.chain_selector });
        should(queries()).equal(asked);
        const { decimals } = await ask({ ...before?.asks, channel: "channel" });
        should(smallest).have.length(2 + Number(decimals) - 1);
        const after = await previewed({ unit: "token" }, value(token));
        should(after?.args?.[1]).containEql({ text: "1.5", smallest });
        should(after).not.have.property("asks");
        await ask({ ...before?.asks, channel: "channel" });
        should(queries()).equal(asked + 1);
        const elsewhere = await preview({ unit: "token" }, value(token), "transfer", "undeployed");
        should(elsewhere).containEql({ text: "1.5", later: true });
      }
    });

    it("are not asked without a deployed channel, an address or a network, nor where proofs are not checked", async () => {
      const { ready } = harness.service;
      await deploy(
        connectionNode(ready, {
          ...{ id: "unset-connection", baseUrl: harness.proxy.baseUrl, minRequiredSignatures: "" },
          ...{ orgId: "", validSigners: "", creTenantId: "" },
        }),
        channelNode({ id: "unset-channel", connection: "unset-connection" }),
        channelNode({ id: "missing", channel: "not created yet", createMissing: true }),
      );
      const asks = {
        ...{ chainSelector: ready.chain_selector, address: String(ready.contracts.Counter) },
        ...{ data: "0xa9059cbb", channel: "channel" },
      };
      const asked = queries();
      should(await ask({ ...asks, channel: "undeployed" })).match({
        code: "DEPLOY_FIRST",
        problem: /deploy, then try again\.$/,
      });
      should(await ask({ ...asks, chainSelector: "here" })).have.property("code", "INVALID_REQUEST");
      should(await ask({ ...asks, address: "there" })).have.property("code", "INVALID_ADDRESS");
      should(await ask({ ...asks, data: "0x12345678" })).have.property("code", "NO_DECIMALS");
      should(await ask({ ...asks, channel: "unset-channel" })).have.property("code", "NO_DECIMALS");
      should(await ask({ ...asks, channel: "missing" })).match({
        code: "CHANNEL_NOT_FOUND",
        problem: /^There is no channel named "not created yet" yet/,
      });
      should(queries()).equal(asked);
    });
  });
});
