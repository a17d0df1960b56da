import should from "should";
import { problemOf as ofPostgres } from "../../src/fleet/postgres/problems.ts";
import { problemOf as ofRedis } from "../../src/fleet/redis/problems.ts";

describe("why an engine does not answer", () => {
  it("is short, whatever a server answers", () => {
    const long = "E".repeat(100_000);
    const errors = [long, `X${long}`, `CERT${long}`].map((code) => Object.assign(new Error(), { code }));
    for (const error of [...errors, new Error(`${long} text`)])
      for (const problemOf of [ofPostgres, ofRedis]) should(problemOf(error).reason.length).be.below(200);
  });
});
