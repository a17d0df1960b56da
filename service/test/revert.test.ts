import should from "should";
import { explainFailure } from "../src/chain/revert.ts";

describe("why a call failed", () => {
  const reason = (message: string) => explainFailure({ reverted: undefined, message }).reason;

  it("is that it ran out of gas where a node says so, in whatever words", () => {
    for (const message of ["out of gas", "EVM error OutOfGas", "Transaction ran out of gas"]) {
      should(reason(message)).equal("out of gas");
    }
    should(reason("EVM error StackOverflow")).equal("the contract's code failed: EVM error StackOverflow");
  });
});
