import { execFile } from "node:child_process";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import should from "should";
import { defaultDataDir, helpText, readCommand } from "../src/command-line.ts";
import { createLog } from "../src/log.ts";
import { Api, spawnCli, spawnService, startTestService, temporaryFolder } from "./support.ts";

const cli = fileURLToPath(new URL("../src/cli.ts", import.meta.url));

describe("the command of the local service", function () {
  this.timeout(120_000);

  it("reads each option from its flag, else from its variable, else uses the default of the help", () => {
    const env = {
      CREC_SERVICE_PORT: "9000",
      CREC_SERVICE_HOST: "::1",
      CREC_DATA_DIR: "/from/environment",
      CREC_RPC_URL: "http://127.0.0.1:8545",
      CREC_CHAIN_PORT: "9001",
      CREC_API_KEY: "one, two",
      CREC_ORG_ID: "org_mine",
      CREC_TENANT_ID: "7",
      CREC_BLOCK_TIME: "250",
      CREC_CONFIDENCE: "safe",
      CREC_SEED: "7",
      CREC_STRICT: "yes",
      CREC_LOCAL: "on",
      CREC_LOG_LEVEL: "debug",
      CREC_LOG_FORMAT: "json",
    };
    should(readCommand([], env)).containEql({
      port: 9000,
      host: "::1",
      dataDir: "/from/environment",
      rpcUrl: "http://127.0.0.1:8545",
      chainPort: 9001,
      apiKey: ["one", "two"],
      orgId: "org_mine",
      creTenantId: "7",
      blockTimeMs: 250,
      confidences: ["safe"],
      seed: 7,
      strict: true,
      local: true,
      logLevel: "debug",
      logFormat: "json",
      watchParent: undefined,
    });
    const flags = [
      ...["--port", "0", "--host=127.0.0.1", "--data-dir", "here", "--rpc-url", "http://localhost:1"],
      ...["--chain-port", "9002"],
      ...[
        "--api-key",
        "three",
        "--api-key",
        "four",
        "--org",
        "org_flag",
        "--tenant",
        "8",
        "--block-time",
        "5",
      ],
      ...[
        "--confidence",
        "latest,safe",
        "--seed",
        "0",
        "--no-local",
        "--no-strict",
        "--log-level",
        "warn",
        "--log-format",
        "pretty",
      ],
      "--watch-parent",
    ];
    should(readCommand(flags, env)).containEql({
      port: 0,
      host: "127.0.0.1",
      dataDir: "here",
      rpcUrl: "http://localhost:1",
      chainPort: 9002,
      apiKey: ["three", "four"],
      orgId: "org_flag",
      creTenantId: "8",
      blockTimeMs: 5,
      confidences: ["latest", "safe"],
      seed: 0,
      strict: false,
      local: false,
      logLevel: "warn",
      logFormat: "pretty",
      watchParent: true,
    });
    const bare = readCommand([], { CREC_RPC_URL: "", CREC_API_KEY: "" });
    should(bare).containEql({
      port: 8787,
      host: "127.0.0.1",
      dataDir: defaultDataDir({}),
      rpcUrl: undefined,
    });
    should(bare).containEql({
      apiKey: [],
      local: false,
      strict: false,
      logLevel: "info",
      logFormat: "pretty",
    });
    for (const variable of Object.keys(env)) should(helpText()).containEql(variable);
  });

  it("keeps data where programs of a user do, unless told otherwise", () => {
    const at = (platform: string, home: string, env: Record<string, string> = {}) =>
      defaultDataDir(env, { platform, home });
    should(at("linux", "/home/me")).equal("/home/me/.local/share/crec-local-service");
    should(at("linux", "/home/me", { XDG_DATA_HOME: "/mnt/data" })).equal("/mnt/data/crec-local-service");
    should(at("linux", "/home/me", { XDG_DATA_HOME: "data" })).equal(
      "/home/me/.local/share/crec-local-service",
    );
    should(at("darwin", "/Users/me")).equal("/Users/me/Library/Application Support/crec-local-service");
    should(at("win32", "C:\\Users\\me")).equal("C:\\Users\\me\\AppData\\Local\\crec-local-service");
    should(at("win32", "C:\\Users\\me", { LOCALAPPDATA: "D:\\data" })).equal("D:\\data\\crec-local-service");
  });

  it("shows its help, with npm and without", async () => {
    const script = fileURLToPath(new URL("../../scripts/service.ts", import.meta.url));
    for (const args of [
      [cli, "--help"],
      [cli, "-h"],
      [script, "--help"],
    ]) {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
      should(stdout).equal(`${helpText()}\n`);
      should(stderr).equal("");
    }
  });

  it("says in one sentence which option is wrong", async () => {
    const wrong = {
      "--port or CREC_SERVICE_PORT must be a whole number from 0 to 65535": ["--port", "x"],
      "--block-time or CREC_BLOCK_TIME must be a whole number": ["--block-time=-1"],
      "--confidence or CREC_CONFIDENCE must be one of latest, safe, finalized": ["--confidence", "sure"],
      "--confidence is empty. Name at least one value": ["--confidence", " , "],
      "--log-level or CREC_LOG_LEVEL must be one of trace": ["--log-level", "loud"],
      "--prot": ["--prot", "1"],
    };
    for (const [sentence, args] of Object.entries(wrong)) {
      should(() => readCommand(args, {})).throw(new RegExp(sentence));
    }
    should(() => readCommand([], { CREC_LOCAL: "maybe" })).throw(/CREC_LOCAL must be on or off/);
    const { exited, errors } = spawnCli(["--log-level", "loud"]);
    should(await exited).equal(1);
    should(errors()).match(/^\[\d\d:\d\d:\d\d\] FATAL: --log-level .*\n$/);
  });

  it("finishes running requests at a stop, and does not wait for idle clients", async () => {
    const folder = temporaryFolder();
    const { child, api, exited } = await spawnService(folder.path, { args: ["--block-time", "100"] });
    const silent = connect(Number(new URL(api.ready.base_url).port), "127.0.0.1");
    await once(silent, "connect");
    // It is paid in a block, which takes its time.
    const headers = { authorization: `Apikey ${api.ready.api_key}`, "content-type": "application/json" };
    const paying = request(`${api.ready.base_url}/local/faucet`, {
      method: "POST",
      headers: { ...headers, expect: "100-continue" },
    });
    paying.flushHeaders();
    // The service has the request.
    await once(paying, "continue");
    const answered = once(paying, "response") as Promise<[IncomingMessage]>;
    paying.end("{}");
    const started = Date.now();
    child.kill("SIGTERM");
    const [answer] = await answered;
    should(await json(answer)).have.property("transaction_hash");
    should(await exited).equal(0);
    should(Date.now() - started).be.below(30_000);
    silent.destroy();
    folder.dispose();
  });
});

