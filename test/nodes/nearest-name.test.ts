import fc from "fast-check";
import should from "should";
import { nearestName } from "../../nodes/common/shared/text.ts";

const KNOWN = ["to", "value", "data", "recipient"];

/** Which name a person most likely meant. */
describe("the nearest known name", () => {
  const meant: Array<[string, string | undefined]> = [
    ["valeu", "value"],
    ["VALUE", "value"],
    ["val", "value"],
    [" data", "data"],
    ["da_ta", "data"],
    ["dta", "data"],
    ["t", "to"],
    ["reciepent", "recipient"],
    ["gas", undefined],
    ["id", undefined],
    ["rate", undefined],
    ["from", undefined],
    ["", undefined],
    ["v".repeat(100_000), undefined],
  ];
  for (const [given, expected] of meant) {
    it(`to "${given.slice(0, 20)}" is ${expected}`, () => should(nearestName(given, KNOWN)).equal(expected));
  }

  it("is the name itself with one letter wrong, missing, too many, or two of them swapped", () => {
    const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz0123456789");
    const name = fc.constantFrom("value", "data", "recipient");
    fc.assert(
      fc.property(name, fc.nat(), letter, (word, place, other) => {
        const at = place % word.length;
        const [before, one = "", after] = [word.slice(0, at), word[at], word.slice(at + 1)];
        const swapped = before + after.slice(0, 1) + one + after.slice(1);
        for (const typed of [before + other + after, before + after, before + other + one + after, swapped]) {
          should(nearestName(typed, KNOWN)).equal(word);
        }
      }),
    );
  });
});
