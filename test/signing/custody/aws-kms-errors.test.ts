import should from "should";
import { AbortedError } from "../../../src/http/index.ts";
import { kmsError } from "../../../src/signing/custody/aws-kms-errors.ts";

const settings = { keyId: "alias/payments", region: "eu-central-1", credentials: "host" } as const;
const thrown = (name: string, message = "", httpStatusCode = 400) =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode } });

/** Names that AWS documents and that the tests with a server do not cover. */
const NAMES: Array<[name: string, status: number, code: string, sentence: RegExp]> = [
  [
    "InvalidKeyUsageException",
    400,
    "SIGNER_KEY_UNSUITABLE",
    /not for signatures\. Create a key with key usage/,
  ],
  ["InvalidArnException", 400, "SIGNER_KEY_UNSUITABLE", /ARN is not one of AWS KMS\. Copy it again/],
  ["KeyUnavailableException", 500, "SIGNER_UNAVAILABLE", /fails at the moment\. Try again later/],
  ["DependencyTimeoutException", 500, "SIGNER_UNAVAILABLE", /fails at the moment\. Try again later/],
  ["LimitExceededException", 400, "SIGNER_UNAVAILABLE", /accepts no more requests now/],
  ["ThrottledException", 400, "SIGNER_UNAVAILABLE", /accepts no more requests now/],
  ["Unknown", 429, "SIGNER_UNAVAILABLE", /accepts no more requests now/],
  ["ExpiredToken", 403, "SIGNER_UNAUTHORIZED", /have expired\. Enter new ones/],
  ["InvalidClientTokenId", 403, "SIGNER_UNAUTHORIZED", /does not know the access key/],
  ["RequestExpired", 400, "SIGNER_UNAUTHORIZED", /Set the clock/],
  ["TokenProviderError", 0, "SIGNER_UNAUTHORIZED", /find no valid credentials on this machine/],
];

describe("an error of AWS KMS", () => {
  for (const [name, status, code, sentence] of NAMES) {
    it(`is ${code} for ${name} with HTTP ${status}`, () => {
      const error = kmsError(thrown(name, "said", status), settings);
      should(error).have.properties({ code, state: name, retryable: code === "SIGNER_UNAVAILABLE" });
      should(error.message).match(sentence).and.endWith("(alias/payments, eu-central-1).");
    });
  }

  it("is shown as one short line", () => {
    const error = kmsError(thrown("OddException", `one\n\ttwo ${"x".repeat(5_000)}`), settings);
    should(error.message).match(/It said: one two x+… \(alias/);
    should(error.message.length).be.below(500);
  });

  it("says which region was asked where the configuration of the machine chose it", () => {
    const error = kmsError(thrown("NotFoundException"), { ...settings, region: undefined });
    should(error.message).match(/no such key in the region of this machine.* \(alias\/payments\)\.$/);
  });

  it("is that of a region where the machine has none, or none that can be", () => {
    for (const message of [
      "Region is missing",
      'Region not accepted: region="a b" is not a valid hostname component.',
    ]) {
      should(kmsError(thrown("Error", message), settings)).have.properties({ path: "region" });
    }
  });

  it("stays what it is where it comes from the library, and takes whatever is thrown", () => {
    const aborted = new AbortedError();
    should(kmsError(aborted, settings)).equal(aborted);
    for (const odd of [Object.create(null), "text", 7]) {
      should(kmsError(odd, settings)).have.properties({ code: "SIGNER_UNAVAILABLE", state: "unknown" });
    }
  });
});
