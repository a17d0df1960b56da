import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { type AwsKmsOptions, awsKmsSigner } from "../../../src/signing/custody/index.ts";
import { signWith } from "../../../src/signing/index.ts";
import { errorOf, sendJson, startServer, type TestServer } from "../../http/support.ts";
import { ecdsaKey, KmsStandIn, REGION } from "../../support/kms.ts";
import { request } from "./sample-request.ts";

const ROLE = {
  accessKeyId: "ASIAROLE000000000001",
  secretAccessKey: "role-secret",
  sessionToken: "role-token",
};
const LATER = () => new Date(Date.now() + 3_600_000).toISOString();

describe("a key in AWS KMS, with the credentials of the host", function () {
  this.timeout(10_000);

  let kms: KmsStandIn;
  let folder: string;
  let before: NodeJS.ProcessEnv;
  const servers: TestServer[] = [];

  beforeEach(async () => {
    kms = await KmsStandIn.start();
    kms.keys.set("alias/payments", ecdsaKey());
    kms.accessKeys.set(ROLE.accessKeyId, { secret: ROLE.secretAccessKey, token: ROLE.sessionToken });
    folder = await mkdtemp(join(tmpdir(), "crec-aws-"));
    before = { ...process.env };
    for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) delete process.env[name];
    // Nothing of this machine is read, and nothing outside it is asked.
    process.env.AWS_CONFIG_FILE = join(folder, "config");
    process.env.AWS_SHARED_CREDENTIALS_FILE = join(folder, "credentials");
    process.env.AWS_EC2_METADATA_DISABLED = "true";
  });
  afterEach(async () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    for (const server of servers.splice(0)) await server.close();
    await kms.close();
    await rm(folder, { recursive: true, force: true });
  });

  const serve = async (listener: RequestListener) => {
    const server = await startServer(listener);
    servers.push(server);
    return server;
  };
  const signs = async (change: Partial<AwsKmsOptions> = {}) => {
    const given = { keyId: "alias/payments", region: REGION, endpoint: kms.endpoint };
    const signer = await awsKmsSigner({ ...given, credentials: "host", ...change });
    try {
      return await signWith(signer, request);
    } finally {
      await signer.close();
    }
  };
  const roleJson = () => ({
    AccessKeyId: ROLE.accessKeyId,
    SecretAccessKey: ROLE.secretAccessKey,
    Token: ROLE.sessionToken,
    Expiration: LATER(),
  });

  it("signs by the role of a container", async () => {
    const container = await serve((_request, response) => sendJson(response, 200, roleJson()));
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${container.url}/role`;
    await signs();
    // Once, although there were two calls.
    should(container.requests).deepEqual(["GET /role"]);
  });

  it("signs by the role of an instance", async () => {
    const instance = await serve((asked, response) => {
      if (asked.method === "PUT") return response.end("session");
      if (asked.url?.endsWith("/security-credentials/")) return response.end("payments-role");
      return sendJson(response, 200, { Code: "Success", ...roleJson() });
    });
    delete process.env.AWS_EC2_METADATA_DISABLED;
    process.env.AWS_EC2_METADATA_SERVICE_ENDPOINT = instance.url;
    await signs();
    should(instance.requests).containEql("GET /latest/meta-data/iam/security-credentials/payments-role");
  });

  it("signs by the role of a Kubernetes service account, for which it asks AWS", async () => {
    let form = new URLSearchParams();
    const sts = await serve(async (asked, response) => {
      form = new URLSearchParams(Buffer.concat(await asked.toArray()).toString());
      const of = (name: string, value: string) => `<${name}>${value}</${name}>`;
      const credentials = [
        of("AccessKeyId", ROLE.accessKeyId),
        of("SecretAccessKey", ROLE.secretAccessKey),
        of("SessionToken", ROLE.sessionToken),
        of("Expiration", LATER()),
      ].join("");
      response.setHeader("content-type", "text/xml");
      response.end(
        `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>${credentials}</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      );
    });
    await writeFile(join(folder, "token"), "service-account-token");
    process.env.AWS_WEB_IDENTITY_TOKEN_FILE = join(folder, "token");
    process.env.AWS_ROLE_ARN = "arn:aws:iam::111122223333:role/payments";
    process.env.AWS_ENDPOINT_URL_STS = sts.url;
    await signs();
    should(form.get("Action")).equal("AssumeRoleWithWebIdentity");
    should(form.get("WebIdentityToken")).equal("service-account-token");
  });

  it("signs with a profile, in the region and at the endpoint that it names", async () => {
    const { accessKeyId, secretAccessKey, sessionToken } = ROLE;
    await writeFile(
      join(folder, "credentials"),
      `[payments]\naws_access_key_id=${accessKeyId}\naws_secret_access_key=${secretAccessKey}\naws_session_token=${sessionToken}\n`,
    );
    await writeFile(
      join(folder, "config"),
      `[profile payments]\nregion=${REGION}\nendpoint_url=${kms.endpoint}\n`,
    );
    process.env.AWS_PROFILE = "payments";
    await signs({ region: undefined, endpoint: undefined });
    // What was given for this signer comes first.
    process.env.AWS_REGION = "us-east-1";
    await signs();
  });

  it("signs by a session of single sign-on, for which it asks AWS", async () => {
    let asked = "";
    const portal = await serve((given, response) => {
      asked = `${given.url} ${given.headers["x-amz-sso_bearer_token"]}`;
      const { accessKeyId, secretAccessKey, sessionToken } = ROLE;
      const expiration = Date.now() + 3_600_000;
      sendJson(response, 200, {
        roleCredentials: { accessKeyId, secretAccessKey, sessionToken, expiration },
      });
    });
    const session = ["sso_session=work", "sso_account_id=111122223333", "sso_role_name=pay ments"];
    await writeFile(
      join(folder, "config"),
      `[default]\n${session.join("\n")}\n[sso-session work]\nsso_region=${REGION}\nsso_start_url=https://work.example\n`,
    );
    await mkdir(join(folder, ".aws/sso/cache"), { recursive: true });
    await writeFile(
      join(folder, ".aws/sso/cache", `${createHash("sha1").update("work").digest("hex")}.json`),
      JSON.stringify({ accessToken: "of-the-session", expiresAt: LATER() }),
    );
    process.env.HOME = folder;
    process.env.AWS_ENDPOINT_URL_SSO = portal.url;
    await signs();
    should(asked).equal("/federation/credentials?role_name=pay+ments&account_id=111122223333 of-the-session");
  });

  it("says what is wrong with the configuration of the machine", async () => {
    process.env.AWS_WEB_IDENTITY_TOKEN_FILE = join(folder, "no-such-file");
    process.env.AWS_ROLE_ARN = "arn:aws:iam::111122223333:role/payments";
    const error = await errorOf(signs());
    should(error).have.properties({ code: "SIGNER_UNAVAILABLE", retryable: false });
    should(error.message).match(/Check the configuration of AWS's tools .* It said: ENOENT.*no-such-file/);
  });

  it("says that there are none", async () => {
    const error = await errorOf(signs());
    should(error).have.properties({ code: "SIGNER_UNAUTHORIZED", retryable: false });
    should(error.message).match(/AWS's tools find no valid credentials on this machine\. Give the instance/);
  });

  it("says that there is no region", async () => {
    process.env.AWS_ACCESS_KEY_ID = "AKIA0000000000000001";
    process.env.AWS_SECRET_ACCESS_KEY = "secret";
    const error = await errorOf(signs({ region: undefined }));
    should(error).have.properties({ path: "region" });
  });

  it("reads none of this unless it is chosen", async () => {
    const { accessKeyId, secretAccessKey, sessionToken } = ROLE;
    process.env.AWS_PROFILE = "none-such";
    process.env.AWS_ENDPOINT_URL = "http://127.0.0.1:1";
    process.env.AWS_ACCESS_KEY_ID = accessKeyId;
    process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey;
    process.env.AWS_SESSION_TOKEN = sessionToken;
    process.env.AWS_REGION = REGION;
    await signs({ region: undefined, credentials: "environment" });
  });
});
