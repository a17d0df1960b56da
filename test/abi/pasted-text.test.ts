import should from "should";
import { type Abi, listAbis, listEvents, listFunctions, parseAbi, readAbi } from "../../src/abi/index.ts";

const ITEMS = parseAbi("function f(uint256 a) view returns (bool)\nevent E(address indexed to)");
const JSON_TEXT = JSON.stringify(ITEMS);

const signatures = (abi: Abi) =>
  [...listFunctions(abi), ...listEvents(abi)].map(({ signature }) => signature);
const refused = (text: unknown, message: RegExp) =>
  should(() => parseAbi(text as string)).throw({ code: "ABI_INVALID", message });

describe("human-readable items of other tools", () => {
  it("may have gas, visibility, modifiers and old words", () => {
    const abi = parseAbi(`
      function balanceOf(address owner) view returns (uint256) @648
      function total() public constant returns (uint) @29000;
      function mint(address to, uint amount) public virtual override(A, B) onlyRole(MINTER, 1) whenNotPaused returns (bool)
      function hidden(uint a) internal
      function pay() external payable onlyOwner
    `);
    should(listFunctions(abi).map((one) => [one.signature, one.stateMutability, one.outputs.length])).eql([
      ["balanceOf(address)", "view", 1],
      ["total()", "view", 1],
      ["mint(address,uint256)", "nonpayable", 1],
      ["pay()", "payable", 0],
    ]);
  });

  it("may have reserved words as names, except where a comma may be missing", () => {
    const abi = parseAbi(
      "function match(address of, bytes memory error, uint256[] final) returns (bool default)",
    );
    should(abi[0]).have.property("name", "match");
    should(listFunctions(abi)[0]?.inputs.map(({ name }) => name)).eql(["of", "error", "final"]);
    refused("event A()\nfunction f(uint256 address)", /^Line 2 .*"address" is a reserved word/);
    refused("event E(uint256 a)\nfunction f(uint256 indexed)", /^Line 2 .*"indexed" is a reserved word/);
    refused("function f(\n  uint256 a,\n  bytes string)", /^Line 3 .*"string" is a reserved word/);
  });

  it("name the word that is wrong", () => {
    refused("function f(uint a b)", /^Line 1 .*"b"/);
    refused("function f(uint a,)", /^Line 1 .*"\)"/);
    refused("event E(uint a) view", /^Line 1 .*"view"/);
    refused("function f() returns uint256", /^Line 1 .*"uint256"/);
    refused("event E()\nfunction f() veiw returns (bool)", /^Line 2 .*"veiw" is not expected/);
    refused("function f(mapping(address => uint) a)", /^Line 1 .*"mapping"/);
    refused("function f()\n/* never ends", /^Line 2 .*comment/);
  });
});

describe("JavaScript and TypeScript", () => {
  const literal = `[
    // what can be asked
    { type: 'function', name: "f", stateMutability: "view" as const,
      inputs: [{ name: "a", type: "uint256", }], outputs: [{ name: "", type: \`bool\` }], },
    { type: "event", name: "E", anonymous: false, inputs: [{ name: 'to', "type": "address", indexed: true }] },
  ]`;

  for (const [name, text] of Object.entries({
    "a typed constant": `import { Abi } from "viem";\n\nexport const abi = ${literal} as const satisfies Abi;\n`,
    "a constant of a type": `/** Made by a tool. */\nexport const abi: Abi = ${literal};\nexport const address = "0x12";`,
    "a default export": `export default ${literal};`,
    "a module": `"use strict";\nmodule.exports = { abi: ${literal}, address: "0x12" };`,
    "an array alone": `${literal} as const;`,
    "a call": `const abi = parseAbi(["function f(uint a) view returns (bool)", 'event E(address indexed to)']);`,
    "text in text": `const abi = JSON.parse('${JSON_TEXT}');`,
    "a template":
      "export const abi = `\nfunction f(uint256 a) view returns (bool)\nevent E(address indexed to)`",
    "a quoted text": JSON.stringify(JSON_TEXT),
    "a quoted text without its quotes": JSON.stringify(JSON_TEXT).slice(1, -1),
    "a part of an artifact": `"abi": ${JSON_TEXT},`,
    Python: `ABI = ${literal.replace("// what can be asked", "").replaceAll("as const", "").replaceAll("true", "True").replaceAll("false", "False")}`,
    "items without brackets": JSON_TEXT.slice(1, -1),
    "lines in quotes": `"function f(uint256 a) view returns (bool)",\n"event E(address indexed to)",\n`,
  })) {
    it(`is read as data: ${name}`, () => should(parseAbi(text)).eql(ITEMS));
  }

  it("may be one item", () => {
    should(parseAbi(JSON.stringify(ITEMS[1]))).eql([ITEMS[1]]);
    should(parseAbi({ ...ITEMS[1] })).eql([ITEMS[1]]);
    should(
      parseAbi(`{ type: "event", name: "E", inputs: [{ name: "to", type: "address", indexed: true }] }`),
    ).eql([ITEMS[1]]);
  });

  it("is never evaluated, and keeps a name such as __proto__ to itself", () => {
    const hit = globalThis as { abiWasRun?: true };
    for (const code of [
      "(globalThis.abiWasRun = true)",
      "(() => { globalThis.abiWasRun = true })()",
      "`${globalThis.abiWasRun = true}`",
    ]) {
      refused(`export const abi = [{ type: "event", name: ${code} }];`, /^Line 1 /);
      refused(`[{ type: "event", name: ${code} }]`, /^Line 1 /);
    }
    should(hit.abiWasRun).be.undefined();
    parseAbi(`[{ "__proto__": { polluted: true }, type: "event", name: "E" }]`.replaceAll('"', "'"));
    should(({} as { polluted?: true }).polluted).be.undefined();
  });

  it("is refused with the line and the word of what is defined elsewhere", () => {
    refused(
      "export const abi = [\n  ...erc20Abi,\n  { type: 'event', name: 'E' },\n]",
      /^Line 2 .*"\.\.\.erc20Abi"/,
    );
    refused("const abi = [\n{ type: 'event',\n name: NAME }]", /^Line 3 .*"NAME"/);
    refused("import { erc20Abi } from './abis';\nexport const abi = erc20Abi;", /^Line 2 .*"erc20Abi"/);
    refused('[{"type":"event"\n"name":"E"}]', /^Line 2 .*"name" is not valid JSON/);
    refused('[{"type":"event"', /^Line 1 .*not valid JSON.*ends/);
    refused(`${"[".repeat(300_000)}`, /nested too deeply/);
    refused(`x = ${"{a:".repeat(300_000)}`, /nested too deeply/);
  });
});

