import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { STORED_PASSWORD } from "../../nodes/common/shared/variables.ts";
import type { RunningService } from "../../service/src/index.ts";
import { generatePrivateKey } from "../../src/index.ts";
import { type Owned, ownNodeRed } from "../support/borrowed-node-red.ts";
import { eventually } from "../support/eventually.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import { type Harm, ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";
import { everything, leaksIn, sizeOf } from "./secrets/everything.ts";
import { FORMS, Search } from "./secrets/forms.ts";
import { BUTTONS, type Secrets, secretsIn, subflowWith } from "./secrets/subflow.ts";

const SETTINGS = fileURLToPath(new URL("./secrets/settings.cjs", import.meta.url));
const TOKEN = "monitoring-token-of-a-test";
/** Each with its own way to write a secret. */
const STATUSES = [400, 401, 403, 404, 409, 500] as const;

describe("secrets in the environment of subflows", function () {
  this.timeout(600_000);

  const secrets: Secrets = {
    API_KEY: "canary/api+key=of&a<subflow>0123456789",
    SIGNER_KEY: generatePrivateKey(),
    DEFAULT_KEY: "canary/default+key=of&a<subflow>98765432",
    TAB_SECRET: "canary/tab+secret=of&a<flow>0123456789",
    GLOBAL_SECRET: "canary/global+secret=of&<all>0123456789",
    WRONG_PLACE: "canary/secret+in=the&wrong<field>0123456",
  };
  const search = new Search(secrets);
  const answered: string[] = [];
  let service: RunningService;
  let proxy: ServiceProxy;
  let own: Owned;

  before(async () => {
    service = await startTestService({ apiKey: secrets.API_KEY });
    proxy = await ServiceProxy.before(service.ready.base_url);
    own = await ownNodeRed(
      { CREC_MONITORING_TOKEN: TOKEN, SUBFLOW_BASE_URL: proxy.baseUrl },
      { settings: SETTINGS },
    );
  });
  after(async () => {
    await own?.giveBack();
    await proxy?.close();
    await service?.close();
  });

  const post = async (path: string, body: object = {}): Promise<Record<string, unknown>> => {
    const headers = { "content-type": "application/json" };
    const answer = await own.nodeRed.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    answered.push(`${path} ${JSON.stringify(body)} ${text}`);
    return JSON.parse(text || "{}");
  };
  const written = async () => {
    const nodes = ["instance", "other", "made", "secret-tab", "connection", "instance-connection", "leaking"];
    const secretTypes = ["crec-connection", "crec-signer", "subflow", "subflow:made", "tab", "global-config"];
    const all = await everything(own, { token: TOKEN, nodes, secretTypes });
    return { ...all, "answers to forms": answered.join("\n") };
  };
  const pressAll = async (): Promise<number> => {
    let said = 0;
    for (const id of BUTTONS) {
      const before = own.nodeRed.shown().length;
      await own.nodeRed.press(`press-${id}`, { payload: "/networks" });
      await eventually(`a message of ${id}`, () => own.nodeRed.shown().length > before);
      said += 1;
    }
    return said;
  };

  it("are in nothing that Node-RED writes or shows, whatever the service answers", async () => {
    await own.nodeRed.deploy(subflowWith(service.ready, secrets));
    await pressAll();
    // The key works: otherwise nothing is tested here.
    await own.nodeRed.showing("instance:0");
    let answers = 0;
    for (const [at, { write }] of FORMS.entries()) {
      const status = STATUSES[at % STATUSES.length] ?? 400;
      const text = Object.values(secrets).map(write).join(" ").slice(0, 2_000);
      const body = JSON.stringify({ type: write(secrets.API_KEY), message: text, details: [text] });
      proxy.harm = (): Harm => ({ kind: "answer", status, body: at % 3 === 2 ? text : body });
      answers += await pressAll();
    }
    proxy.harm = () => undefined;
    await pressAll();
    for (const id of ["connection", "instance-connection", "other-connection"]) {
      const apiKey = "${API_KEY}";
      for (const key of [apiKey, STORED_PASSWORD]) {
        const form = { id, baseUrl: "${SUBFLOW_BASE_URL}", graphqlUrl: "", apiKey: key, timeout: "5" };
        await post("crec/connection/test", form);
        await post("crec/variables", { id, fields: { ...form, orgId: "${WRONG_PLACE}" } });
      }
      await (await own.nodeRed.fetch(`crec/connection/${id}/key`)).text();
    }
    await post("crec/monitor/issues/run");
    const all = await written();
    const told = { secrets: Object.keys(secrets).length, forms: FORMS.length, answers };
    process.stdout.write(`    ${JSON.stringify(told)}; ${search.size} needles in ${sizeOf(all)}\n`);
    should(leaksIn(all, search)).be.empty();
    should(own.nodeRed.log).not.match(/uncaught|unhandled|INTERNAL_ERROR|MaxListeners/i);
  });

  it("are found where a node does not mask them", async () => {
    await own.nodeRed.deploy(harnessFlow(secretsIn(secrets), [[{ id: "leaking", type: "leaking" }, 1]]));
    let found = 0;
    for (const [name, secret] of Object.entries(secrets)) {
      for (const { write, name: form } of FORMS) {
        const payload = write(secret);
        await own.nodeRed.press("press-leaking", { place: "file", payload });
        await eventually(`${name} as ${form}`, async () => {
          const leaked = await readFile(join(own.userDir.path, "leaked.txt"), "utf8").catch(() => "");
          return leaked === payload && search.hitsIn(leaked).some((hit) => hit.startsWith(name));
        });
        found += 1;
      }
    }
    // Where all is searched, it is found, too.
    should(leaksIn(await written(), search).some((leak) => leak.startsWith("leaked.txt"))).be.true();
    process.stdout.write(`    ${found} planted leaks found\n`);
  });
});
