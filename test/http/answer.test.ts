import should from "should";
import { type Answer, readAnswer, requestIdOf } from "../../src/http/answer.ts";
import { baseUrlOf } from "../../src/http/call.ts";

const answer = (changes: Partial<Answer> = {}): Answer => ({
  ...{
    status: 200,
    headers: { "content-type": "application/json" },
    text: '{"a": 1}',
    host: "service.test:443",
  },
  mask: (text) => text,
  ...changes,
});

describe("an answer", () => {
  it("is read from 200 to 299, and nowhere beside", () => {
    for (const status of [200, 299]) should(readAnswer(answer({ status }))).deepEqual({ a: 1 });
    for (const status of [199, 300]) should(() => readAnswer(answer({ status }))).throw();
  });

  it("carries at most 100 characters of what the service calls it", () => {
    const named = (id: string) => answer({ headers: { "x-request-id": id } });
    should(requestIdOf(named("a".repeat(100)))).equal("a".repeat(100));
    should(requestIdOf(named(`${"a".repeat(100)}b`))).equal("a".repeat(100));
    should(requestIdOf(answer())).be.undefined();
  });
});

describe("a refusal", () => {
  const refusal = (status: number, date?: string) => {
    const text = '{"type":"VALIDATION_ERROR","message":"deadline has passed already."}';
    return () => readAnswer(answer({ status, text, headers: date === undefined ? {} : { date } }));
  };
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

  it("says where the clock of this machine is wrong, and which way", () => {
    should(refusal(400, at(600))).throw(/is (599|600) s behind that of the service: check both\. It said: /);
    should(refusal(409, at(-600))).throw(/is 60[01] s ahead of that of the service: check both\. It said: /);
  });

  it("says nothing of a clock that agrees, is not known, or does not matter", () => {
    for (const date of [at(40), at(-40), "yesterday", undefined])
      should(refusal(400, date)).throw(/^((?!clock).)*$/);
    should(refusal(404, at(600))).throw(/^((?!clock).)*$/);
  });
});

describe("the address of GraphQL", () => {
  it("is called by its name when it is wrong, and so is that of the service", () => {
    for (const [option, noun] of [["graphqlUrl", "GraphQL URL"] as const, ["baseUrl", "base URL"] as const]) {
      for (const text of ["nowhere", "https://a:b@service.test", "https://service.test/?a=1"]) {
        should(() => baseUrlOf(text, option)).throw({
          path: option,
          message: new RegExp(`^The ${noun} must`),
        });
      }
    }
  });
});