describe("the log of the local service", function () {
  this.timeout(120_000);

  it("is one object per line for programs, without any secret", async () => {
    const folder = temporaryFolder();
    const key = "key-of-this-test-alone";
    const args = ["--log-format", "json", "--log-level", "trace"];
    const { child, ready, exited, errors } = await spawnService(folder.path, {
      args,
      env: { CREC_API_KEY: key },
    });
    const api = new Api(ready);
    await api.ok("POST", "/local/faucet", { amount: "1" });
    await api.call("GET", "/channels?name=some-name", undefined, { authorization: "Apikey a-wrong-one" });
    await api.call("POST", "/channels", { name: "" });
    child.kill("SIGTERM");
    await exited;
    folder.dispose();
    const lines = errors()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const line of lines) should(line).have.properties(["level", "time", "msg"]);
    should(lines[0]).containEql({ level: "info", msg: "Starting the local chain (anvil)." });
    should(lines).matchAny((line: unknown) =>
      should(line).containEql({ level: "debug", method: "GET", path: "/channels", status: 401 }),
    );
    should(errors()).not.match(new RegExp(`${key}|a-wrong-one|some-name|Apikey|0x[0-9a-f]{64}`, "i"));
  });

  it("hides fields with the name of a secret, also when they are logged by mistake", () => {
    const lines: string[] = [];
    const log = createLog({ format: "json", to: { write: (line) => lines.push(line) } });
    const secret = "do-not-tell";
    log.info({ apiKey: secret, wallet: { privateKey: secret }, headers: { authorization: secret } }, "oops");
    should(lines.join("")).not.match(/do-not-tell/);
  });

  it("is a line for people, with its fields at the end", () => {
    const lines: string[] = [];
    const log = createLog({ to: { write: (line) => lines.push(line) } });
    log.info("All is well.");
    log.warn({ watcher_id: "1", channel: "my channel" }, "It is stuck.");
    log.debug("Not logged.");
    should(lines.map((line) => line.replace(/^\[\d\d:\d\d:\d\d\] /, ""))).eql([
      "INFO: All is well.\n",
      'WARN: It is stuck. {"watcher_id":"1","channel":"my channel"}\n',
    ]);
  });

  it("shows only the origin of a node's URL", async () => {
    const lines: string[] = [];
    const to = { write: (line: string) => lines.push(line) };
    const rpcUrl = "http://127.0.0.1:1/v2/the-key-to-the-node";
    const problem = await startTestService({ rpcUrl, log: createLog({ level: "trace", to }) }).catch(String);
    should(`${problem} ${lines.join("")}`)
      .match(/No EVM node answers at http:\/\/127\.0\.0\.1:1 /)
      .and.not.match(/the-key-to-the-node/);
  });
});
