import should from "should";
import { parseAbi, readAbi } from "../../src/abi/index.ts";

/** Runs in a tenth of a second or so where it is bounded, and in minutes or never where it is not. */
const LIMIT_MS = 5_000;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

function refused(abi: unknown, message: RegExp): void {
  const milliseconds = millisecondsOf(() =>
    should(() => parseAbi(abi as string)).throw({ code: "ABI_INVALID", message }),
  );
  should(milliseconds).be.below(LIMIT_MS);
}

describe("An ABI that would take long to read", () => {
  const doubling = (count: number) =>
    range(count)
      .map((n) => `struct S${n} { S${n + 1} a; S${n + 1} b; }`)
      .concat(`struct S${count} { uint a; uint b; }`, "function f(S0 s)")
      .join("\n");

  it("is refused for structs that double, though it is short", () => {
    refused(doubling(24), /Line 26 of the ABI, function f: its tuples or structs are nested too deeply/);
    refused(
      doubling(12),
      /Line 14 of the ABI, function f: it has more than 250 parameters, with those of its structs/,
    );
    should(parseAbi(doubling(5))).have.length(1);
  });

  it("is refused for structs that contain themselves", () => {
    refused("struct A { B b; }\nstruct B { A[] a; }\nfunction f(A a)", /contain themselves/);
    refused("struct A { A a; }\nevent E(A a)", /contain themselves/);
  });

  it("is refused for too many structs, items, parameters or letters", () => {
    const structs = range(1_000).map((n) => `struct S${n} { uint a; }`);
    const functions = range(1_000).map((n) => `function f${n}(S${n} s)`);
    refused([...structs, ...functions].join("\n"), /1000 structs; the limit is 500/);
    refused(
      range(5_001)
        .map((n) => `error E${n}()`)
        .join("\n"),
      /5001 items/,
    );
    const parameters = (count: number) =>
      range(count)
        .map(() => "uint a")
        .join(", ");
    refused(`event E(${parameters(251)})`, /Line 1 of the ABI, event E: it has more than 250 parameters/);
    refused(`event E(${parameters(20_000)})`, /more than 250 parameters/);
    refused("/* * ".repeat(70_000), /comment that does not end/);
    refused("event E(".repeat(40_000), /Type "event" is not in the text/);
    refused(`event E(${"(".repeat(300_000)}`, /nested too deeply/);
    refused(`event E(${" ".repeat(400_000)})`, /the limit is 400000/);
  });

  it("is refused for a struct that is in many items", () => {
    const fields = range(240).map((n) => `uint a${n};`);
    const functions = range(1_000).map((n) => `function f${n}(S s)`);
    refused([`struct S { ${fields.join(" ")} }`, ...functions].join("\n"), /more than 100000 parameters/);
    const bases = range(2_000).map((n) => `interface I${n} { event E${n}(); }`);
    const contracts = range(500).map((n) => `contract C${n} is ${range(500).map((m) => `I${m}`)} { }`);
    refused(`contract C is ${range(501).map((n) => `I${n}`)} { }`, /inherits from more than 500 others/);
    refused([...bases, ...contracts.slice(0, 30)].join("\n"), /more than 5000 items, with what they inherit/);
  });

  it("is refused for arrays of too many dimensions", () => {
    const inputs = (dimensions: number) => [{ name: "a", type: `uint256${"[]".repeat(dimensions)}` }];
    const item = (dimensions: number) => ({ type: "function", name: "f", inputs: inputs(dimensions) });
    refused([item(17)], /abi\[0\].inputs\[0\].type is an array with more than 16 dimensions/);
    refused([item(100_000)], /abi\[0\].inputs\[0\].type is an array with more than 16 dimensions/);
    refused(`function f(uint256${"[]".repeat(17)} a)`, /more than 16 dimensions/);
    should(parseAbi([item(16)])).have.length(1);
  });

  it("is refused as JSON by the same bounds, also where tuples are shared in memory", () => {
    const inputs = range(251).map(() => ({ type: "uint256" }));
    refused([{ type: "event", name: "E", inputs }], /more than 250 parameters/);
    let components: object[] = [{ type: "uint256" }];
    for (const _ of range(15)) {
      const tuple = { type: "tuple", components };
      components = [tuple, tuple, tuple, tuple];
    }
    refused([{ type: "function", name: "f", inputs: components }], /more than 250 parameters/);
    refused(
      range(5_001).map(() => ({ type: "error", name: "E" })),
      /5001 items/,
    );
    refused(`[${" ".repeat(4_000_000)}]`, /characters/);
  });

  it("is quickly read or refused, whatever it is made of", () => {
    const parts = [
      "interface A {",
      "interface A is B,\n",
      "abstract ",
      "interface ",
      "x\nexternal\n",
      "function f()\n\n\n",
      "override(",
      "function f() override(A)\n",
      "a.",
      "enum A {",
      "enum A { B }\n",
      "type A is uint8;",
      "import {",
      "}",
      "{",
      "(\n",
      "struct A { uint a; }\n",
      "fallback(",
      "/*\n*/",
      "//\n",
      "\r\n",
      " ",
    ];
    const starts = [
      "",
      " ".repeat(100_000),
      "interface A {\n",
      "abstract ",
      `interface ${"a".repeat(100_000)}\n`,
    ];
    const ofOtherText = [
      "contract A is B { uint[] public a;",
      "mapping(uint => ",
      "struct S { S2 a; }\ncontract A { S public s; }\n",
      "uint[A.B] public constant a = ",
      "function f(S s) x(y) @1 ",
      "const a = {",
      "const a = [{",
      "export default {a:`",
      "\nconst abi =\n",
      "exports.a = '\\'",
      "==== a:b:c ====",
      "'a' as const, ",
      "new A(",
      "[{a:1,",
    ];
    const cases = [
      ...starts.flatMap((start) => parts.map((part) => ({ start, part }))),
      ...["", "contract A {", "const a = {b:", "["].flatMap((start) =>
        ofOtherText.map((part) => ({ start, part })),
      ),
    ];
    for (const { start, part } of cases) {
      const text = start + part.repeat((400_000 - start.length) / part.length);
      const milliseconds = millisecondsOf(() => {
        try {
          parseAbi(text);
        } catch (error) {
          should(error).have.property("code", "ABI_INVALID");
        }
      });
      should(milliseconds).be.below(LIMIT_MS, JSON.stringify(start.slice(0, 20) + part));
    }
  });

  it("is quickly read or refused where many contracts share much code, or many bases", () => {
    const words = range(20_000).map((n) => `w${n}`);
    const heirs = range(9_000).map((n) => `contract C${n} is B {}`);
    const shared = `contract B { function f() public { ${words.join(" ")} } } ${heirs.join(" ")}`;
    should(
      millisecondsOf(() => {
        should(() => parseAbi(shared)).throw({ code: "ABI_INVALID", message: /too much code/ });
      }),
    ).be.below(LIMIT_MS);
    const chain = range(8_000).map((n) => `contract C${n + 1} is C${n} {}`);
    const bases = range(500).map((n) => `C${n * 16}`);
    for (const its of ["C8000", bases.join()]) {
      const text = `${chain.join(" ")} contract A is ${its} { function f() public {} }`;
      should(millisecondsOf(() => should(readAbi(text).abi).have.length(1))).be.below(LIMIT_MS);
    }
  });

  it("takes what is within the bounds, in time that grows with its length", () => {
    const text = (count: number) =>
      [
        ...range(count / 10).map((n) => `struct S${n} { uint a; address b; bytes32[] c; }`),
        ...range(count).map(
          (n) => `function f${n}(S${n % (count / 10)} s, uint a, address[] b) returns (bool)`,
        ),
      ].join("\n");
    timeOf(text(400), 20);
    // The same number of items; if time grew with the square of the length, the long text would take ten times as long.
    should(timeOf(text(4_000), 2) / timeOf(text(400), 20)).be.below(4);
  });

  it("takes structs that every item uses in a time like that of the same parameters without", () => {
    const structs = range(100).map((n) => `struct S${n} { uint a; }`);
    const items = (type: (n: number) => string) =>
      range(300).map((n) => `function f${n}(${range(100).map(type).join(",")})`);
    const plain = items(() => "uint256").join("\n");
    const structured = [...structs, ...items((n) => `S${n}`)].join("\n");
    timeOf(plain, 2);
    // Twice or three times; reading all structs for each item would take twenty times as long.
    should(timeOf(structured, 2) / timeOf(plain, 2)).be.below(10);
  });
});

function timeOf(text: string, reads: number): number {
  return millisecondsOf(() => {
    for (const _ of range(reads)) parseAbi(text);
  });
}

/**
 * The processor time of this thread that something takes: what else the machine does is not counted. Its clock ticks
 * every ten milliseconds or so: what is compared takes many of them.
 */
function millisecondsOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  // Both: which of the two it is, the system only guesses.
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
