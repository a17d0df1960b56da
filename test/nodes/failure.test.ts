import type { NodeAPI } from "node-red";
import should from "should";
import type { ContractNode } from "../../nodes/lib/runtime/config-nodes.ts";
import { registerContract } from "../../nodes/lib/runtime/contract-registry.ts";
import { shortText } from "../../nodes/lib/runtime/error-texts.ts";
import { explainFailure, failureOf, failureSentence } from "../../nodes/lib/runtime/failure.ts";
import { cutAtWord } from "../../nodes/lib/shared/cut-text.ts";
import { nodeError, toCodedError } from "../../nodes/lib/shared/errors.ts";
import { encodeValue, parseAbi } from "../../src/index.ts";

const TOKEN = "0x00000000000000000000000000000000000000Aa";
const HOLDER = "0x00000000000000000000000000000000DeaDBeef";
const NETWORK = "1";
const ABI = parseAbi(
  "error InsufficientBalance(address holder, uint256 balance, uint256 needed)\nerror Odd(string text, uint256 amount)",
);

/** A Node-RED with these contract nodes. */
function withContracts(...contracts: Array<{ address: string; decimals?: number; abi?: unknown }>): NodeAPI {
  const RED = { events: {} } as unknown as NodeAPI;
  for (const { address, decimals, abi = ABI } of contracts) {
    const known = { address, decimals, amounts: [], problem: undefined, chainSelector: NETWORK };
    const node = { name: "token", contract: { ...known, abi: async () => abi } } as unknown as ContractNode;
    registerContract(RED, node);
  }
  return RED;
}

