import should from "should";
import { pageText } from "../src/api/routes.ts";

describe("a page of large items", () => {
  it("is the same JSON, and yields while it is written", async () => {
    const data = Array.from({ length: 100 }, (_, id) => ({
      id,
      text: "ä\n".repeat(200_000),
      none: undefined,
    }));
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 0);
    const text = await pageText({ data, has_more: true });
    clearInterval(counting);
    should(text === JSON.stringify({ data, has_more: true })).be.true();
    should(turns).be.above(1);
    should(await pageText({ data: [], has_more: false })).equal('{"data":[],"has_more":false}');
  });
});
