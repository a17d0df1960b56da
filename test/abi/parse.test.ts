import should from "should";
import {
  encodeFunctionCall,
  eventFragments,
  eventsWithTuples,
  listEvents,
  listFunctions,
  parseAbi,
} from "../../src/abi/index.ts";

const TOKEN = `
// A token, as people paste it.
event Transfer(address indexed from, address indexed to, uint256 value);
event Approval(address indexed owner, address indexed spender, uint value)

/* Two lines
   of comment */
function transfer(address to, uint256 amount) external returns (bool)
function balanceOf(address) public view virtual override returns(uint256 balance);  function decimals() view returns (uint8)
struct Order {
  uint256 amount;
  address to;
}
function fill( Order[] calldata orders, tuple(bool on, bytes32 key) extra ) payable
error Broke(uint256 missing)
constructor(address owner)
`;

describe("parseAbi", () => {
  it("reads human-readable text with comments, blank lines, semicolons and structs", () => {
    const abi = parseAbi(TOKEN);
    should(abi.map(({ type, name }) => `${type} ${name}`)).deepEqual([
      "event Transfer",
      "event Approval",
      "function transfer",
      "function balanceOf",
      "function decimals",
      "function fill",
      "error Broke",
    ]);
    should(listEvents(abi).map(({ signature }) => signature)).deepEqual([
      "Transfer(address,address,uint256)",
      "Approval(address,address,uint256)",
    ]);
    const functions = listFunctions(abi);
    should(functions.map(({ signature, stateMutability }) => [signature, stateMutability])).deepEqual([
      ["transfer(address,uint256)", "nonpayable"],
      ["balanceOf(address)", "view"],
      ["decimals()", "view"],
      ["fill((uint256,address)[],(bool,bytes32))", "payable"],
    ]);
    should(functions.slice(0, 3).map(({ selector }) => selector)).deepEqual([
      "0xa9059cbb",
      "0x70a08231",
      "0x313ce567",
    ]);
  });

  it("gives an event's topic", () => {
    should(listEvents(parseAbi(TOKEN))[0]?.topicHash).equal(
      "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
    );
  });

  it("reads JSON, its text, an artifact, and a list of human-readable items alike", () => {
    const item = {
      type: "event",
      name: "Moved",
      anonymous: false,
      inputs: [{ name: "by", type: "uint256", indexed: true }],
    };
    const expected = parseAbi("event Moved(uint indexed by)");
    should(expected).deepEqual([item]);
    for (const input of [[item], JSON.stringify([item]), { abi: [item] }, JSON.stringify({ abi: [item] })]) {
      should(parseAbi(input)).deepEqual(expected);
    }
    should(parseAbi(["event Moved(uint256 indexed by)"])).deepEqual(expected);
    should(parseAbi(["event Moved(uint256 indexed by)", "event Other()"])).have.length(2);
    should(parseAbi(expected)).deepEqual(expected);
  });

  it("does not believe what an item says about its own hash", () => {
    const lying = { type: "function", name: "f", inputs: [], hash: `0x${"11".repeat(32)}` };
    should(listFunctions(parseAbi([lying]))[0]?.selector).equal("0x26121ff0");
  });

  it("knows anonymous events", () => {
    should(parseAbi("event Quiet(uint256 a) anonymous")[0]).have.property("anonymous", true);
  });

  it("reads what very old compilers wrote: no type, `constant` and `payable`", () => {
    const old = [
      { name: "read", constant: true },
      { name: "pay", payable: true },
      { name: "write", constant: false, payable: false },
    ];
    should(
      listFunctions(parseAbi(old)).map(({ name, stateMutability }) => [name, stateMutability]),
    ).deepEqual([
      ["read", "view"],
      ["pay", "payable"],
      ["write", "nonpayable"],
    ]);
  });

  const wrong: Array<[string, unknown, RegExp]> = [
    ["nothing", "", /empty/],
    ["words", "hello", /Line 1 .*begins with function, event or error/],
    [
      "an unknown type",
      "\nevent A(uint256 a)\nfunction f(uint257 a)",
      /Line 3 .*Type "uint257" is not a valid/,
    ],
    ["an unknown type after a block comment", "/*\n\n*/\nevent A(foo a)", /Line 4 .*foo/],
    ["an unclosed bracket", "event A(uint256 a)\nevent B(uint256 b\nevent C(uint256 c)", /Line 3 .*"event"/],
    ["JSON that stops", "[{", /is not valid JSON/],
    ["an object without abi", "{}", /list of items/],
    ["a number", 7, /list of items/],
    ["a number in the list", [7], /Item 0/],
    ["text beside an object", ["event A()", { type: "event", name: "B" }], /Item 0/],
    ["a kind of item that is no text", [{ type: 7, name: "f" }], /abi\[0\]\.type/],
    ["an item without name", [{ type: "function" }], /abi\[0\]/],
    [
      "a wrong type",
      [{ type: "event", name: "E", inputs: [{ type: "uint7" }] }],
      /abi\[0\]\.inputs\[0\]\.type/,
    ],
    [
      "a type in a list",
      [{ type: "event", name: "E", inputs: [{ type: ["uint256"] }] }],
      /abi\[0\]\.inputs\[0\]\.type/,
    ],
    ["inputs that are no list", [{ type: "event", name: "E", inputs: {} }], /abi\[0\]\.inputs/],
  ];
  for (const [name, input, message] of wrong) {
    it(`refuses ${name}, and says where`, () => {
      should(() => parseAbi(input as string)).throw({ code: "ABI_INVALID", message, path: /^abi/ });
    });
  }
});

