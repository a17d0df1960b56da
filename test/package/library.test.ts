import { execFile } from "node:child_process";
import { promisify } from "node:util";
import should from "should";
import { sendJson, startServer } from "../http/support.ts";
import { caseNamed, configOf, proofCases } from "../proofs/fixtures.ts";
import { builtClient, CLIENT } from "../support/built-client.ts";
import { ACCESS_KEY, ecdsaKey, KmsStandIn, REGION } from "../support/kms.ts";

/** Tells which parts are loaded, by each step. */
const LOADED = `
import { createRequire } from "node:module";
import { basename } from "node:path";
const require = createRequire(process.cwd() + "/");
const loaded = () =>
  Object.keys(require.cache).map((path) => basename(path)).filter((name) => /^(?:fleet|custody)-/.test(name));
`;

/** Uses the client of each engine. */
const ENGINES = `
import { inspect } from "node:util";
${LOADED}
const library = process.env.AS === "import" ? await import("./dist/index.js") : require("./dist/index.cjs");
const steps = [loaded()];
new library.CrecClient({ baseUrl: "http://127.0.0.1:1", apiKey: "k" }).close();
steps.push(loaded());
for (const url of ["postgres://u:secret@127.0.0.1:1/d", "redis://u:secret@127.0.0.1:1"]) {
  const shared = await library.openSharedState(url);
  steps.push(loaded());
  const error = await shared.take("key", { id: "1", name: "" }, 1).catch((reason) => reason);
  steps.push(error instanceof library.CrecError && error.code);
  steps.push(inspect(error).includes("secret"));
  await shared.close();
}
console.log(JSON.stringify(steps));
`;

/** Uses AWS's SDK. */
const KMS = `
${LOADED}
const { awsKmsSigner, SignerError } = require("./dist/index.cjs");
const given = JSON.parse(process.env.INPUT);
const steps = [loaded()];
await awsKmsSigner({ ...given, keyId: "" }).catch(() => {});
steps.push(loaded());
const signer = await awsKmsSigner(given);
steps.push(loaded(), signer.kind, (await signer.sign({ digest: "0x" + "11".repeat(32) })).length);
await signer.close();
const error = await awsKmsSigner({ ...given, keyId: "alias/other" }).catch((thrown) => thrown);
steps.push(error instanceof SignerError && error.code);
console.log(JSON.stringify(steps));
`;

const JITLESS = `
import { CrecClient, verifyEvent } from "./dist/index.js";
const { url, event, config } = JSON.parse(process.env.INPUT);
const options = { baseUrl: url, apiKey: "key-of-a-test-0123456789" };
const client = new CrecClient(options);
const channels = [];
for await (const { channel_id } of client.channels.list()) channels.push(channel_id);
await client.close();
const { verified } = await verifyEvent(event, config);
let proxy;
try { new CrecClient({ ...options, proxy: "http://proxy.test:3128" }); } catch (error) { proxy = error.message; }
console.log(JSON.stringify({ webAssembly: typeof WebAssembly, channels, verified, proxy }));
`;

describe("the built client", function () {
  this.timeout(120_000);
  before(builtClient);

  it("loads the client of an engine when it is used, and no other", async () => {
    const { printed, stderr } = await runProgram(ENGINES);
    should(printed).deepEqual([
      ...[[], []],
      ...[["fleet-postgres.cjs"], "SHARED_STATE_UNREACHABLE", false],
      ...[["fleet-postgres.cjs", "fleet-redis.cjs"], "SHARED_STATE_UNREACHABLE", false],
    ]);
    should(stderr).equal("");
    const imported = await runProgram(ENGINES, { AS: "import" });
    const steps = (imported.printed as unknown[]).filter((step) => !Array.isArray(step));
    should(steps).deepEqual(Array(2).fill(["SHARED_STATE_UNREACHABLE", false]).flat());
  });

  it("loads AWS's SDK when a signer is opened, and ends by itself without a word", async () => {
    const kms = await KmsStandIn.start();
    kms.keys.set("alias/payments", ecdsaKey());
    const { endpoint } = kms;
    const given = { keyId: "alias/payments", region: REGION, endpoint, credentials: ACCESS_KEY };
    const { printed, stderr } = await runProgram(KMS, { INPUT: JSON.stringify(given) });
    await kms.close();
    const part = ["custody-aws-kms.cjs"];
    should(printed).deepEqual([[], [], part, "ecdsa", 132, "SIGNER_KEY_UNSUITABLE"]);
    should(stderr).equal("");
  });

  /** It takes WebAssembly away: undici reads answers by it, and proofs are checked by it. */
  it("makes calls under --jitless, checks proofs in JavaScript, and refuses proxies in one sentence", async () => {
    const server = await startServer((_request, response) => {
      sendJson(response, 200, { data: [{ channel_id: "one" }], has_more: false });
    });
    const proven = caseNamed(proofCases.find(({ expect }) => expect === "verified")?.name ?? "");
    const given = { url: server.url, event: proven.event, config: configOf(proven) };
    const { printed, stderr } = await runProgram(JITLESS, { INPUT: JSON.stringify(given) }, ["--jitless"]);
    await server.close();
    should(printed).deepEqual({
      webAssembly: "undefined",
      channels: ["one"],
      verified: true,
      proxy:
        "Proxies need WebAssembly, which is off in this Node.js (for example by --jitless). Start it with WebAssembly, or use no proxy.",
    });
    should(stderr).match(/WebAssembly cannot be used to check proofs here, so JavaScript is used/);
  });
});

async function runProgram(program: string, given: NodeJS.ProcessEnv = {}, flags: readonly string[] = []) {
  const args = [...flags, "--input-type=module", "--eval", program];
  const env = { ...process.env, ...given };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: CLIENT, env });
  return { printed: JSON.parse(stdout) as unknown, stderr };
}
