import should from "should";
import { blockAgeProblem } from "../../nodes/run-query/block-age.ts";

const NOW = 1_800_000_000;

describe("the age of an answer's block", () => {
  const codeAt = (time: number | string, maxAge = 60) =>
    blockAgeProblem({ number: "7", hash: "0x", time }, maxAge, NOW)?.code;

  it("may be what the form allows, by the clock of this machine", () => {
    should(codeAt(NOW - 60)).be.undefined();
    should(codeAt(NOW - 61)).equal("BLOCK_TOO_OLD");
    should(codeAt(String(NOW - 61))).equal("BLOCK_TOO_OLD");
    should(blockAgeProblem({ number: "7", hash: "0x", time: 0 }, 60)?.code).equal("BLOCK_TOO_OLD");
  });

  it("is not known where a clock is wrong, or where the answer names no block", () => {
    should(codeAt(NOW + 60)).be.undefined();
    should(blockAgeProblem({ number: "7", hash: "0x", time: "soon" }, 60, NOW)?.message).match(
      /age is unknown/,
    );
    should(codeAt(NOW + 61)).equal("BLOCK_IN_THE_FUTURE");
    const saysAt = (time: number) => blockAgeProblem({ number: "7", hash: "0x", time }, 60, NOW)?.message;
    should(saysAt(NOW + 61)).match(/clock\. If it is right, the blocks of this network are ahead/);
    should(saysAt(NOW - 61)).match(/again later, .*\. If it is always so, check this machine's clock\.$/);
    should(blockAgeProblem(undefined, 60, NOW)).match({
      code: "BLOCK_TOO_OLD",
      message: /does not name the time of its block/,
    });
  });
});
