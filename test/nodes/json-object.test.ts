import should from "should";
import { jsonObject, jsonProblem } from "../../nodes/wallet/json-object.ts";

/** Objects of a setting: typed in as JSON, or from an environment variable. */
describe("a JSON object of a setting", () => {
  it("is returned unchanged, from text and from an object", () => {
    const text =
      '{"policy": {"daily": "12345678901234567890", "share": 0.25, "most": 9007199254740991}, "on": [null]}';
    for (const value of [text, JSON.parse(text)]) {
      should(jsonProblem(value)).be.undefined();
      should(jsonObject(value)).deepEqual(JSON.parse(text));
    }
  });

  it("is refused with a rounded number at any depth", () => {
    const deep = (number: string) => `${'{"a":['.repeat(2_000)}${number}${"]}".repeat(2_000)}`;
    for (const number of [
      "12345678901234567890",
      "-9007199254740993",
      "1e400",
      "1e21",
      "9007199254740993.5",
    ]) {
      should(jsonProblem(deep(number))).equal("rounded-number");
      should(jsonProblem({ a: [JSON.parse(number)] })).equal("rounded-number");
      should(jsonObject(deep(number))).be.undefined();
    }
  });

  it("is refused if it is not an object", () => {
    for (const value of ["[1]", "null", "5", '"x"', "{", "", [1], null, 5, true, undefined]) {
      should(jsonProblem(value)).equal("not-object");
      should(jsonObject(value)).be.undefined();
    }
  });
});
