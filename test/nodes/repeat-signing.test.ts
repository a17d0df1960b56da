import should from "should";
import { repeatUntil } from "../../nodes/common/signing/ask-custodian.ts";
import { SignerError } from "../../src/index.ts";
import { errorOf } from "../http/support.ts";

describe("a signature that is asked for again after a restart", () => {
  const repeated = async (isAsked: boolean) => {
    let attempts = 0;
    const work = async () => {
      attempts += 1;
      if (attempts > 1) return attempts;
      throw new SignerError("SIGNER_UNAVAILABLE", "The answer was lost.", { isAsked });
    };
    const leftMs = () => 60_000;
    const { signal } = new AbortController();
    return repeatUntil(work, { mayRepeat: () => true, onFailure: () => {}, leftMs, signal });
  };

  it("is repeated after an outage, unless a person may have been asked", async () => {
    should(await repeated(false)).equal(2);
    should(await errorOf(repeated(true))).have.properties({ code: "SIGNER_UNAVAILABLE", isAsked: true });
  });
});
