import type { NodeAPI } from "node-red";
import should from "should";
import { contractRegistry, registerContract } from "../../nodes/common/contracts/contract-registry.ts";
import type { ContractNode } from "../../nodes/common/fields/config-nodes.ts";
import { shortText, toldError } from "../../nodes/common/messages/error-texts.ts";
import {
  explainFailure,
  type FailedCall,
  failureOf,
  failureSentence,
} from "../../nodes/common/messages/failure.ts";
import { nodeError, toCodedError } from "../../nodes/common/shared/errors.ts";
import { cutAtWord } from "../../nodes/common/shared/text.ts";
import { type Hop, HopError } from "../../src/http/hops.ts";
import { networkError } from "../../src/http/network-errors.ts";
import { ArgumentError, encodeValue, parseAbi } from "../../src/index.ts";

const TOKEN = "0x00000000000000000000000000000000000000Aa";
const HOLDER = "0x00000000000000000000000000000000DeaDBeef";
const NETWORK = "1";
const SERVICE = "http://localhost/v1";
const ABI = parseAbi(
  "error InsufficientBalance(address holder, uint256 balance, uint256 needed)\nerror Odd(string text, uint256 amount)",
);

/** A Node-RED with these contract nodes. */
function withContracts(...contracts: Array<{ address: string; decimals?: number; abi?: unknown }>): NodeAPI {
  const RED = { events: {} } as unknown as NodeAPI;
  for (const { address, decimals, abi = ABI } of contracts) {
    const known = { address, decimals, amounts: [], problem: undefined, chainSelector: NETWORK };
    const node = { name: "token", contract: { ...known, abi: async () => abi } } as unknown as ContractNode;
    registerContract(contractRegistry(RED), node);
  }
  return RED;
}

