import { readdirSync, readFileSync } from "node:fs";
import should from "should";
import {
  type Abi,
  type AbiParameter,
  decodeFunctionCall,
  encodeFunctionCall,
  eventFragments,
  eventValues,
  listAbis,
  listEvents,
  listFunctions,
  parseAbi,
  readAbi,
  signatureHash,
} from "../../src/abi/index.ts";

/** As the compiler writes it for a library: `Lib.E` is an enum of it. */
const OF_LIBRARY = {
  type: "function",
  name: "phase",
  inputs: [{ name: "e", type: "Lib.E", internalType: "enum Lib.E" }],
};
const GOOD = { type: "event", name: "Good", inputs: [{ name: "a", type: "uint256" }] };

describe("one odd item of an ABI", () => {
  const odd: Array<[string, unknown, string, RegExp]> = [
    ["a type of a library", OF_LIBRARY, "phase", /^Function phase: .*"Lib\.E"/],
    [
      "a pointer of a library",
      { ...OF_LIBRARY, inputs: [{ name: "s", type: "Lib.S storage" }] },
      "phase",
      /"Lib\.S storage"/,
    ],
    [
      "a tuple without components",
      { ...GOOD, name: "Order", inputs: [{ name: "o", type: "tuple" }] },
      "Order",
      /^Event Order: .*without components/,
    ],
    [
      "a list of empty tuples",
      { ...GOOD, name: "Orders", inputs: [{ name: "o", type: "tuple[]", components: [] }] },
      "Orders",
      /^Event Orders: .*without components/,
    ],
    [
      "a tuple inside a tuple",
      { ...GOOD, name: "Deep", inputs: [{ type: "tuple", components: [{ type: "tuple", name: "x" }] }] },
      "Deep",
      /^Event Deep: .*without components/,
    ],
    ["no name", { type: "error" }, "", /has no name/],
    ["no object", null, "", /Item 0/],
    ["a number", 7, "", /Item 0/],
    ["a name that is none", { ...GOOD, name: "Good(uint256)" }, "Good(uint256)", /name/],
  ];
  for (const [what, item, name, message] of odd) {
    it(`leaves the others usable, and has a sentence: ${what}`, () => {
      const { abi, unusable } = readAbi([item, GOOD]);
      should(listEvents(abi).map(({ signature }) => signature)).eql(["Good(uint256)"]);
      should(unusable.map((one) => one.name)).eql([name]);
      should(unusable[0]?.message).match(message);
      should(() => parseAbi([item, GOOD])).throw({ code: "ABI_INVALID", message, path: /^abi\[0\]/ });
      should(() => readAbi([item])).throw({ code: "ABI_INVALID", message });
    });
  }

  it("is a line of text too", () => {
    const text = "event Good(uint256 a)\nfunction phase(Lib.E e)\n\nhello\nfunction f() view returns (bool)";
    const { abi, unusable } = readAbi(text);
    should(abi.map(({ name }) => name)).eql(["Good", "f"]);
    should(unusable.map(({ name }) => name)).eql(["phase", "hello"]);
    should(unusable[0]?.message).match(/^Line 2 .*"Lib\.E"/);
    should(unusable[1]?.message).match(/^Line 4 .*begins with function/);
    should(() => parseAbi(text)).throw(/^Line 2 /);
    should(() => readAbi("hello")).throw({ code: "ABI_INVALID" });
  });

  it("is named where it is asked for", () => {
    const { abi } = readAbi([OF_LIBRARY, { ...GOOD, name: "Order", inputs: [{ type: "tuple" }] }, GOOD]);
    should(() => encodeFunctionCall({ abi, function: "phase", args: [1] })).throw(
      /no function "phase".*Function phase: .*Lib\.E/,
    );
    should(() => eventFragments(abi, ["Order"])).throw(/no event "Order".*Event Order: .*without components/);
    should(() => eventFragments(abi, ["Other"])).throw(/^((?!without components).)*$/);
  });

  it("does not keep the events of the others from being read", () => {
    const log = { topic_hash: signatureHash("Good(uint256)") };
    should(eventValues([OF_LIBRARY, GOOD], log, { a: 5 })?.params).eql({ a: "5" });
  });

  it("leaves an empty ABI as it is", () => {
    should(readAbi("[]")).eql({ abi: [], unusable: [] });
    should(readAbi("constructor()")).eql({ abi: [], unusable: [] });
  });
});