describe("eventsWithTuples", () => {
  it("names the events with tuples and lists of them, by signature", () => {
    const abi = parseAbi([
      "event Plain(uint256 value)",
      "event Paid((address to, uint256 value) note)",
      "event Many((uint8 a)[2] indexed list, bool on)",
    ]);
    const names = ["Plain", "Paid", "Many"];
    should(eventsWithTuples(eventFragments(abi, names))).eql([
      "Paid((address,uint256))",
      "Many((uint8)[2],bool)",
    ]);
    should(eventsWithTuples(eventFragments(abi, ["Plain"]))).be.empty();
  });

  it("passes over what has no inputs and what is not an event", () => {
    const compiled =
      '[{"type":"receive"},{"type":"event","name":"E"},{"type":"event","name":"F","inputs":null}]';
    should(eventsWithTuples(JSON.parse(compiled))).be.empty();
  });
});

describe("eventFragments", () => {
  const abi = parseAbi(`${TOKEN}\nevent Transfer(uint256 other)`);

  it("are what a watcher is created with", () => {
    should(eventFragments(abi, ["Approval"])).deepEqual([
      {
        type: "event",
        name: "Approval",
        anonymous: false,
        inputs: [
          { name: "owner", type: "address", internalType: "address", indexed: true },
          { name: "spender", type: "address", internalType: "address", indexed: true },
          { name: "value", type: "uint256", internalType: "uint256", indexed: false },
        ],
      },
    ]);
  });

  it("take a signature where a name is shared, and both where only the name is given", () => {
    should(eventFragments(abi, ["Transfer"]).length).equal(2);
    should(eventFragments(abi, ["Transfer(uint256)"]).length).equal(1);
    should(eventFragments(abi, [" Transfer( uint256 ) "]).length).equal(1);
    should(eventFragments(abi, ["Transfer", "Transfer"]).length).equal(2);
  });

  it("name the usual reason why a proxy does not have them", () => {
    const proxy = parseAbi("event Upgraded(address indexed a)\nfunction upgradeTo(address a)");
    const hint = / If this is the ABI of a proxy, use that of the contract behind it\.$/;
    should(() => eventFragments(proxy, ["Transfer"])).throw(hint);
    should(() => encodeFunctionCall({ abi: proxy, function: "transfer", args: [] })).throw(hint);
    should(() => eventFragments(abi, ["Gone"])).throw(/\)\.$/);
  });

  it("list what is there when the event is not", () => {
    should(() => eventFragments(abi, ["Approval", "Transfered"])).throw({
      code: "EVENT_NOT_IN_ABI",
      path: "events[1]",
      message: /Transfered.*Approval\(address,address,uint256\)/,
    });
  });
});
