import should from "should";
import { unusualRecipient } from "../../nodes/common/shared/chain.ts";
import { encodeFunctionCall, parseAbi } from "../../src/index.ts";

const ZERO = "0x0000000000000000000000000000000000000000";
const TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const WALLET = "0x00000000000000000000000000000000DeaDBeef";
const OTHER = "0x00000000000000000000000000000000000000AA";
const ABI = parseAbi(
  [
    "function transfer(address to, uint256 value)",
    "function transferFrom(address from, address to, uint256 value)",
    "function safeTransferFrom(address from, address to, uint256 id)",
    "function safeTransferFrom(address from, address to, uint256 id, bytes data)",
    "function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)",
    "function approve(address spender, uint256 value)",
    "function deposit() payable",
  ].join("\n"),
);
const FROM = [
  ["transferFrom(address,address,uint256)", "1"],
  ["safeTransferFrom(address,address,uint256)", "1"],
  ["safeTransferFrom(address,address,uint256,bytes)", "1", "0x"],
  ["safeTransferFrom(address,address,uint256,uint256,bytes)", "1", "1", "0x"],
] as const;

function dataOf(name: string, ...args: unknown[]): string {
  return encodeFunctionCall({ abi: ABI, function: name, args }).data;
}

/** Of a call of the token, with the addresses in another case than the wallet and the call have them. */
function found(data: string, value: string | number = "0", to = TOKEN): string | undefined {
  return unusualRecipient({ to, value, data: data.toUpperCase().replace("0X", "0x") }, WALLET)?.recipient;
}

describe("an unusual recipient", () => {
  it("of transfer is the zero address, the called contract and the wallet itself", () => {
    const to = (address: string) => found(dataOf("transfer(address,uint256)", address, "1"));
    should([ZERO, TOKEN, WALLET].map(to)).deepEqual(["zero", "called", "wallet"]);
    should(to(OTHER)).be.undefined();
  });

  it("of transferFrom and each safeTransferFrom is the wallet only if it is the sender, too", () => {
    for (const [name, ...more] of FROM) {
      const move = (from: string, to: string) => found(dataOf(name, from, to, ...more));
      should([move(OTHER, ZERO), move(WALLET, TOKEN)]).deepEqual(["zero", "called"], name);
      should(move(WALLET, WALLET)).equal("wallet", name);
      should(move(OTHER, WALLET) === undefined).be.true(name);
      should(move(WALLET, OTHER) === undefined).be.true(name);
    }
  });

  it("of coin without data is the zero address", () => {
    for (const value of ["1", "0x0a", 5]) should(found("0x", value, ZERO)).equal("coin");
    should(found("", "1", ZERO)).equal("coin");
    for (const value of ["0", "0x00", 0]) should(found("0x", value, ZERO) === undefined).be.true();
    should(found("0x", "1", OTHER)).be.undefined();
  });

  it("is none for coin to a token, other functions, and data that no contract accepts", () => {
    should(found("0x", "1")).be.undefined();
    should(found(dataOf("deposit()"), "1")).be.undefined();
    should(found(dataOf("approve(address,uint256)", ZERO, "1"))).be.undefined();
    should(found("0xa9059cbb")).be.undefined();
    should(found("0x23b872dd".padEnd(74, "0"))).be.undefined();
  });

  it("is found without the wallet's address, too, where that does not matter", () => {
    const call = (to: string) => ({ to: TOKEN, value: "0", data: dataOf("transfer", to, "1") });
    should(unusualRecipient(call(ZERO), undefined)).deepEqual({ recipient: "zero", function: "transfer" });
    should(unusualRecipient(call(WALLET), "a name")).be.undefined();
  });
});
