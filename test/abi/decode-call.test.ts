import should from "should";
import { decodeFunctionCall, encodeFunctionCall, parseAbi } from "../../src/abi/index.ts";

describe("decodeFunctionCall", () => {
  const abi = parseAbi(`
    function send((address to, uint256[] amounts)[] items, bytes note) payable
    function send(uint256)
    function nothing()
    event send(uint256 amount)
  `);
  const to = "0x00000000000000000000000000000000DeaDBeef";

  it("gives back what was encoded, by name, also from data without checksum or in capitals", () => {
    const args = { items: [{ to, amounts: ["1", String(2n ** 256n - 1n)] }], note: "0x12" };
    const signature = "send((address,uint256[])[],bytes)";
    const { data } = encodeFunctionCall({ abi, function: signature, args });
    for (const given of [data, `0x${data.slice(2).toUpperCase()}`]) {
      should(decodeFunctionCall({ abi, data: given })).deepEqual({ name: "send", signature, args });
    }
  });

  it("returns values without names by their position, and an empty object without values", () => {
    const { data } = encodeFunctionCall({ abi, function: "send(uint256)", args: [7] });
    should(decodeFunctionCall({ abi, data })?.args).deepEqual({ 0: "7" });
    const nothing = encodeFunctionCall({ abi, function: "nothing" }).data;
    should(decodeFunctionCall({ abi, data: nothing })?.args).deepEqual({});
  });

  it("says nothing about data of another function, cut off, or no data", () => {
    const { data } = encodeFunctionCall({ abi, function: "send(uint256)", args: [7] });
    for (const other of ["0x", "", "no hex", "0x12345678", data.slice(0, -2), data.slice(0, 8)]) {
      should(decodeFunctionCall({ abi, data: other })).be.undefined();
    }
  });
});
