import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import should from "should";
import { sendJson, startServer } from "../http/support.ts";
import { caseNamed, configOf, proofCases } from "../proofs/fixtures.ts";
import { builtWithTypes } from "../support/built.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** `--jitless` takes WebAssembly away: undici reads answers by it, and proofs are checked by it. */
describe("the built library under --jitless", function () {
  this.timeout(120_000);
  before(() => builtWithTypes());

  it("makes calls, checks proofs in JavaScript, and refuses proxies in one sentence", async () => {
    const server = await startServer((_request, response) => {
      sendJson(response, 200, { data: [{ channel_id: "one" }], has_more: false });
    });
    const proven = proofCases.find(({ expect }) => expect === "verified")?.name ?? "";
    const input = JSON.stringify({
      url: server.url,
      event: caseNamed(proven).event,
      config: configOf(caseNamed(proven)),
    });
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ["--jitless", "--input-type=module", "--eval", PROGRAM],
      { cwd: root, env: { PATH: process.env.PATH, INPUT: input } },
    );
    should(JSON.parse(stdout)).deepEqual({
      webAssembly: "undefined",
      channels: ["one"],
      verified: true,
      proxy:
        "Proxies need WebAssembly, which is off in this Node.js (for example by --jitless). Start it with WebAssembly, or use no proxy.",
    });
    should(stderr).match(/WebAssembly cannot be used to check proofs here, so JavaScript is used/);
    await server.close();
  });
});

const PROGRAM = `
import { CrecClient, verifyEvent } from "./dist/index.mjs";
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
