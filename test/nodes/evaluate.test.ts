import type { NodeAPI } from "node-red";
import should from "should";
import { optionOf, shownValue } from "../../nodes/lib/runtime/evaluate.ts";

describe("a value that is not a field of the table", () => {
  const RED = { _: (key: string, words: object) => `${key} ${JSON.stringify(words)}` } as unknown as NodeAPI;
  const unit = (value: unknown) => optionOf(RED, "calls[0].value.unit", value, ["ether", "wei"]);

  it("is one of the options, exactly as written", () => {
    should(unit("ether")).equal("ether");
    for (const odd of ["Ether", " wei", "", undefined, null, 0, ["wei"]]) {
      should(() => unit(odd)).throw(/common\.error\.option.*"label":"calls\[0\]\.value\.unit"/, {
        code: "INVALID_FIELD",
      });
    }
  });

  it("is shown in an error as text, and a long one only in part", () => {
    should(shownValue({ to: 1 })).equal('{"to":1}');
    should(shownValue(undefined)).equal("undefined");
    should(shownValue("0".repeat(100))).equal("0".repeat(100));
    should(shownValue(Array(1000).fill("many"))).match(/^\["many",.{92}…$/);
  });
});
