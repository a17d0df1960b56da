import should from "should";
import {
  decodeFunctionResult,
  encodeFunctionCall,
  eventFragments,
  listEvents,
  listFunctions,
  parseAbi,
} from "../../src/abi/index.ts";

describe("a function that an ABI has twice", () => {
  const once = "function pay(address to, uint256 amount) returns (bool)";
  const abi = parseAbi(`${once}\nfunction other()\n${once}\nfunction pay(address who)`);
  const args = ["0x5b571A50AC6cB524730C8419EBe452703139809A", 1];

  it("is one function to a call, by its name and by its signature", () => {
    for (const name of ["pay", "pay(address,uint256)"]) {
      should(encodeFunctionCall({ abi, function: name, args })).have.property(
        "signature",
        "pay(address,uint256)",
      );
    }
    const data = `0x${"1".padStart(64, "0")}`;
    should(decodeFunctionResult({ abi, function: "pay(address,uint256)", data })).be.true();
  });

  it("is listed once", () => {
    should(listFunctions(abi).map(({ signature }) => signature)).deepEqual([
      "pay(address,uint256)",
      "other()",
      "pay(address)",
    ]);
  });

  it("does not watch an event twice", () => {
    const event = "event Paid(address indexed to, uint256 amount)";
    const events = parseAbi(`${event}\n${event}\nevent Paid(address to)`);
    should(eventFragments(events, ["Paid"])).have.length(2);
    should(listEvents(events)).have.length(2);
  });
});

describe("a signature with the short names of types", () => {
  const abi = parseAbi(`
    function f(uint256 a)
    function f(int256[] a, uint256[3][] b, uint8 c)
    function uint(uint256 a)
    event E(uint256 indexed a, int256 b)
  `);

  it("finds the function of the long ones", () => {
    const found = (name: string, args: unknown[]) =>
      encodeFunctionCall({ abi, function: name, args }).signature;
    should(found("f(uint)", [1])).equal("f(uint256)");
    should(found(" f( int[ ], uint [3][] ,uint8)", [[], [], 1])).equal("f(int256[],uint256[3][],uint8)");
    should(found("uint(uint)", [1])).equal("uint(uint256)");
    should(() => found("f(uint8)", [1])).throw({ code: "FUNCTION_NOT_IN_ABI" });
  });

  it("finds the event of the long ones", () => {
    should(eventFragments(abi, ["E(uint, int)"])).have.length(1);
  });
});
