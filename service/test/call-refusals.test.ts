import should from "should";
import { RpcRequestError } from "viem";
import { type CallRefusal, callRefusalOf, failureOf } from "../src/chain/node/refusals.ts";

const SAID: ReadonlyArray<[node: string, code: number, message: string, means: CallRefusal]> = [
  ["anvil", -32603, "EVM error InvalidFEOpcode", "failed"],
  ["anvil", -32603, "EVM error OutOfGas", "failed"],
  ["anvil", -32603, "EVM error FatalExternalError", "other"],
  ["anvil", -32602, "BlockOutOfRangeError: block height is 0 but requested was 629145", "no block"],
  ["geth", -32000, "invalid opcode: INVALID", "failed"],
  ["geth", -32000, "invalid opcode: opcode 0xc not defined", "failed"],
  ["geth", -32000, "out of gas", "failed"],
  ["geth", -32000, "stack underflow (0 <=> 1)", "failed"],
  ["geth", -32000, "stack limit reached 1024 (1023)", "failed"],
  ["geth", -32000, "execution aborted (timeout = 5s)", "failed"],
  ["geth", -32000, "header not found", "no block"],
  ["geth", -32000, "missing trie node 6d2c (path ) state 0x6d2c is not available, not found", "no state"],
  ["geth", -32000, "historical state 6d2c is not available", "no state"],
  ["geth", -32000, "finalized block not found", "other"],
  ["geth", -32000, "insufficient funds for gas * price + value: address 0x1 have 0 want 1", "other"],
  ["Hardhat", -32603, "VM Exception while processing transaction: invalid opcode", "failed"],
  ["Hardhat", -32603, "Error: Transaction reverted without a reason string", "failed"],
  ["Hardhat", -32603, "Transaction ran out of gas", "failed"],
  ["Hardhat", -32602, "Received invalid block tag 999. Latest block number is 3", "no block"],
  ["Ganache", -32000, "VM Exception while processing transaction: invalid opcode", "failed"],
  ["Nethermind", -32015, "VM execution error.", "failed"],
  ["Nethermind", -32000, "BadInstruction", "failed"],
  ["Nethermind", -32001, "Block 629145 could not be found", "no block"],
  ["Nethermind", -32002, "No state available for block 0x12", "no state"],
  ["Erigon", -32000, "stack underflow (0 <=> 1)", "failed"],
  ["Erigon", -32000, "block not found: 629145", "no block"],
  ["Erigon", -32000, "history before block 629145 is pruned", "no state"],
  ["Reth", -32003, "EVM error: InvalidFEOpcode", "failed"],
  ["Reth", -32000, "no state found for block 629145", "no state"],
  ["Reth", -32603, "state at block #629145 is pruned", "no state"],
  ["Reth", -32003, "out of gas: gas exhausted during memory expansion: 30000000", "failed"],
  ["Reth", -32001, "block not found: 0x99999", "no block"],
  ["any", -32005, "Too many requests, rate limit exceeded", "other"],
  ["any", -32601, "the method eth_call does not exist/is not available", "other"],
];

const errorOf = (code: number, message: string, data?: unknown) =>
  new RpcRequestError({ body: {}, error: { code, message, data }, url: "http://node.example" });

describe("what a node says of a call that it refuses", () => {
  for (const [node, code, message, means] of SAID) {
    it(`is told apart: ${node}, ${message}`, () =>
      should(callRefusalOf(errorOf(code, message))).equal(means));
  }

  it("is a result of the call with data only where the node gave some", () => {
    should(failureOf(errorOf(3, "execution reverted", "0x08c3"))).containEql({ reverted: "0x08c3" });
    should(failureOf(errorOf(-32603, "Error", { message: "Error", data: "0x" }))).containEql({
      reverted: "0x",
    });
    should(failureOf(errorOf(-32015, "VM execution error.", "Reverted 0xab"))).containEql({
      reverted: "0xab",
    });
    should(failureOf(errorOf(3, "execution reverted"))?.reverted).be.undefined();
    should(failureOf(errorOf(-32603, "EVM error StackUnderflow"))).eql({
      ...{ reverted: undefined, message: "EVM error StackUnderflow" },
    });
    should(failureOf(errorOf(-32000, "header not found"))).be.undefined();
    should(failureOf(new TypeError("EVM error StackUnderflow"))).be.undefined();
  });
});
