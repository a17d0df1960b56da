import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { eventually } from "../../support/eventually.ts";
import { UserDir } from "../../support/node-red.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const endWithParent = new URL("../../../scripts/lib/end-with-parent.mjs", import.meta.url).href;
const TOKEN = "a-token-that-is-long-enough";

/** The harness of other tests drives Node-RED through its admin API, which is off here. */
describe("monitoring without the admin API", function () {
  this.timeout(120_000);

  let userDir: UserDir;
  let child: ChildProcess | undefined;
  before(async () => {
    userDir = await UserDir.make();
  });
  afterEach(async () => {
    if (child === undefined || child.exitCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  });
  after(() => userDir.remove());

  async function start(defined: readonly string[], env: Record<string, string>) {
    const log: string[] = [];
    const define = ["httpAdminRoot=false", "logging.console.level=info", ...defined];
    const process_ = spawn(
      process.execPath,
      [
        ...["--import", endWithParent, join(root, "node_modules/node-red/red.js")],
        ...[
          "--settings",
          join(root, "scripts/node-red-settings.cjs"),
          "--userDir",
          userDir.path,
          "--port",
          "0",
        ],
        ...define.flatMap((one) => ["-D", one]),
      ],
      {
        env: { ...process.env, ...env, CREC_CREDENTIAL_SECRET_FILE: join(userDir.path, "credential-secret") },
        stdio: ["ignore", "pipe", "inherit", "ipc"],
      },
    );
    child = process_;
    process_.stdout?.on("data", (chunk: Buffer) => log.push(chunk.toString()));
    const [{ port }] = (await once(process_, "message")) as [{ port: number }];
    const status = async (path: string, token?: string) => {
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status;
    };
    /** The server listens before the flows run: until then, health is failing. */
    const becomesHealthy = async (path: string) => {
      await eventually(
        `${path} to be healthy`,
        () => status(path, TOKEN),
        (code) => code !== 503,
      );
    };
    return { status, becomesHealthy, log: () => log.join("") };
  }

  it("is served beside the addresses of flows, for requests with the token", async () => {
    const { status, becomesHealthy, log } = await start(["httpNodeRoot=/flows"], {
      CREC_MONITORING_TOKEN: TOKEN,
    });
    await becomesHealthy("/flows/crec/health");
    for (const path of ["/flows/crec/metrics", "/flows/crec/health"]) {
      should(await status(path)).equal(401);
      should(await status(path, "another-token-that-is-long")).equal(401);
      should(await status(path, TOKEN)).equal(200);
    }
    should(await status("/flows/crec/health/live")).equal(200);
    should(await status("/crec/metrics", TOKEN)).equal(404);
    should(log()).match(
      /the admin API is off, so metrics and health are served .* at \/flows\/crec\/metrics/,
    );
    should(log()).not.containEql(TOKEN);
  });

  it("is not served where flows need a password in the same header, and the log says what to do", async () => {
    const password = ["httpNodeAuth.user=flows", "httpNodeAuth.pass=hash"];
    const { status, log } = await start(["httpNodeRoot=/flows", ...password], {
      CREC_MONITORING_TOKEN: TOKEN,
    });
    should(await status("/flows/crec/metrics", TOKEN)).equal(401);
    should(log()).match(
      /metrics and health are off\. .* httpNodeAuth needs its password\. Turn the admin API on/,
    );
    should(log()).not.containEql("served beside");
  });

  it("is not served without a token, and the log says what to set", async () => {
    const { status, log } = await start(["crec.monitoring=true"], {});
    should(await status("/crec/metrics")).equal(404);
    should(log()).match(/Without the admin API .* they need a token: set CREC_MONITORING_TOKEN/);
  });

  it("is not served with a token that can be guessed, and the log says how long it must be", async () => {
    const { status, log } = await start([], { CREC_MONITORING_TOKEN: "short" });
    should(await status("/crec/metrics", "short")).equal(404);
    should(log()).match(/metrics and health are off, because their token has less than 16 characters/);
  });
});