describe("answers and artifacts", () => {
  const source = { SourceCode: "contract A { }", ABI: JSON_TEXT, ContractName: "A", Proxy: "0" };
  const build = {
    input: {
      sources: { "A.sol": { content: "contract A { }" } },
      settings: { outputSelection: { "*": { "*": ["abi"] } } },
    },
    output: {
      contracts: { "A.sol": { A: { abi: ITEMS, evm: {} }, Library: { abi: [] } } },
      sources: { "A.sol": { ast: { nodes: [{ type: "x", name: "y" }] } } },
    },
  };

  for (const [name, value] of Object.entries({
    "an explorer's source": { status: "1", message: "OK", result: [source] },
    "Foundry and Remix": { abi: ITEMS, bytecode: { object: "0x" }, metadata: { output: { abi: ITEMS } } },
    Truffle: { contractName: "A", abi: ITEMS, networks: { 1: { events: { "0x": ITEMS[1] } } }, ast: {} },
    "metadata of the compiler": { compiler: { version: "0.8" }, output: { abi: ITEMS, devdoc: {} } },
    "a build of Hardhat, where a library has nothing": build,
    "the compiler's combined output": { contracts: { "A.sol:A": { abi: JSON_TEXT } }, version: "0.8" },
    "a list of one artifact": [{ contractName: "A", abi: ITEMS }],
  })) {
    it(`have the ABI inside: ${name}`, () => {
      should(parseAbi(value)).eql(ITEMS);
      should(parseAbi(JSON.stringify(value, null, 2))).eql(ITEMS);
    });
  }

  it("are refused with what the explorer says", () => {
    const ABI = "Contract source code not verified";
    refused({ status: "1", result: [{ ...source, ABI }] }, /"Contract source code not verified"/);
    refused({ status: "1", result: ABI }, /"Contract source code not verified"/);
  });
});

describe("several ABIs in one text", () => {
  const other = [{ type: "event", name: "Other" }];
  const expected = { A: ["f(uint256)", "E(address)"], B: ["Other()"] };
  const texts: Record<string, string> = {
    "a build": JSON.stringify({
      output: { contracts: { x: { A: { abi: ITEMS } }, y: { B: { abi: other } } } },
    }),
    "a module": `export const A = ${JSON_TEXT} as const;\nexport const B = [{ type: "event", name: "Other", }] as const;\nexport const config = { address: ADDRESS, abi: A } as const`,
    "the compiler's words": `\n======= src/a.sol:A =======\nContract JSON ABI\n${JSON_TEXT}\n\n======= src/b.sol:B =======\nContract JSON ABI\n${JSON.stringify(other)}\n`,
    deployments: JSON.stringify({
      1: [{ name: "x", contracts: { A: { address: "0x", abi: ITEMS }, B: { abi: other } } }],
    }),
    source:
      "interface I { function f(uint a) external; }\ncontract A is I { event E(address to); function f(uint a) public { } }\ncontract B { event Other(); }",
  };
  for (const [name, text] of Object.entries(texts)) {
    it(`are listed by name: ${name}`, () => {
      const listed = listAbis(text);
      should(Object.fromEntries(listed.map((one) => [one.name, signatures(one.abi)]))).eql(expected);
      refused(text, /several ABIs: A, B\. /);
      should(() => readAbi(text)).throw({ code: "ABI_INVALID" });
    });
  }

  it("count once where they are the same", () => {
    should(parseAbi({ contracts: { A: { abi: ITEMS }, B: { abi: ITEMS } } })).eql(ITEMS);
  });
});