describe("the reason of a failed operation or query", () => {
  const text = `InsufficientBalance(holder: ${HOLDER}, balance: 1500000, needed: 20000000)`;
  /** Of transfer. */
  const data = "0xa9059cbb";
  const calls = [{ chainSelector: NETWORK, to: TOKEN, data }];

  it("is the name of the contract's error, with amounts in tokens and addresses last", async () => {
    const failure = await explainFailure(withContracts({ address: TOKEN, decimals: 6 }), text, calls);
    should(failure).eql({
      reason: "InsufficientBalance",
      values: `balance 1.5 tokens, needed 20 tokens, holder ${HOLDER}`,
    });
    should(failureSentence("failed", failure, "The operation was not executed")).equal(
      `failed: InsufficientBalance. The operation was not executed: balance 1.5 tokens, needed 20 tokens, holder ${HOLDER}.`,
    );
  });

  it("without one may be too little of the coin, in an operation and not in a query", () => {
    const sentence = (reason: string) => failureSentence("failed", failureOf(reason), "It was not executed");
    const check = "If it sends coins, check the coin balance of the wallet.";
    should(sentence("transaction 2 of 2: reverted without a reason")).equal(
      `failed: reverted without a reason. It was not executed (transaction 2 of 2). ${check}`,
    );
    for (const reason of [
      "execution reverted",
      "the transaction reverted without a reason, or ran out of gas",
    ]) {
      should(sentence(reason)).equal(`failed: ${reason}. It was not executed. ${check}`);
    }
    for (const reason of ["CALL_REVERTED: execution reverted (reverted without a reason)", "out of paper"]) {
      should(sentence(reason)).not.containEql("coin");
    }
  });

  it("has one token in the singular", async () => {
    const one = `InsufficientBalance(holder: ${HOLDER}, balance: 1000000, needed: 20000000)`;
    const { values } = await explainFailure(withContracts({ address: TOKEN, decimals: 6 }), one, calls);
    should(values).equal(`balance 1 token, needed 20 tokens, holder ${HOLDER}`);
  });

  it("has amounts as they are where the decimals are not known", async () => {
    const { values } = await explainFailure(withContracts({ address: TOKEN }), text, calls);
    should(values).equal(`balance 1500000, needed 20000000, holder ${HOLDER}`);
    should(await explainFailure(withContracts(), text, calls)).have.property(
      "values",
      `holder: ${HOLDER}, balance: 1500000, needed: 20000000`,
    );
  });

  it("is decoded from revert data, by the standard where the ABI lacks the error", async () => {
    const words = [HOLDER, 1_500_000, 20_000_000].map((value, index) =>
      encodeValue(index === 0 ? "address" : "uint256", value, "value").slice(2),
    );
    const reverted = `execution reverted: 0xe450d38c${words.join("")}`;
    const RED = withContracts({ address: TOKEN, decimals: 6, abi: [] });
    should(await explainFailure(RED, reverted, calls)).eql({
      reason: "ERC20InsufficientBalance",
      context: "execution reverted",
      values: `balance 1.5 tokens, needed 20 tokens, sender ${HOLDER}`,
    });
    // A vault passes on the error of the token that it holds, which has decimals of its own.
    const deposit = [{ chainSelector: NETWORK, to: TOKEN, data: "0x6e553f65" }];
    const { values } = await explainFailure(RED, reverted, deposit);
    should(values).equal(`balance 1500000, needed 20000000, sender ${HOLDER}`);
  });

  it("is of the call of a batch that failed", async () => {
    const other = HOLDER.toLowerCase();
    const RED = withContracts({ address: other, decimals: 2 }, { address: TOKEN, decimals: 6 });
    const batch = [
      { chainSelector: NETWORK, to: other, data },
      { chainSelector: NETWORK, to: TOKEN, data },
    ];
    should(await explainFailure(RED, `transaction 2 of 2: ${text}`, batch)).match({
      reason: "InsufficientBalance",
      context: "transaction 2 of 2",
      values: /^balance 1\.5 tokens/,
    });
  });

  it("that is far too long is cut, and takes no time", () => {
    const start = performance.now();
    const { reason } = failureOf(`A${" ".repeat(60_000)}x`);
    should(performance.now() - start).be.below(1_000);
    should(reason.length).be.below(5_000);
  });

  it("keeps values that hold a comma as they came", async () => {
    const odd = "Odd(text: one, two, amount: 5)";
    const failure = await explainFailure(withContracts({ address: TOKEN, decimals: 1 }), odd, calls);
    should(failure).eql({ reason: "Odd", values: "text: one, two, amount: 5" });
  });

  const texts: Array<[string, ReturnType<typeof failureOf>]> = [
    ["no more today.", { reason: "no more today" }],
    ["transaction 1 of 3: no more today", { reason: "no more today", context: "transaction 1 of 3" }],
    ["panic 18: division or modulo by zero", { reason: "panic 18: division or modulo by zero" }],
    ["Paused()", { reason: "Paused" }],
    ["the nonce (17) is used", { reason: "the nonce (17) is used" }],
    [
      "CALL_REVERTED: execution reverted (closed on Fridays)",
      { reason: "closed on Fridays", context: "CALL_REVERTED: execution reverted" },
    ],
    [
      "CALL_REVERTED: execution reverted (Refused(caller: 0x01, amount: 9))",
      {
        reason: "Refused",
        context: "CALL_REVERTED: execution reverted",
        values: "caller: 0x01, amount: 9",
      },
    ],
    [
      "CALL_REVERTED: Refused(amount: 9) (Refused(amount: 9))",
      { reason: "Refused", context: "CALL_REVERTED", values: "amount: 9" },
    ],
    ["CONTRACT_NOT_FOUND: no code (yet)", { reason: "CONTRACT_NOT_FOUND: no code (yet)" }],
  ];
  for (const [given, expected] of texts) {
    it(`of "${given}"`, () => should(failureOf(given)).eql(expected));
  }
});

describe("a text under a node", () => {
  it("is the first sentence, with the reason behind a colon", () => {
    const error = nodeError(
      "OPERATION_FAILED",
      "failed: InsufficientBalance. The operation was not executed.",
    );
    should(shortText(error)).equal("failed: InsufficientBalance");
  });

  it("is cut between two words", () => {
    should(cutAtWord("one two three", 13)).equal("one two three");
    should(cutAtWord("one two three", 9)).equal("one two…");
    should(cutAtWord("one two, three", 10)).equal("one two…");
  });

  it("is cut within a word that is longer than the space", () => {
    should(cutAtWord(`failed: 0x${"ab".repeat(40)}`, 40)).have.length(40);
  });
});

describe("anything that was thrown, as an error with a code", () => {
  it("keeps its code, and has one where it has none, also where none can be set", () => {
    const coded = Object.assign(new Error("known"), { code: "KNOWN" });
    should(toCodedError(coded)).equal(coded);
    const aborted = AbortSignal.abort().reason;
    for (const thrown of [aborted, new Error("plain"), Object.freeze(new Error("frozen")), "text"]) {
      const error = toCodedError(thrown);
      should(error.code).equal("INTERNAL_ERROR");
      should(`${error}`).equal(error.message).and.not.equal("");
    }
  });
});
