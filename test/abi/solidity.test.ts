import should from "should";
import { encodeFunctionCall, encodeValue, listEvents, listFunctions, parseAbi } from "../../src/abi/index.ts";

const SOURCE = `\ufeff// SPDX-License-Identifier: MIT
pragma solidity >=0.8.0 <0.9.0;

import {Base, Other} from "./Base.sol";
import "https://example.org/Math.sol";

/// @title Money; function notThis(uint256 a);
interface IMoney is Base, Other
{
    enum Phase { Open, Closed }
    type Price is uint128;

    struct Order {
        uint8[] amounts; // how many { of each
        Phase phase;
        IMoney.Price price;
    }

    error Broke(uint256 missing);

    /**
     * @dev Emitted { once }
     */
    event Transfer(
        address indexed from,
        address indexed to,
        uint256 value
    );
    event Quiet(uint256 a) anonymous;

    function transfer(address to, uint256 amount) external returns (bool);

    function fill(
        Order calldata order,
        IMoney other
    )
        external
        payable
        virtual
        override(Base, Other)
        returns (Phase, Price price);

    function phase() external view returns (Phase); function price() external view returns (Price);
    receive() external payable;
    fallback(bytes calldata input) external payable returns (bytes memory output);
}

interface IClock { function now_() external view
    returns (uint256); }
`;

describe("the source of Solidity interfaces", () => {
  it("is read as a whole: all interfaces in it, and nothing but their items", () => {
    const abi = parseAbi(SOURCE);
    should(
      listFunctions(abi).map(({ signature, stateMutability }) => [signature, stateMutability]),
    ).deepEqual([
      ["transfer(address,uint256)", "nonpayable"],
      ["fill((uint8[],uint8,uint128),address)", "payable"],
      ["phase()", "view"],
      ["price()", "view"],
      ["now_()", "view"],
    ]);
    should(listEvents(abi).map(({ signature, anonymous }) => [signature, anonymous])).deepEqual([
      ["Transfer(address,address,uint256)", false],
      ["Quiet(uint256)", true],
    ]);
    should(abi.filter(({ type }) => type === "error")).have.length(1);
    should(listFunctions(abi)[1]?.outputs.map(({ name, type }) => [name, type])).deepEqual([
      ["", "uint8"],
      ["price", "uint128"],
    ]);
  });

  it("is the same with the line breaks of Windows, and on one line", () => {
    const expected = parseAbi(SOURCE);
    should(parseAbi(SOURCE.replaceAll("\n", "\r\n"))).deepEqual(expected);
    const line = "interface A { event E(uint a); function f(uint a) external; } interface B { error X(); }";
    should(parseAbi(line).map(({ name }) => name)).deepEqual(["E", "f", "X"]);
  });

  it("may have comments side by side", () => {
    should(parseAbi("/* a *//* event A(foo) */function f()")).have.length(1);
    should(parseAbi("/**/// event A(foo)\nfunction f()")).have.length(1);
  });

  it("names the line of what cannot be read", () => {
    const refused = (text: string, message: RegExp) =>
      should(() => parseAbi(text)).throw({ code: "ABI_INVALID", path: "abi", message });
    refused("interface A {\n  event E(uint a);\n  function f(Foo a)\n    external;\n}", /Line 3 .*"Foo"/);
    refused("interface A {\n  function f() external;\n", /Line 1 .*interface A, but its last brace/);
    refused("library L { function f() internal {} }", /source of a library/);
    refused(
      "interface A { struct P { uint a; } }\ninterface B { struct P { int a; } }\nfunction f(P p);",
      /Line 3 .*"P" is not in the text, or not clear/,
    );
  });

  it("takes a struct that two interfaces have alike", () => {
    const struct = "struct P { uint a; }";
    const abi = parseAbi(`interface A { ${struct} }\ninterface B { ${struct} function f(A.P memory p); }`);
    should(listFunctions(abi)[0]?.signature).equal("f((uint256))");
  });

  it("takes a struct without a space before its brace, in structs and lists too", () => {
    const structs = "struct P{uint x; Q[] q;} struct Q{address payable z;}";
    const abi = parseAbi(`interface A{${structs} function f(P calldata p, P[2][] memory q) external;}`);
    const point = "(uint256,(address)[])";
    should(listFunctions(abi)[0]?.signature).equal(`f(${point},${point}[2][])`);
  });
});

describe("items of a contract that are not called by name", () => {
  for (const line of [
    "receive() payable",
    "receive() external payable",
    "receive () external payable virtual { }",
    "fallback()",
    "fallback() payable",
    "fallback() external payable",
    "fallback(bytes calldata input) external payable returns (bytes memory output);",
    "constructor(address owner) public",
    "constructor(address owner)",
  ]) {
    it(`are left out: ${line}`, () => {
      should(parseAbi(`${line}\nfunction f()`).map(({ name }) => name)).deepEqual(["f"]);
      should(parseAbi(line)).deepEqual([]);
    });
  }

  it("are functions where they are named so", () => {
    should(listFunctions(parseAbi("function fallbackTo(address a)\nfunction constructorOf()"))).have.length(
      2,
    );
  });
});

describe("the answer of an explorer", () => {
  const items = parseAbi("function f(uint a)\nevent E()");

  it("is read by its result, as text or as JSON", () => {
    const answer = { status: "1", message: "OK", result: JSON.stringify(items) };
    for (const given of [answer, JSON.stringify(answer), JSON.stringify({ status: "1", result: items })]) {
      should(parseAbi(given)).deepEqual(items);
    }
    should(parseAbi({ abi: JSON.stringify(items) })).deepEqual(items);
  });

  it("is refused where it holds none, with what the explorer says", () => {
    const answer = { status: "0", message: "NOTOK", result: "Contract source code not verified" };
    should(() => parseAbi(JSON.stringify(answer))).throw({
      code: "ABI_INVALID",
      message: /"Contract source code not verified"/,
    });
    for (const result of ["", "{}", JSON.stringify({ result: "[" }), 7, null, "[{"]) {
      should(() => parseAbi({ status: "1", result })).throw({ code: "ABI_INVALID" });
    }
  });
});

describe("what is there before the first letter", () => {
  it("is not part of an ABI, but part of a string", () => {
    should(parseAbi("\ufeff[]")).deepEqual([]);
    should(parseAbi("\ufefffunction f()")).have.length(1);
    const abi = parseAbi("function say(string text)");
    const { data } = encodeFunctionCall({ abi, function: "say", args: ["\ufeffhello"] });
    should(data.slice(10)).equal(encodeValue("string", "\ufeffhello", "text").slice(2));
  });
});
