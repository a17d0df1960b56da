import should from "should";
import type { OpenSigner } from "../../../nodes/signer/open-signer.ts";
import { fewAtOnce } from "../../../nodes/signer/open-signer.ts";
import type { SignRequest } from "../../../src/index.ts";

describe("the signer of a key service, for many messages at once", () => {
  /** A key service that answers when the test says. */
  const slow = () => {
    const asked: string[] = [];
    const answers: Array<PromiseWithResolvers<`0x${string}`>> = [];
    const signer: OpenSigner = {
      kind: "ecdsa",
      sign: ({ digest }) => {
        asked.push(digest);
        const answer = Promise.withResolvers<`0x${string}`>();
        answers.push(answer);
        return answer.promise;
      },
    };
    return { asked, answers, few: fewAtOnce(signer, 2) };
  };
  const request = (digest: string) => ({ digest }) as SignRequest;

  it("is asked for a few signatures, and for the next ones in their order as these end", async () => {
    const { asked, answers, few } = slow();
    const [first, second, third, fourth] = ["1", "2", "3", "4"].map((digest) => few.sign(request(digest)));
    await new Promise(setImmediate);
    should(asked).deepEqual(["1", "2"]);
    answers[1]?.reject(new Error("busy"));
    await should(second).be.rejectedWith("busy");
    answers[0]?.resolve("0x01");
    should(await first).equal("0x01");
    should(asked).deepEqual(["1", "2", "3", "4"]);
    answers[2]?.resolve("0x03");
    answers[3]?.resolve("0x04");
    should(await Promise.all([third, fourth])).deepEqual(["0x03", "0x04"]);
  });

  it("is not asked for what has stopped waiting, or had stopped before", async () => {
    const { asked, answers, few } = slow();
    const stop = new AbortController();
    const [first] = [few.sign(request("1")), few.sign(request("2"))];
    const stopped = few.sign(request("3"), { signal: stop.signal });
    const last = few.sign(request("4"), { signal: new AbortController().signal });
    stop.abort(new Error("closed"));
    await should(stopped).be.rejectedWith("closed");
    await should(few.sign(request("5"), { signal: stop.signal })).be.rejectedWith("closed");
    answers[0]?.resolve("0x01");
    await first;
    answers[2]?.resolve("0x04");
    should(await last).equal("0x04");
    should(asked).deepEqual(["1", "2", "4"]);
  });
});