describe("Solidity source", () => {
  it("names the bases and types that are not pasted, and reads the rest", () => {
    const { abi, unusable } = readAbi(`
      import {IERC20} from "./IERC20.sol";
      interface IVault is IERC20, lib.IOwned {
        function asset() external view returns (IERC20);
        function shares() external view returns (uint256);
      }`);
    should(listFunctions(abi).map(({ signature }) => signature)).eql(["shares()"]);
    should(unusable.map(({ name }) => name)).eql(["asset", "IERC20", "IOwned"]);
    should(unusable[0]?.message).match(/^Line 4 .*"IERC20"/);
    should(unusable[1]?.message).match(/^Line 3 .*IVault.*IERC20/);
  });

  it("may have constants, and structs of the same name in different places", () => {
    const abi = parseAbi(
      `
      uint256 constant SIZE = 4;
      struct P { uint a; }
      interface A { struct P { int a; } struct Q { P[SIZE] list; } function f(P calldata p) external; }
      interface B is A { function g(Q memory q, P memory p) external; function h(bytes32[2 * SIZE] memory a) external; }
      interface C { function i(P calldata p, A.P[SIZE][] calldata q) external; }
    `.replace("function h(bytes32[2 * SIZE] memory a) external;", ""),
    );
    should(listFunctions(abi).map(({ signature }) => signature)).eql([
      "f((int256))",
      "g(((int256)[4]),(int256))",
      "i((uint256),(int256)[4][])",
    ]);
    should(() => parseAbi("interface B {\nfunction h(bytes32[2 * SIZE] memory a) external; }")).throw(
      /^Line 2 .*"\*"/,
    );
    should(() => parseAbi("function h(bytes32[SIZE] a)")).throw(/^Line 1 .*"SIZE"/);
  });

  it("of a contract has what it overrides once, as the contract has it", () => {
    const abi = parseAbi(`
      interface IToken { function move(address recipient, uint amount) external returns (bool); function total() external view returns (uint supply); }
      contract Base is IToken { uint public total; function move(address whom, uint256 many) public virtual returns (bool) { } }
      contract Token is Base { function move(address to, uint256 value) public override returns (bool) { } }`);
    const { data } = encodeFunctionCall({
      abi,
      function: "move",
      args: { to: `0x${"1".repeat(40)}`, value: 5 },
    });
    should(decodeFunctionCall({ abi, data })?.args).have.keys("to", "value");
    should(abi.map(({ name }) => name)).eql(["move", "total"]);
  });

  it("of a contract gives the ABI that the compiler gives", () => {
    const folder = new URL("../../service/contracts/", import.meta.url);
    const read = (file: string) => readFileSync(new URL(file, folder), "utf8");
    const withImports = (text: string) =>
      [...text.matchAll(/from "\.\/(\w+\.sol)"/g)].map(([, file = ""]) => read(file)).join("\n") + text;
    const keys = (abi: Abi) =>
      abi
        .map((item) => {
          const { name, inputs } = item;
          const names = (list: readonly AbiParameter[]): unknown[] =>
            list.map((one) => [one.name, one.type, one.indexed ?? false, names(one.components ?? [])]);
          const more = item.type === "function" ? [item.stateMutability, names(item.outputs)] : [];
          return JSON.stringify([item.type, name, names(inputs), ...more]);
        })
        .sort();
    const files = readdirSync(folder).filter((file) => file.endsWith(".sol"));
    should(files.length).be.above(5);
    for (const file of files) {
      const name = file.replace(".sol", "");
      const [only, ...others] = listAbis(withImports(read(file))).filter((one) => one.name === name);
      should(others).be.empty();
      should(only?.unusable).eql([], file);
      should(keys(only?.abi ?? [])).eql(keys(parseAbi(read(`artifacts/${name}.json`))), file);
    }
  });

  it("of a contract shows its functions, its getters, and those of its bases", () => {
    const { abi, unusable } = readAbi(`
      pragma solidity ^0.8.0;
      library Math { struct Half { uint128 low; } event Log(uint a); function half(uint a) internal pure returns (uint) { return a / 2; } }
      interface IERC20 { event Transfer(address indexed from, address indexed to, uint256 value); function totalSupply() external view returns (uint256); }
      interface IRouter { function swap() external; }
      abstract contract Owned { address public owner; modifier onlyOwner() { require(msg.sender == owner, "not { the owner"); _; } }
      contract Token is IERC20, Owned, ERC165 {
        using Math for uint256;
        struct Account { uint256 balance; mapping(address => bool) seen; uint8[] levels; Math.Half half; }
        enum Phase { Open, Closed }
        uint256 public constant MAX = 10 ** 18;
        uint256 public override totalSupply = 5;
        mapping(address owner => mapping(uint256 => Account)) public accounts;
        Phase[2][] public phases;
        IRouter immutable router;
        bytes32 private constant SECRET = keccak256("}");
        error Broke(uint256 missing);
        constructor(address owner_) Owned() { owner = owner_; }
        function mint(address to, uint256 amount) external onlyOwner returns (Phase phase) { if (amount > 1) { emit Transfer(address(0), to, amount); } }
        function _move(address to) internal { }
        function old(string text) { }
        receive() external payable { }
      }`);
    should(
      [...listFunctions(abi)].map((one) => [
        one.signature,
        one.stateMutability,
        one.outputs.map(({ type }) => type).join(),
      ]),
    ).eql([
      ["MAX()", "view", "uint256"],
      ["totalSupply()", "view", "uint256"],
      ["accounts(address,uint256)", "view", "uint256,tuple"],
      ["phases(uint256,uint256)", "view", "uint8"],
      ["mint(address,uint256)", "nonpayable", "uint8"],
      ["old(string)", "nonpayable", ""],
      ["owner()", "view", "address"],
    ]);
    should(listEvents(abi).map(({ name }) => name)).eql(["Transfer"]);
    should(abi.filter(({ type }) => type === "error")).have.length(1);
    should(unusable.map(({ name }) => name)).eql(["ERC165"]);
  });

  it("gives what a contract overrides as the contract has it: of several bases, the last one counts", () => {
    const { abi } = readAbi(`
      interface IToken { function name() external pure returns (string memory); function allowance(address owner, address spender) external view returns (uint); }
      contract Token is IToken { string public constant name = "T"; mapping(address => mapping(address => uint)) public allowance; }
      contract Base { function send(address from, address to) external virtual {} }
      contract Old is Base { function send(address to, address from) external virtual override {} }
      contract Pair is Base, IToken, Token, Old {}`);
    const own = listFunctions(abi).map(({ signature, stateMutability: is, inputs }) => [
      signature,
      is,
      inputs.map(({ name }) => name).join(),
    ]);
    should(own).eql([
      ["send(address,address)", "nonpayable", "to,from"],
      ["name()", "view", ""],
      ["allowance(address,address)", "view", ","],
    ]);
    should(abi).have.length(3);
  });

  it("may have assembly, which declares as JavaScript does", () => {
    const { abi } = readAbi(`library Memory { function free(uint a) internal pure {
      assembly {
        let at := mload(0x40)
        let b := a
      }
      var c = a;
    } }
    contract A { function f() external {} }`);
    should(abi.map(({ name }) => name)).eql(["f"]);
  });

  it("has the names that a getter returns, and lists of addresses that are paid", () => {
    const abi = parseAbi(`
      contract A {
        mapping(address app => mapping(uint32 => address payable delegate)) public delegates;
        mapping(uint => address payable[]) public heirs;
        address payable[2] public heads;
        function pay(address payable[] calldata to, mapping(uint => uint) storage sums) internal {}
        function pay(address payable[] calldata to) external {}
      }`);
    should(listFunctions(abi).map((one) => [one.signature, one.outputs.map(({ name }) => name).join()])).eql([
      ["delegates(address,uint32)", "delegate"],
      ["heirs(uint256,uint256)", ""],
      ["heads(uint256)", ""],
      ["pay(address[])", ""],
    ]);
  });

  it("says nothing of what cannot be called: internal functions, and imports on several lines", () => {
    const { abi, unusable } = readAbi(`
      import {Clones as C} from
        "./Clones.sol";
      contract A {
        function _push(Trace storage store, function(uint208, uint208) view returns (uint208) op) private returns (Lib.T) {}
        function _at(Lib.T memory at) internal pure virtual {}
        IPool public immutable POOL = IPool(address(0));
        function ok() external {}
      }`);
    should(abi.map(({ name }) => name)).eql(["ok"]);
    should(unusable.map(({ name }) => name)).eql(["POOL"]);
    should(unusable[0]?.message).match(/^Line 7 .*"IPool"/);
  });

  it("of a contract has the events and errors from elsewhere that its code leads to", () => {
    const code = `
      library Deep { error Deeper(uint256 by); }
      library Slots {
        event Upgraded(address indexed to);
        error NotCode();
        function set(address to) external { if (to == address(0)) revert Deep.Deeper(1); emit Upgraded(to); emit IProxy.Changed(to); }
        function other() external { revert NotCode(); }
      }
      function half(uint256 a) pure returns (uint256) { return a / 2; }`;
    const proxy = "interface IProxy { event Changed(address by); event Upgraded(uint256 by); }";
    const { abi } = readAbi(`${code} ${proxy}
      abstract contract Base { function _set(address to) internal { Slots.set(to); } }
      contract Proxy is Base { function upgrade(address to) external { _set(to); } }`);
    should(abi.map(({ name }) => name).sort()).eql(["Changed", "Deeper", "Upgraded", "upgrade"]);
    should(listEvents(abi).map(({ signature }) => signature)).eql(["Upgraded(address)", "Changed(address)"]);
    // An interface has no code.
    should(readAbi(`${code} ${proxy}`).abi.map(({ name }) => name)).eql(["Changed", "Upgraded"]);
    should(() => readAbi(code)).throw(/source of a library/);
  });
});
