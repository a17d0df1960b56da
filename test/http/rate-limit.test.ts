import fc from "fast-check";
import should from "should";
import { holdMsOf } from "../../src/http/call-budget.ts";

const held = (headers: Record<string, string | string[]>, status = 200, method = "GET") =>
  holdMsOf({ status, headers }, method);

describe("what a service says of its rate limit", () => {
  it("is read from RateLimit-Remaining and RateLimit-Reset", () => {
    should(held({ "ratelimit-limit": "100", "ratelimit-remaining": "0", "ratelimit-reset": "7" })).equal(
      7_000,
    );
    should(held({ "ratelimit-remaining": "1", "ratelimit-reset": "7" })).equal(0);
    should(held({ "ratelimit-remaining": "-2", "ratelimit-reset": " 7 " })).equal(7_000);
    should(held({ "ratelimit-remaining": "0" })).equal(0);
  });

  it("is read from RateLimit, of all quotas that are used up the longest", () => {
    should(held({ ratelimit: '"minute";r=0;t=30' })).equal(30_000);
    should(held({ ratelimit: '"second";r=0;t=1, "day";r=0;t=50, "other";r=3;t=90' })).equal(50_000);
    should(held({ ratelimit: '"a,b;r=0;t=9";r=4;t=30' })).equal(0);
    should(held({ ratelimit: ['"a";r=0;t=3', '"b";r=0;t=4'] })).equal(4_000);
    should(held({ ratelimit: "limit=100, remaining=0, reset=5" })).equal(5_000);
  });

  it("is the window of the policy where it does not say when the quota is reset", () => {
    const policy = '"burst";q=10;w=1, "minute";q=100;w=60';
    should(held({ ratelimit: '"minute";r=0', "ratelimit-policy": policy })).equal(60_000);
    should(held({ ratelimit: '"hour";r=0', "ratelimit-policy": policy })).equal(0);
  });

  it("is read from the Retry-After of a 429, unless the call acts: that may have a limit of its own", () => {
    should(held({ "retry-after": "9" }, 429)).equal(9_000);
    should(held({ "retry-after": "9" }, 429, "POST")).equal(0);
    should(held({ "retry-after": "9" }, 503)).equal(0);
    should(held({ "ratelimit-remaining": "0", "ratelimit-reset": "2" }, 429, "POST")).equal(2_000);
  });

  it("is nothing where it cannot be read, whatever it is", () => {
    for (const text of ["", "soon", "0x10", "1e9", "-", '"', ";;;", "=,=", "9".repeat(400)]) {
      should(held({ "ratelimit-remaining": "0", "ratelimit-reset": text })).equal(0);
      should(held({ ratelimit: text })).equal(0);
    }
    const name = fc.constantFrom("ratelimit", "ratelimit-policy", "ratelimit-remaining", "ratelimit-reset");
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[";,=rtw0-9 -]{0,40}$/));
    fc.assert(
      fc.property(fc.dictionary(name, text), (headers) => {
        const ms = held(headers);
        should(Number.isFinite(ms) && ms >= 0).be.true();
      }),
    );
  });

  it("is read from the beginning only, in little time however long it is", () => {
    should(held({ ratelimit: `${'"a";r=1,'.repeat(10)}"b";r=0;t=9` })).equal(9_000);
    should(held({ ratelimit: `${'"a";r=1,'.repeat(100_000)}"b";r=0;t=9` })).equal(0);
    should(held({ ratelimit: '"a";r=0', "ratelimit-policy": `${",".repeat(1_000_000)}"a";w=9` })).equal(0);
  });
});
