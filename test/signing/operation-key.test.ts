import fc from "fast-check";
import should from "should";
import { walletOperationIdOf } from "../../src/signing/index.ts";

const WALLET = {
  chainSelector: "7759470850252068959",
  address: "0x1111111111111111111111111111111111111111",
};

describe("walletOperationIdOf", () => {
  it("never changes", () => {
    should(walletOperationIdOf("order-42", WALLET)).equal(
      "70204075970445438270453401969760281156854829111189665451325295060250292084375",
    );
  });

  it("is a uint256 in decimal digits, the same for each spelling of the wallet", () => {
    const lower = { chainSelector: "7759470850252068959", address: `0x${"ab".repeat(20)}` };
    const written = { chainSelector: "07759470850252068959", address: `0x${"AB".repeat(20)}` };
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1 }).filter((key) => key.trim() !== ""),
        (key) => {
          const id = walletOperationIdOf(key, lower);
          should(id).match(/^\d{1,78}$/);
          should(BigInt(id) < 2n ** 256n).be.true();
          should(walletOperationIdOf(key, written)).equal(id);
        },
      ),
    );
  });

  it("differs for another key, wallet or network", () => {
    const ids = [
      walletOperationIdOf("1", WALLET),
      walletOperationIdOf("01", WALLET),
      walletOperationIdOf(" 1", WALLET),
      walletOperationIdOf("a\0b", WALLET),
      walletOperationIdOf("a", WALLET),
      walletOperationIdOf("1", { ...WALLET, chainSelector: "1" }),
      walletOperationIdOf("1", { ...WALLET, address: `0x${"22".repeat(20)}` }),
    ];
    should(new Set(ids).size).equal(ids.length);
  });

  it("rejects what is not a key", () => {
    for (const key of ["", "  ", "\ud800", 7, undefined, null]) {
      should(() => walletOperationIdOf(key as string, WALLET)).throw({ path: "operation_key" });
    }
    for (const chainSelector of ["sepolia", "", "-1", "1x", "x1", "1".repeat(21)]) {
      should(() => walletOperationIdOf("a", { ...WALLET, chainSelector })).throw({
        path: "chain_selector",
        message: /decimal digits/,
      });
    }
    should(() => walletOperationIdOf("a", { ...WALLET, address: "0x1" })).throw({ code: "INVALID_ADDRESS" });
  });
});
