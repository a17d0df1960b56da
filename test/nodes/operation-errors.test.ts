import should from "should";
import { generatePrivateKey } from "../../src/index.ts";
import type { Message } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { contractNode, manageNode } from "../support/nodes.ts";
import {
  checkError,
  isRed,
  KEPT,
  NOBODY,
  OperationHarness,
  RECEIVER,
  SEPOLIA,
} from "../support/operation-harness.ts";
import { call, signerNode, submitNode, TOKEN_ABI, value, walletNode } from "../support/operation-nodes.ts";

const ZERO = "0x0000000000000000000000000000000000000000";

/** A code for the flow, a sentence for people, the message as it was, and the next one works. */
describe("errors of submit operation", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  const strangerKey = generatePrivateKey();
  const malformedKey = `${generatePrivateKey()}5eed`;

  before(async () => {
    harness = await OperationHarness.start();
  });

  after(async () => {
    await harness?.close();
  });

  describe("with something wrong in the message: the next message works", () => {
    const TOO_MUCH = String(10n ** 30n);
    const good = { to: RECEIVER, payload: "1" };
    /** Says what an amount of the token is, beside the contract that the calls name. */
    const decimals = () => {
      const { ready } = harness.service;
      return contractNode(ready, { id: "decimals", abi: TOKEN_ABI, decimals: "18" });
    };
    before(() =>
      harness.deploy(
        [
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
          [submitNode({ id: "bold", allowUnusual: true }), 2],
          [
            submitNode({
              id: "expression",
              calls: [call("counter", "add(uint256)", value("$number(payload)", "jsonata"))],
            }),
            2,
          ],
        ],
        [decimals()],
      ),
    );

    it("a call that reverts with an error of the contract", async () => {
      const reason =
        /InsufficientBalance\(holder: 0x\w{40}, balance: \d+, needed: 1000000000000000000000000000000\)/;
      const caught = await harness.refusedThenFine(
        "submit",
        ["OPERATION_FAILED", /^InsufficientBalance: balance [\d,.]+, needed /],
        { to: RECEIVER, payload: TOO_MUCH },
        good,
      );
      const statuses = harness.nodeRed.statuses("submit").map(({ text }) => text);
      should(statuses).containEql("failed: InsufficientBalance");
      should(caught.error?.message).match(
        /^InsufficientBalance: balance [\d,.]+, needed 1,000,000,000,000 tokens\. .* \(holder 0x/,
      );
      const told = await harness.toldAt("submit:1", caught.probe, "failed");
      should(told.at(-1)).match({
        topic: "operation.status/failed",
        payload: { status: "failed", reason },
      });
      should(told.at(-1)?.crec).have.properties({
        operationId: caught.crec?.operationId,
        walletOperationId: caught.crec?.walletOperationId,
      });
      should(caught.error?.message).endWith(`Operation ${caught.crec?.operationId}.`);
      should(harness.seenAt("submit:0", caught.probe)).be.empty();
    });

    it("one of several calls that reverts with a text: none is executed", async () => {
      const caught = await harness.refuse("fails", { ...KEPT, payload: "no more today" });
      checkError(caught, "fails", "OPERATION_FAILED", /^no more today\. .*transaction 2 of 2/);
      await harness.nodeRed.status("fails", isRed);
    });

    const badValues: Array<[string, string, string, Message]> = [
      ["text where a number belongs", "INVALID_ARGUMENT", "value in call 1", { ...good, payload: "ten" }],
      ["an object where a number belongs", "INVALID_ARGUMENT", "value in call 1", { ...good, payload: {} }],
      [
        "a number that a message cannot hold",
        "INVALID_ARGUMENT",
        "value in call 1",
        { ...good, payload: 2 ** 60 },
      ],
      ["a fraction", "INVALID_ARGUMENT", "value in call 1", { ...good, payload: 1.5 }],
      [
        "more than 256 bits",
        "INTEGER_OUT_OF_RANGE",
        "value in call 1",
        { ...good, payload: String(2n ** 256n) },
      ],
      ["a negative number", "INTEGER_OUT_OF_RANGE", "value in call 1", { ...good, payload: -1 }],
      ["two values that the message lacks", "INVALID_ARGUMENT", "to and value are empty in call 1", {}],
      ["a value that the message lacks", "INVALID_ARGUMENT", "value in call 1", { to: RECEIVER }],
      ["an empty value", "INVALID_ARGUMENT", "value in call 1 is empty", { ...good, payload: "" }],
      ["an address too short", "INVALID_ADDRESS", "to in call 1", { ...good, to: "0x12" }],
      [
        "an address with a mistyped letter",
        "INVALID_ADDRESS",
        "to in call 1",
        { ...good, to: RECEIVER.replace("D", "d") },
      ],
      ["a number for an address", "INVALID_ARGUMENT", "to in call 1", { ...good, to: 1 }],
    ];
    for (const [what, code, path, bad] of badValues) {
      it(what, async () => {
        const caught = await harness.refusedThenFine("submit", [code, path], bad, good);
        // Nothing was sent.
        should(caught.crec).deepEqual({ keep: "me" });
        should(harness.seenAt("submit:1", caught.probe)).be.empty();
      });
    }

    const badAmounts: Array<[string, string, unknown]> = [
      ["negative", "INTEGER_OUT_OF_RANGE", "-1"],
      ["no number", "INVALID_ARGUMENT", "much"],
      ["a list", "INVALID_FIELD", [1]],
      ...[null, "", " "].map((nothing): [string, string, unknown] => [
        JSON.stringify(nothing),
        "MISSING_VALUE",
        nothing,
      ]),
    ];
    for (const [what, code, amount] of badAmounts) {
      it(`a value that is ${what}`, () =>
        harness.refusedThenFine(
          "coins",
          [code, "value in call 1"],
          { payload: 1, amount },
          { payload: 1, amount: 0 },
        ));
    }

    it("a value that the message lacks, for the coin", () =>
      harness.refusedThenFine(
        "coins",
        ["MISSING_VALUE", "value in call 1"],
        { payload: 1 },
        { payload: 1, amount: 0 },
      ));

    it("a value for a function that is not payable", () =>
      harness.refusedThenFine(
        "coins",
        ["OPERATION_FAILED", /^reverted without a reason.* check the coin balance of the wallet/],
        { payload: 1, amount: "1" },
        { payload: 1, amount: "0" },
      ));

    it("more of the coin than the wallet holds", () =>
      harness.refusedThenFine(
        "coins",
        ["OPERATION_FAILED", /^the wallet holds [\d.]+ ETH and needs 1000000 ETH\. /],
        { payload: 1, amount: `1${"0".repeat(24)}` },
        { payload: 1, amount: "0" },
      ));

    it("an expression that cannot be evaluated", () =>
      harness.refusedThenFine(
        "expression",
        ["INVALID_FIELD", "amount in call 1"],
        { payload: "many" },
        { payload: "1" },
      ));

    const raw = { to: RECEIVER, value: "1" };
    const badLists: Array<[string, string, string | RegExp, unknown]> = [
      ["no list", "INVALID_FIELD", "list of {to, value, data}", { to: RECEIVER }],
      ["an empty list", "NO_CALLS", "no calls", []],
      ["more than 16 calls", "TOO_MANY_CALLS", "not 17. Split it.", Array(17).fill(raw)],
      ["a call to nowhere", "MISSING_VALUE", "to in call 2", [raw, { value: "1" }]],
      ["null for a call", "INVALID_FIELD", "call 1", [null]],
      ["an amount by another name", "INVALID_FIELD", "Name it value.", [{ to: RECEIVER, amount: "5" }]],
      [
        "a mistyped amount",
        "INVALID_FIELD",
        "valeu in call 1 is not known. Name it value.",
        [{ to: RECEIVER, valeu: 5 }],
      ],
      ["a mistyped address", "INVALID_FIELD", "Name it to.", [{ adress: RECEIVER, value: "5" }]],
      [
        "two amounts",
        "INVALID_FIELD",
        /amount in call 1 is not known\. .* or remove it\.$/,
        [{ ...raw, amount: "5" }],
      ],
      [
        "a name nobody knows",
        "INVALID_FIELD",
        "gas in call 2 is not known. A call has to, value and data: correct the name, or remove it.",
        [raw, { ...raw, gas: 1 }],
      ],
      ["neither value nor data", "MISSING_VALUE", "neither value nor data", [{ to: RECEIVER }]],
      ...[null, ""].map((value): [string, string, string, unknown] => [
        ...([`${value} for a value`, "MISSING_VALUE", "value in call 1"] as const),
        [{ to: RECEIVER, value, data: "0x" }],
      ]),
      ["half a byte of data", "INVALID_ARGUMENT", "data in call 2", [raw, { ...raw, data: "0x123" }]],
      [
        "an amount beyond 256 bits",
        "INTEGER_OUT_OF_RANGE",
        "value in call 1",
        [{ ...raw, value: String(2n ** 256n) }],
      ],
    ];
    for (const [what, code, says, payload] of badLists) {
      it(`as a list of calls, ${what}`, () =>
        harness.refusedThenFine("listed", [code, says], { payload }, { payload: [raw] }));
    }

    it("a recipient that is most likely a mistake, in the form and in a list", async () => {
      const unusual = (says: RegExp) => ["UNUSUAL_RECIPIENT", says] as [string, RegExp];
      const token = String(harness.service.ready.contracts.DemoToken);
      const wrong: Array<[string, RegExp]> = [
        [ZERO, /^call 1: transfer to the zero address .* tick "allow unusual recipients"/],
        [token, /^call 1: transfer to the called contract/],
        [harness.wallet, /^call 1: transfer from this wallet to itself/],
      ];
      for (const [to, says] of wrong) {
        await harness.refusedThenFine("submit", unusual(says), { to, payload: "1" }, good);
      }
      const list = { payload: [raw, { to: ZERO, value: "1" }] };
      const says = /^call 2: The coin goes to the zero address/;
      await harness.refusedThenFine("listed", unusual(says), list, { payload: [raw] });
      await harness.ask("bold", { to: harness.wallet, payload: "0" });
    });

    it("a call to an address without a contract, unless an earlier call may create it", async () => {
      const nowhere = { to: RECEIVER, data: "0xa9059cbb" };
      const says = `No contract: there is none at the address of call 2 on this network, where a call succeeds and does nothing. Nothing was sent. Correct the address, or the network of the wallet. Address ${RECEIVER}.`;
      const payment = { to: RECEIVER, value: "1" };
      const refused = { payload: [payment, nowhere] };
      await harness.refusedThenFine("listed", ["CONTRACT_NOT_FOUND", says], refused, { payload: [payment] });
      const warning =
        /\[warn\] \[crec-submit-operation:listed\] Call 2: there is no contract at this address yet/;
      should(harness.nodeRed.log).not.match(warning);
      const call = { to: String(harness.service.ready.contracts.DemoToken), data: "0x18160ddd" };
      await harness.ask("listed", { payload: [call, nowhere] });
      should(harness.nodeRed.log).match(warning);
    });

    for (const channelId of [null, "", 7]) {
      it(`${channelId} for a channel`, () =>
        harness.refusedThenFine(
          "submit",
          ["INVALID_FIELD", "msg.crec.channelId"],
          { ...good, crec: { keep: "me", channelId } },
          good,
        ));
    }

    it("an unknown channel", () =>
      harness.refusedThenFine(
        "submit",
        ["CHANNEL_NOT_FOUND"],
        { ...good, crec: { keep: "me", channelId: "00000000-0000-4000-8000-000000000000" } },
        good,
      ));
  });

  describe("with something wrong in the form: red, until the form is fixed", () => {
    const good = { to: RECEIVER, payload: "1" };
    const cases: Array<[string, [string, (string | RegExp)?], Partial<FlowNode>]> = [
      [
        "too few arguments",
        ["INVALID_ARGUMENT", "call 1 must have 2 values"],
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
      ["an unknown status to wait for", ["INVALID_FIELD", "Wait until"], { waitFor: "confirmd" }],
      ["a timeout that is not a number", ["INVALID_FIELD", "Timeout"], { timeout: "soon" }],
      ["a deadline that is not a number", ["INVALID_FIELD", "Deadline"], { deadline: "soon" }],
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
        walletNode(harness.service.ready, { id, signer, ...more });
      await harness.deploy(
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
        const caught = await harness.refuse(id, { ...KEPT, ...good });
        try {
          checkError(caught, id, code, says);
          should(await harness.nodeRed.status(id, isRed)).have.property("shape", "ring");
          should(harness.seenAt(`${id}:1`, caught.probe)).be.empty();
        } catch (cause) {
          throw new Error(`${what}: ${(cause as Error).message}`, { cause });
        }
      }
      await harness.deploy(cases.map((_case, index) => [submitNode({ id: `case-${index}` }), 2]));
      await harness.ask("case-0", good);
    });

    it("an archived wallet, by name and by address", async () => {
      const old = walletNode(harness.service.ready, { id: "old", wallet: "old-wallet" });
      await harness.deploy(
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
      const { crec } = await harness.ask("make", {});
      await harness.ask("by-name", {});
      await harness.ask("archive", { payload: "old-wallet" });
      checkError(
        await harness.refuse("by-name", KEPT),
        "by-name",
        "WALLET_ALREADY_ARCHIVED",
        "Use another wallet",
      );
      const submits = () =>
        harness.proxy.passed.filter(({ method, path }) => method === "POST" && path.endsWith("/operations"));
      const before = submits().length;
      await harness.deploy(
        [[submitNode({ id: "by-address", wallet: "old" }), 2]],
        [{ ...old, wallet: String(crec?.walletAddress) }],
      );
      const caught = await harness.refuse("by-address", { ...KEPT, ...good });
      checkError(caught, "by-address", "WALLET_ALREADY_ARCHIVED", "Use another wallet");
      await harness.nodeRed.status("by-address", isRed);
      // That will not change: it is not asked again and again.
      should(submits().length - before).equal(1);
    });
  });

  describe("afterwards", () => {
    it("Node-RED still runs, had no unexpected errors, and has shown no private key", async () => {
      harness.checkRunsWell();
      await harness.checkNeverShown([harness.key, strangerKey, malformedKey]);
    });
  });
});
