import { fileURLToPath } from "node:url";
import should from "should";
import { type Borrowed, borrowNodeRed, ownNodeRed } from "../../support/borrowed-node-red.ts";
import { eventually } from "../../support/eventually.ts";
import { hasParser, parsedBeside } from "../../support/metrics-parser.ts";
import type { NodeRedOptions } from "../../support/node-red.ts";
import { itWide } from "../../support/wide.ts";

const TOKEN = "a-token-that-is-long-enough";
const CONTENT_TYPES = {
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
};
const PATHS = ["crec/metrics", "crec/health", "crec/health/live"];
const guarded = fileURLToPath(new URL("../../nodes/admin-auth-settings.cjs", import.meta.url));

describe("the endpoints for monitoring", function () {
  this.timeout(120_000);

  let borrowed: Borrowed | undefined;
  afterEach(async () => {
    should(borrowed?.nodeRed.log ?? "").not.containEql(TOKEN);
    await borrowed?.giveBack();
    borrowed = undefined;
  });

  const start = async (options: NodeRedOptions, env: Record<string, string> = {}) => {
    borrowed = await ownNodeRed(env, options);
    const { nodeRed } = borrowed;
    const get = (path: string, headers: Record<string, string> = {}) => nodeRed.fetch(path, { headers });
    const statuses = async (headers: Record<string, string> = {}) => {
      const answers = await Promise.all(PATHS.map((path) => get(path, headers)));
      return answers.map(({ status }) => status);
    };
    return { nodeRed, get, statuses };
  };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it("are not there without a setting", async () => {
    const { nodeRed, giveBack } = await borrowNodeRed();
    for (const path of PATHS) should((await nodeRed.fetch(path)).status).equal(404);
    await giveBack();
  });

  itWide("answer those that have the permission, where only that is set", async () => {
    const define = ["crec.monitoring=true", "logging.console.level=trace"];
    const { statuses } = await start({ settings: guarded, token: "admin", define });
    should(await statuses()).deepEqual([401, 401, 200]);
    should(await statuses(bearer("stranger"))).deepEqual([401, 401, 200]);
    should(await statuses(bearer("reader"))).deepEqual([200, 200, 200]);
  });

  it("answer those that have the token or the permission, where a token is set", async () => {
    const { statuses } = await start({ settings: guarded, token: "admin" }, { CREC_MONITORING_TOKEN: TOKEN });
    should(await statuses()).deepEqual([401, 401, 200]);
    should(await statuses(bearer(`${TOKEN}x`))).deepEqual([401, 401, 200]);
    should(await statuses(bearer(TOKEN))).deepEqual([200, 200, 200]);
    should(await statuses(bearer("reader"))).deepEqual([200, 200, 200]);
  });

  it("require the token where nobody logs in, and answer in the format that is asked for", async function () {
    const { get, statuses } = await start({ define: [`crec.monitoring.token=${TOKEN}`] });
    should(await statuses()).deepEqual([401, 401, 200]);
    should(await statuses(bearer(TOKEN))).deepEqual([200, 200, 200]);
    const refused = await get("crec/metrics");
    should(refused.headers.get("www-authenticate")).equal('Bearer realm="crec"');
    if (!hasParser()) return this.skip();
    for (const [accept, format] of [
      ["application/openmetrics-text;version=1.0.0,text/plain;q=0.5", "openmetrics"],
      ["*/*", "prometheus"],
    ] as const) {
      const response = await get("crec/metrics", { ...bearer(TOKEN), accept });
      should(response.headers.get("content-type")).equal(CONTENT_TYPES[format]);
      should(response.headers.get("cache-control")).equal("no-store");
      const families = await parsedBeside(await response.text(), format);
      const build = families.flatMap(({ samples }) => samples).find(({ name }) => name === "crec_build_info");
      should(build?.labels).have.keys("version", "node_red_version", "node_version");
      should(build?.labels.node_version).equal(process.version);
      should(build?.labels.node_red_version).match(/^\d+\.\d+\.\d+/);
    }
  });

  itWide("are failing where the flows do not run, such as in safe mode", async () => {
    const define = [`crec.monitoring.token=${TOKEN}`, "safeMode=true"];
    const { get } = await start({ define });
    const response = await get("crec/health", bearer(TOKEN));
    should(response.status).equal(503);
    should(await response.json()).match({ status: "failing", reasons: [{ code: "flows_not_running" }] });
  });

  itWide("are ok with a connection that is incomplete and not used", async () => {
    const { nodeRed, get } = await start({ define: [`crec.monitoring.token=${TOKEN}`] });
    const connection = { id: "connection", type: "crec-connection", baseUrl: "" };
    const users = [
      { id: "tab", type: "tab" },
      { id: "channel", type: "crec-channel", connection: "connection" },
      { id: "watcher", type: "crec-create-watcher", z: "tab", channel: "channel", wires: [] },
    ];
    const becomes = async (status: string) => {
      const health = async () =>
        (await (await get("crec/health", bearer(TOKEN))).json()) as { status: string };
      await eventually(`the health ${status}`, health, (seen) => seen.status === status);
    };
    await nodeRed.deploy([connection, ...users]);
    await becomes("failing");
    await nodeRed.deploy([connection]);
    await becomes("ok");
  });
});
