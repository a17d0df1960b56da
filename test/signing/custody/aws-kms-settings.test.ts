import { inspect } from "node:util";
import should from "should";
import { type AwsKmsOptions, awsKmsSettings } from "../../../src/signing/custody/aws-kms-settings.ts";
import { awsKmsSigner } from "../../../src/signing/custody/index.ts";

const ARN = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
const KEY = { accessKeyId: "AKIA0000000000000001", secretAccessKey: "hush-hush" };
const VARIABLES = { AWS_ACCESS_KEY_ID: "AKIA0000000000000002", AWS_SECRET_ACCESS_KEY: "psst" };
const given = (change: object): AwsKmsOptions => ({
  ...{ keyId: "alias/payments", region: "eu-central-1", credentials: KEY },
  ...change,
});

describe("the settings of a key in AWS KMS", () => {
  it("take the region of the ARN, or else that of the environment", () => {
    const regionOf = (change: object, environment = {}) =>
      awsKmsSettings(given({ region: undefined, ...change }), environment).region;
    should(regionOf({ keyId: ARN })).equal("eu-west-1");
    should(regionOf({ keyId: ARN.replace("arn:aws:", "arn:aws-cn:"), region: " " })).equal("eu-west-1");
    const named = { ...VARIABLES, AWS_REGION: "us-east-2", AWS_DEFAULT_REGION: "us-west-1" };
    should(regionOf({ credentials: "environment" }, named)).equal("us-east-2");
    should(regionOf({ credentials: "environment" }, { ...named, AWS_REGION: "" })).equal("us-west-1");
    should(regionOf({ credentials: "environment", region: "ap-south-1" }, named)).equal("ap-south-1");
    // The SDK looks for it.
    should(regionOf({ credentials: "host" }, named)).be.undefined();
    should(regionOf({ credentials: "host", region: "ap-south-1" }, named)).equal("ap-south-1");
    should(() => regionOf({}, named)).throw({ path: "region" });
  });

  it("are as without them for a blank region and a blank endpoint", () => {
    const blank = awsKmsSettings(given({ keyId: ARN, region: "", endpoint: " " }), {});
    should(blank).deepEqual(awsKmsSettings(given({ keyId: ARN, region: undefined }), {}));
  });

  it("take an access key as people paste it, and a session token with it", () => {
    const { credentials } = awsKmsSettings(
      given({ credentials: { accessKeyId: " ASIA1\n", secretAccessKey: "s\n", sessionToken: " t " } }),
      {},
    );
    should(credentials).deepEqual({ accessKeyId: "ASIA1", secretAccessKey: "s", sessionToken: "t" });
    const without = awsKmsSettings(given({ credentials: { ...KEY, sessionToken: "" } }), {});
    should(without.credentials).deepEqual(KEY);
  });

  it("read three variables of the environment and no others", () => {
    const environment = { ...VARIABLES, AWS_SESSION_TOKEN: "t", AWS_PROFILE: "other" };
    const { credentials, endpoint } = awsKmsSettings(given({ credentials: "environment" }), {
      ...environment,
      AWS_ENDPOINT_URL: "http://elsewhere.example",
    });
    should(credentials).deepEqual({
      accessKeyId: VARIABLES.AWS_ACCESS_KEY_ID,
      secretAccessKey: "psst",
      sessionToken: "t",
    });
    should(endpoint).be.undefined();
  });

  const wrong: Array<[string, object, string, RegExp]> = [
    ["no key", { keyId: "" }, "keyId", /id or the ARN/],
    ["a key id with a blank", { keyId: "alias/two words" }, "keyId", /alias such as alias\/payments/],
    ["no region", { region: undefined }, "region", /such as eu-central-1/],
    ["a region that is a host", { region: "evil.example/" }, "region", /such as eu-central-1/],
    [
      "another region than the ARN's",
      { keyId: ARN, region: "eu-north-1" },
      "region",
      /is eu-north-1, and .* eu-west-1/,
    ],
    [
      "an endpoint that is no address",
      { endpoint: "kms.internal" },
      "endpoint",
      /complete http or https address/,
    ],
    [
      "an endpoint with a password",
      { endpoint: "https://a:hush@kms.internal" },
      "endpoint",
      /without user name/,
    ],
    ["a proxy that is none", { proxy: "ftp://hush@x" }, "proxy", /http or https address/],
    ["a time-out of zero", { timeoutMs: 0 }, "timeoutMs", /above 0/],
    ["no credentials", { credentials: undefined }, "credentials", /"environment" or "host"/],
    ["other credentials", { credentials: "hush" }, "credentials", /"environment" or "host"/],
    [
      "no secret",
      { credentials: { ...KEY, secretAccessKey: "" } },
      "credentials.secretAccessKey",
      /^credentials.secretAccessKey must be the secret .* Enter it again/,
    ],
    [
      "a secret with a blank",
      { credentials: { ...KEY, secretAccessKey: "hush hush" } },
      "credentials.secretAccessKey",
      /without spaces/,
    ],
    [
      "no session token",
      { credentials: { ...KEY, accessKeyId: "ASIA1" } },
      "credentials.sessionToken",
      /temporary one/,
    ],
    [
      "no variables",
      { credentials: "environment" },
      "credentials.accessKeyId",
      /variable AWS_ACCESS_KEY_ID must be/,
    ],
  ];
  for (const [what, change, path, message] of wrong) {
    it(`refuse ${what}, before anything is sent`, async () => {
      should(() => awsKmsSettings(given(change), {})).throw({ path, message });
      // The environment of the tests has no such variables.
      const error = await awsKmsSigner(given(change)).catch((thrown: unknown) => thrown);
      should(error).have.properties({ path });
      should(inspect(error)).not.match(/hush/);
    });
  }
});
