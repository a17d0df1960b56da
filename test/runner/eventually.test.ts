import should from "should";
import { eventually } from "../support/eventually.ts";

describe("a wait in a test", () => {
  it("gives what it waited for, and passes on what looking throws", async () => {
    let looks = 0;
    should(await eventually("the third look", () => ++looks === 3 && "there")).equal("there");
    const isAbove5 = (seen: number) => seen > 5;
    should(await eventually("a sixth", async () => ++looks, isAbove5)).equal(6);
    const look = () => {
      throw new Error("no such file");
    };
    await should(eventually("a file", look)).rejectedWith("no such file");
  });

  it("fails before the test does, with its sentence and what it saw last", async () => {
    const areTwo = (seen: unknown[]) => seen.length === 2;
    const wait = eventually("two events", () => [{ offset: 1 }], areTwo, { withinMs: 30 });
    await should(wait).rejectedWith(/^Waited \d\.\d s for two events\. Last seen: \[ { offset: 1 } \]$/);
  });
});
