import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import should from "should";
import { builtWithTypes } from "../support/built.ts";
import { ACCESS_KEY, ecdsaKey, KmsStandIn, REGION } from "../support/kms.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Tells whether AWS's SDK is loaded, before and after it is used. */
const STEPS = `
import { createRequire } from "node:module";
import { awsKmsSigner, SignerError } from "./dist/index.mjs";
const require = createRequire(process.cwd() + "/");
const isLoaded = () => Object.keys(require.cache).some((path) => path.endsWith("custody-aws-kms.js"));
const given = JSON.parse(process.env.GIVEN);
const steps = [isLoaded()];
await awsKmsSigner({ ...given, keyId: "" }).catch(() => {});
steps.push(isLoaded());
const signer = await awsKmsSigner(given);
steps.push(isLoaded(), signer.kind, (await signer.sign({ digest: "0x" + "11".repeat(32) })).length);
await signer.close();
const error = await awsKmsSigner({ ...given, keyId: "alias/other" }).catch((thrown) => thrown);
steps.push(error instanceof SignerError && error.code);
console.log(JSON.stringify(steps));
`;

describe("AWS KMS in the package", () => {
  before(function () {
    this.timeout(120_000);
    return builtWithTypes();
  });

  it("loads AWS's SDK when a signer is opened, and ends by itself without a word", async () => {
    const kms = await KmsStandIn.start();
    kms.keys.set("alias/payments", ecdsaKey());
    const given = {
      keyId: "alias/payments",
      region: REGION,
      endpoint: kms.endpoint,
      credentials: ACCESS_KEY,
    };
    const env = { ...process.env, GIVEN: JSON.stringify(given) };
    const args = ["--input-type=module", "--eval", STEPS];
    const { stdout, stderr } = await run(process.execPath, args, { cwd: root, env });
    await kms.close();
    should(JSON.parse(stdout)).deepEqual([false, false, true, "ecdsa", 132, "SIGNER_KEY_UNSUITABLE"]);
    should(stderr).equal("");
  });

  it("has the SDK in a file of its own, with what signing uses and no more", async () => {
    const text = await readFile(`${root}/dist/custody-aws-kms.js`);
    should(text.length).be.below(600_000);
    should(gzipSync(text).length).be.below(145_000);
    should(text.toString()).not.containEql("class CrecError");
    // Its warnings, such as that of an old Node.js, go to nobody who could act on them.
    should(text.toString()).not.containEql("NodeVersionSupportWarning");
    should(await readFile(`${root}/dist/index.js`, "utf8")).not.containEql("TrentService");
  });

  it("names the licence of each of its packages, and has the text once", async () => {
    const all = await readFile(`${root}/dist/THIRD_PARTY_LICENSES`, "utf8");
    const sections = all.split(/^-{80}$/m);
    for (const name of ["@aws-sdk/client-kms", "@aws-sdk/nested-clients", "@smithy/core"]) {
      const [section = "", ...others] = sections.filter((part) =>
        new RegExp(`^${name} [\\d.]+ \\(Apache-2\\.0\\)$`, "m").test(part),
      );
      should(section).containEql("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION");
      should(others).be.empty();
    }
    should(all.length).be.below(120_000);
  });
});