describe("the reason of a failed operation or query", () => {
  const text = `InsufficientBalance(holder: ${HOLDER}, balance: 1500000, needed: 20000000)`;
  const word = (type: string, value: string | number) =>
    encodeValue(type, String(value).toLowerCase(), "value").slice(2);
  /** To an address that does not matter. */
  const transferOf = (amount: number) => `0xa9059cbb${word("address", TOKEN)}${word("uint256", amount)}`;
  const data = transferOf(20_000_000);
  const calls = [{ chainSelector: NETWORK, to: TOKEN, data, from: HOLDER }];

  it("is the name of the contract's error, with amounts in tokens and addresses last", async () => {
    const failure = await explainFailure(
      contractRegistry(withContracts({ address: TOKEN, decimals: 6 })),
      text,
      calls,
      SERVICE,
    );
    should(failure).eql({
      reason: "InsufficientBalance",
      values: "balance 1.5, needed 20 tokens",
      addresses: `holder ${HOLDER}`,
    });
    should(failureSentence("failed", failure, "The operation was not executed")).equal(
      `InsufficientBalance: balance 1.5, needed 20 tokens. The operation was not executed (holder ${HOLDER}).`,
    );
  });

  it("begins with one plain line, with large amounts as people write them", async () => {
    const RED = withContracts({ address: TOKEN, decimals: 6 });
    const many = `(holder: ${HOLDER}, balance: 134000000, needed: 100000500000)`;
    const call = [{ ...calls[0], data: transferOf(100_000_500_000) } as FailedCall];
    const lineOf = async (error: string) =>
      shortText(
        new Error(
          failureSentence(
            "failed",
            await explainFailure(contractRegistry(RED), error, call, SERVICE),
            "It was not",
          ),
        ),
      );
    should(await lineOf(`InsufficientBalance${many}`)).equal("InsufficientBalance: balance 134, needed…");
    const failure = await explainFailure(contractRegistry(RED), `InsufficientBalance${many}`, call, SERVICE);
    should(failureSentence("failed", failure, "It was not executed")).startWith(
      "InsufficientBalance: balance 134, needed 100,000.5 tokens. ",
    );
  });

  it("of a standard error is said in words", async () => {
    const raised = `ERC20InsufficientBalance(sender: ${HOLDER}, balance: 1500000, needed: 20000000)`;
    const failure = await explainFailure(
      contractRegistry(withContracts({ address: TOKEN, decimals: 6 })),
      raised,
      calls,
      SERVICE,
    );
    should(failureSentence("failed", failure, "It was not executed")).startWith(
      "too few tokens: balance 1.5, needed 20 tokens. ",
    );
  });

  it("without one may be too little of the coin, in an operation and not in a query", () => {
    const sentence = (reason: string) => failureSentence("failed", failureOf(reason), "It was not executed");
    const check = "If it sends coins, check the coin balance of the wallet.";
    should(sentence("transaction 2 of 2: reverted without a reason")).equal(
      `reverted without a reason. It was not executed (transaction 2 of 2). ${check}`,
    );
    for (const reason of [
      "execution reverted",
      "execution reverted:",
      "the transaction reverted without a reason, or ran out of gas",
    ]) {
      should(sentence(reason)).equal(`${reason.replace(":", "")}. It was not executed. ${check}`);
    }
    for (const reason of ["CALL_REVERTED: execution reverted (reverted without a reason)", "out of paper"]) {
      should(sentence(reason)).not.containEql("coin");
    }
  });

  it("has one token in the singular", async () => {
    const one = `InsufficientBalance(holder: ${HOLDER}, balance: 500000, needed: 1000000)`;
    const { values } = await explainFailure(
      contractRegistry(withContracts({ address: TOKEN, decimals: 6 })),
      one,
      [{ ...calls[0], data: transferOf(1_000_000) } as FailedCall],
      SERVICE,
    );
    should(values).equal("balance 0.5, needed 1 token");
  });

  it("has amounts as they are where the decimals are not known", async () => {
    const { values } = await explainFailure(
      contractRegistry(withContracts({ address: TOKEN })),
      text,
      calls,
      SERVICE,
    );
    should(values).equal("balance 1500000, needed 20000000");
    should(await explainFailure(contractRegistry(withContracts()), text, calls, SERVICE)).have.property(
      "values",
      `holder: ${HOLDER}, balance: 1500000, needed: 20000000`,
    );
  });

  it("is decoded from revert data, by the standard where the ABI lacks the error", async () => {
    const words = [word("address", HOLDER), word("uint256", 1_500_000), word("uint256", 20_000_000)];
    const reverted = `execution reverted: 0xe450d38c${words.join("")}`;
    const RED = withContracts({ address: TOKEN, decimals: 6, abi: [] });
    should(await explainFailure(contractRegistry(RED), reverted, calls, SERVICE)).eql({
      reason: "ERC20InsufficientBalance",
      context: "execution reverted",
      values: "balance 1.5, needed 20 tokens",
      addresses: `sender ${HOLDER}`,
    });
  });

  describe("of a balance or an allowance has amounts as they are where another token may have raised it", () => {
    const shown = async (error: string, call: { data?: string; from?: string }) => {
      const abi = parseAbi(
        "error InsufficientBalance(address holder, uint256 balance, uint256 needed)\nerror Refused(address caller, uint256 amount)",
      );
      const RED = withContracts({ address: TOKEN, decimals: 6, abi });
      return (
        await explainFailure(
          contractRegistry(RED),
          error,
          [{ ...calls[0], data, from: HOLDER, ...call } as FailedCall],
          SERVICE,
        )
      ).values;
    };
    const own = /^balance 1\.5, needed 20 tokens$/;
    const plain = /^balance 1500000, needed 20000000$/;
    const standard = (account: string) =>
      `ERC20InsufficientBalance(sender: ${account}, balance: 1500000, needed: 20000000)`;
    const declared = (account: string) =>
      `InsufficientBalance(holder: ${account}, balance: 1500000, needed: 20000000)`;

    for (const [what, raised] of [
      ["the standard's", standard],
      ["one of the ABI", declared],
    ] as const) {
      it(`${what}`, async () => {
        should(await shown(raised(HOLDER), {})).match(own);
        // The called contract pays with a token of its own.
        should(await shown(raised(TOKEN), {})).match(plain);
        should(await shown(raised("0x00000000000000000000000000000000000000bB"), {})).match(plain);
        // It moves another amount, as it counts otherwise.
        should(await shown(raised(HOLDER), { data: transferOf(21_000_000) })).match(plain);
        should(await shown(raised(HOLDER), { data: "0xa9059cbb" })).match(plain);
        should(await shown(raised(HOLDER), { data: `0x6e553f65${data.slice(10)}` })).match(plain);
      });
    }

    it("where nobody knows who calls", async () => {
      const unknown = { from: undefined } as unknown as { from?: string };
      should(await shown(standard(HOLDER), unknown)).match(plain);
      const words = [word("address", HOLDER), word("address", TOKEN), word("uint256", 20_000_000)];
      const transferFrom = `0x23b872dd${words.join("")}`;
      should(await shown(standard(HOLDER), { ...unknown, data: transferFrom })).match(own);
    });

    it("but not of other errors that the called contract declares", async () => {
      const refused = `Refused(caller: ${HOLDER}, amount: 1500000)`;
      should(await shown(refused, { data: "0x6e553f65" })).match(/^amount 1\.5 tokens/);
    });
  });

  it("is of the call of a batch that failed", async () => {
    const other = HOLDER.toLowerCase();
    const RED = withContracts({ address: other, decimals: 2 }, { address: TOKEN, decimals: 6 });
    const batch = [
      { chainSelector: NETWORK, to: other, data, from: HOLDER },
      { chainSelector: NETWORK, to: TOKEN, data, from: HOLDER },
    ];
    should(await explainFailure(contractRegistry(RED), `transaction 2 of 2: ${text}`, batch, SERVICE)).match({
      reason: "InsufficientBalance",
      context: "transaction 2 of 2",
      values: /^balance 1\.5, needed 20 tokens$/,
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
    const failure = await explainFailure(
      contractRegistry(withContracts({ address: TOKEN, decimals: 1 })),
      odd,
      calls,
      SERVICE,
    );
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
    ["nope (nope)", { reason: "nope" }],
    ["CALL_REVERTED: nope (nope)", { reason: "nope", context: "CALL_REVERTED" }],
    ["CALL_REVERTED: nope", { reason: "nope", context: "CALL_REVERTED" }],
    ["execution reverted: nope (nope)", { reason: "nope", context: "execution reverted" }],
    [
      "transaction 1 of 2: 0xdeadbeef0102030405",
      {
        reason: "an error that the ABI does not name",
        context: "transaction 1 of 2",
        values: "0xdeadbeef0102030405",
      },
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
      "expired: the deadline passed. The operation was not executed.",
    );
    should(shortText(error)).equal("expired: the deadline passed");
  });

  it("says paths of calls in words, and keeps the path for programs", () => {
    const told = (path: string) => toldError(new ArgumentError(path, `${path} is wrong.`));
    for (const [path, words] of [
      ["calls[0].args.value", "value in call 1"],
      ["calls[1].args.amounts[2]", "amounts[2] in call 2"],
      ["calls[0].args[3]", "value 4 in call 1"],
      ["calls[9].to", "to in call 10"],
      ["calls[0].args", "values in call 1"],
      ["calls[0]", "call 1"],
      ["args.account", "account"],
    ] as const) {
      should(told(path)).match({ message: `${words} is wrong.`, path, code: "INVALID_ARGUMENT" });
      should(shortText(told(path))).equal(`${words} is wrong`);
    }
  });

  it("is the address of a service or a proxy that cannot be reached, whatever the cause", () => {
    const textOf = (error: string) =>
      shortText(
        networkError(Object.assign(new Error("no"), { code: error }), "127.0.0.1:8787", (text) => text),
      );
    should(textOf("ECONNREFUSED")).equal("service unreachable: 127.0.0.1:8787");
    should(textOf("ENOTFOUND")).equal("service unreachable: 127.0.0.1:8787");
    const atProxy = (hop: Hop, code: string) => {
      const thrown = new HopError(hop, Object.assign(new Error("no"), { code }));
      return shortText(
        networkError(thrown, "crec.example:443", String, { proxy: { url: "http://proxy:3128" } }),
      );
    };
    should(atProxy("proxy", "ECONNREFUSED")).equal("proxy unreachable: proxy:3128");
    should(atProxy("proxy", "CERT_HAS_EXPIRED")).equal("proxy not trusted: proxy:3128");
    should(atProxy("tunnel", "ECONNRESET")).equal("proxy does not connect: proxy:3128");
    should(atProxy("service", "UND_ERR_CONNECT_TIMEOUT")).equal("service unreachable: crec.example:443");
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
