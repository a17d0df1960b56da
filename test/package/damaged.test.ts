import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import should from "should";
import { markTyped } from "../../nodes/common/shared/variables.ts";
import { caseNamed, configOf, proofCases } from "../proofs/fixtures.ts";
import { builtNodes } from "../support/built.ts";
import { copyLibrary, DAMAGES, damage, PARTS, startDamaged } from "../support/damaged-package.ts";
import { fleetNode } from "../support/fleet-harness.ts";
import { ask, harnessFlow, type Message, refuse } from "../support/flow-harness.ts";
import { type FlowNode, type NodeRed, UserDir } from "../support/node-red.ts";
import { apiNode, verifyEventNode } from "../support/nodes.ts";
import { withVariants } from "../support/variants.ts";

/** What a node or a program is told, with what to do. */
const SENTENCE =
  /^A file of this package is missing or damaged: [\w ]+\. Install @crec-nodes\/node-red-crec again, then restart \(.+\)\.$/;
const CODE = "PACKAGE_DAMAGED";
/** What Node.js and Node-RED say of an error that nobody takes. */
const UNHANDLED = /unhandled|uncaught|^\s+at /im;

/** Opens each part of a copy of the library, and signs with a key that needs none. */
const PROGRAM = `
const { CrecError, awsKmsSigner, generatePrivateKey, localEcdsaSigner, openSharedState } = require(process.env.LIBRARY);
const loaded = () => Object.keys(require.cache).filter((path) => /fleet-|custody-/.test(path)).length;
const shown = (opening) =>
  opening.then(() => "opened", (error) => [error instanceof CrecError, error.code, error.message]);
const credentials = { accessKeyId: "AKIA", secretAccessKey: "secret" };
(async () => {
  const before = loaded();
  const parts = [
    await shown(openSharedState("postgres://127.0.0.1:1/d")),
    await shown(openSharedState("redis://127.0.0.1:1")),
    await shown(awsKmsSigner({ keyId: "alias/a", region: "eu-central-1", credentials })),
  ];
  const signature = await localEcdsaSigner(generatePrivateKey()).sign({ digest: "0x" + "11".repeat(32) });
  console.log(JSON.stringify({ before, parts, signs: signature.length === 132 }));
})();
`;

describe("a damaged package", function () {
  this.timeout(120_000);
  before(() => builtNodes());

  for (const how of DAMAGES) {
    it(`has a library that says which of its parts cannot be loaded: ${how}`, async () => {
      const folder = await mkdtemp(join(tmpdir(), "crec-damaged-"));
      try {
        await copyLibrary(folder);
        for (const part of PARTS) await damage(join(folder, part), how);
        const env = { ...process.env, LIBRARY: join(folder, "index.js") };
        const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--eval", PROGRAM], { env });
        const { before, parts, signs } = JSON.parse(stdout) as Outcome;
        should({ before, signs, stderr }).deepEqual({ before: 0, signs: true, stderr: "" });
        should(parts.length).equal(PARTS.length);
        for (const [isOurs, code, sentence] of parts) {
          should([isOurs, code]).deepEqual([true, CODE]);
          should(sentence).match(SENTENCE);
        }
      } finally {
        await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      }
    });
  }

  describe("in Node-RED", () => {
    let userDir: UserDir;
    let nodeRed: NodeRed | undefined;
    beforeEach(async () => {
      userDir = await UserDir.make();
    });
    afterEach(async () => {
      await nodeRed?.kill();
      await userDir.remove();
    });

    it("says so where a part is used, and everything else works", async () => {
      nodeRed = await startDamaged(userDir, {
        "fleet-postgres.js": "missing",
        "fleet-redis.js": "cut off",
        "custody-aws-kms.js": "throws",
        "nodes/locales/de/ack.json": "cut off",
        "plugins/locales/de/monitor.json": "missing",
        errors: "missing",
      });
      const proven = caseNamed(proofCases.find(({ expect }) => expect === "verified")?.name ?? "");
      const fleets = ["postgres", "redis"];
      const verify = (id: string, properties = {}): [FlowNode, number] => [
        verifyEventNode({ id, connection: "connection", event: "payload", eventType: "msg", ...properties }),
        3,
      ];
      await nodeRed.deploy(
        harnessFlow(
          [
            connection(configOf(proven)),
            ...fleets.map((engine) => fleetNode(`${engine}://127.0.0.1:1/0`, { id: engine })),
          ],
          [
            verify("verify"),
            ...fleets.map((fleet) => verify(`verify-${fleet}`, { firstTimeOnly: true, fleet })),
          ],
        ),
      );
      const message = { payload: proven.event } as Message;
      for (const engine of fleets) {
        await nodeRed.status(`verify-${engine}`, /^A file of this package is missing or damaged/);
        shouldSay(await refuse(nodeRed, `verify-${engine}`, message));
      }
      should((await ask(nodeRed, "verify", message)).crec).have.property("verification");
      const tested = await nodeRed.fetch("crec/fleet/test", post({ id: "new", url: "redis://127.0.0.1:1" }));
      should((await tested.json()) as object).have.property("code", CODE);
      const texts = await (await nodeRed.fetch("nodes/messages?lng=de")).json();
      should(Object.keys(texts as object)).matchAny(/\/ack$/);
      should(await (await nodeRed.fetch("crec/diagnostics")).text()).containEql('"versions":');
      should(nodeRed.log).not.match(UNHANDLED);
    });

    it("runs the flows where the code of the nodes cannot be loaded, and each node says why it does nothing", async () => {
      nodeRed = await startDamaged(userDir, { "run-time.js": "missing" });
      await shouldRunTheRest(nodeRed);
      should(nodeRed.log.match(/CRE Connect: .*/g)).have.length(1);
    });

    // The sentence comes from the same place.
    if (withVariants)
      it("does the same where the library cannot be loaded", async () => {
        nodeRed = await startDamaged(userDir, { "index.js": "cut off" });
        await shouldRunTheRest(nodeRed);
      });
  });
});

type Outcome = {
  before: number;
  parts: Array<[isOurs: boolean, code: string, sentence: string]>;
  signs: boolean;
};

/** A node of ours says what is wrong, and another node of the flow works. */
async function shouldRunTheRest(nodeRed: NodeRed): Promise<void> {
  const plain: FlowNode = { id: "plain", type: "change", rules: [] };
  const api = apiNode({ id: "api", connection: "connection" });
  await nodeRed.deploy(
    harnessFlow(
      [connection(configOf())],
      [
        [plain, 1],
        [api, 1],
      ],
    ),
  );
  shouldSay(await refuse(nodeRed, "api", { payload: "/channels" }));
  await nodeRed.status("api", /^A file of this package is missing or damaged/);
  should((await ask(nodeRed, "plain", { payload: 1 })).payload).equal(1);
  should(nodeRed.log).not.match(UNHANDLED);
}

function shouldSay({ error }: Message): void {
  should(error).have.property("code", CODE);
  should(error?.message).match(SENTENCE);
}

function connection({
  creTenantId,
  workflowOwner,
  validSigners,
  minRequiredSignatures,
}: ReturnType<typeof configOf>): FlowNode {
  return {
    ...{ id: "connection", type: "crec-connection", baseUrl: "http://127.0.0.1:1/v1", creTenantId },
    ...{ workflowOwner: workflowOwner ?? "", validSigners: validSigners.join("\n") },
    minRequiredSignatures: String(minRequiredSignatures),
    credentials: { apiKey: markTyped("key-of-a-test", randomUUID()) },
  };
}

function post(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
