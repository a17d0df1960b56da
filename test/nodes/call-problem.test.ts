import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import should from "should";
import type { FunctionChoice } from "../../nodes/common/shared/form-types.ts";
import type { ContractCall, Value } from "../../nodes/common/shared/stored-values.ts";

/** Code of the browser, whose types are not those of Node.js. */
const { callProblem, noteParameters } = (await import(
  String(new URL("../../nodes/common/editor/calls/call-problem.ts", import.meta.url))
)) as {
  callProblem(node: { _: typeof textOf }, call: ContractCall): string | undefined;
  noteParameters(contract: string, functions: readonly FunctionChoice[]): void;
};

const path = fileURLToPath(new URL("../../nodes/common/locales/en-US/common.json", import.meta.url));
const texts = JSON.parse(readFileSync(path, "utf8")) as object;

/** As the editor looks texts up, with the plural where there are several. */
function textOf(key: string, values: Record<string, string | number> = {}): string {
  const plural = Number(values.count ?? 1) === 1 ? key : `${key}_plural`;
  const found = plural
    .split(".")
    .reduce<unknown>((inner, part) => (inner as Record<string, unknown>)?.[part], texts);
  return String(found).replace(/__(\w+)__/g, (_, name: string) => String(values[name]));
}

const node = { _: textOf };
const SIGNATURE = "report(address,uint8,bytes)";

describe("what is wrong with a stored call, on the mark of its node", () => {
  const editor = { nodes: { node: () => ({}) } };
  before(() => Object.assign(globalThis, { RED: editor }));
  after(() => Reflect.deleteProperty(globalThis, "RED"));

  const problem = (...values: string[]) => {
    const args = values.map((value): Value => ({ value, type: "str" }));
    return callProblem(node, { contract: "registry", function: SIGNATURE, args });
  };
  const to = `0x${"0".repeat(40)}`;

  it("has numbers in place of names where no form has shown the function", () => {
    should(problem(to, "", "")).equal("Value 2 and Value 3 are empty.");
  });

  it("names all values that are missing, at once", () => {
    const inputs = [
      { name: "device", type: "address" },
      { name: "quality", type: "uint8" },
      { name: "payload", type: "bytes" },
    ];
    noteParameters("registry", [
      { name: "report", signature: SIGNATURE, inputs, stateMutability: "nonpayable" },
    ]);
    should(problem(to, "", "")).equal("quality and payload are empty.");
    should(problem(to, "9", "")).equal("payload is empty.");
    should(problem(to, "9", "0x")).be.undefined();
  });

  it("says what a value must be", () => {
    should(problem(to, "256", "0x")).equal("quality must be a whole number from 0 to 255.");
  });
});
