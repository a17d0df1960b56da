import should from "should";
import { startOfDay } from "../../nodes/common/shared/times.ts";

describe("the day on which a key ends", () => {
  it("is a day that exists, at its start in UTC", () => {
    should(startOfDay("2028-02-29")).equal(Date.UTC(2028, 1, 29));
  });

  it("is nothing else", () => {
    for (const text of [
      "",
      "2027-02-29",
      "2027-02-31",
      "2027-13-01",
      "31.3.2027",
      "2027-3-1",
      "2027-03-31T00:00Z",
    ])
      should(startOfDay(text) === undefined).be.true(text);
  });
});
