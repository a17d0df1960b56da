import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import {
  CrecClient,
  eventFragments,
  generatePrivateKey,
  localEcdsaSigner,
  parseAbi,
} from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { ALL_NODES, NodeRed, UserDir } from "../support/node-red.ts";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";
import { hasRedis, RedisServer } from "../support/redis.ts";
import { startTestService } from "../support/service.ts";
import {
  type Copy,
  configFolder,
  copyInCompose,
  copyInKubernetes,
  kubernetesObjects,
  namesInEnvFile,
  podOf,
  readDeployed,
  root,
} from "./manifests.ts";

const endWithParent = new URL("../../scripts/lib/end-with-parent.mjs", import.meta.url).href;
/** OpenShift chooses such an id, of no known user, in the group of root. Only root can start a process with it. */
const SOMEBODY: { uid?: number; gid?: number } =
  process.getuid?.() === 0 ? { uid: 1_000_660_000, gid: 0 } : {};
const CHANNEL = "deployed";
const TRANSFER = "event Transfer(address indexed from, address indexed to, uint256 value)";
const TOKEN = "a-token-that-is-long-enough";

/** On a busy machine. */
const READY_MS = 60_000;

type Variables = Readonly<Record<string, string>>;
type Ended = { code: number | null; output: string };

describe("the files of the guide to deploying, run as processes", function () {
  this.timeout(240_000);

  let service: Awaited<ReturnType<typeof startTestService>>;
  let variables: Variables;
  let running: Running[] = [];
  before(async () => {
    service = await startTestService();
    variables = await prepareAccount(service.ready);
  });
  afterEach(async () => {
    await Promise.all(running.map((copy) => copy.remove()));
    running = [];
  });
  after(() => service?.close());

  async function start(copy: Copy, more: Variables = {}): Promise<Running> {
    const started = await Running.start(copy, { ...variables, ...more });
    running.push(started);
    return started;
  }

  for (const [file, read] of [
    ["kubernetes-volume.yaml", copyInKubernetes],
    ["compose.yaml", copyInCompose],
  ] as const) {
    it(`${file}: becomes ready, processes events, and continues in the next container`, async () => {
      const copy = await start(read(readDeployed(file)));
      await copy.becomesReady();
      for (let sent = 0; sent < 2; sent += 1) await sendTransfer(service.ready);
      await eventually("two events in the log", () => copy.processed().length >= 2);
      await copy.stop();

      const before = copy.processed();
      await copy.startAgain();
      await copy.becomesReady();
      await sendTransfer(service.ready);
      const after = await eventually("the next event in the log", () => {
        const lines = copy.processed().slice(before.length);
        return lines.some((line) => !before.includes(line)) && lines;
      });
      // It does not begin again.
      should(after).not.containEql(before[0]);
      should(copy.complaints()).be.empty();
    });
  }

  it("the liveness probe is answered while the readiness probe fails, which says why", async () => {
    const copy = copyInKubernetes(readDeployed("kubernetes-volume.yaml"));
    const refused = await start(copy, { CREC_API_KEY: "another-key" });
    await refused.isRefused("key_refused");
    should(await refused.isAlive()).be.true();
  });

  it("the references of the guide: variables of the process, of which an unset one is no value", async () => {
    const page = await readFile(join(root, "docs/deploying.md"), "utf8");
    const [, references = ""] = /```json\n([^`]*\$\{CREC_SIGNER_KEY\}[^`]*)```/.exec(page) ?? [];
    const [signer = "", fleet = ""] = Object.keys(JSON.parse(references) as object);
    const unset = "0000000000000001";
    const userDir = await UserDir.make();
    try {
      const flows = [
        ...[signer, unset].map((id) => ({ id, type: "crec-signer", name: "signing key", version: 1 })),
        { id: fleet, type: "crec-fleet", name: "shared state", servers: "url", lease: "15", version: 1 },
      ];
      const more = { [unset]: { privateKey: "${THAT_NOBODY_SETS}" } };
      const credentials = JSON.stringify({ ...(JSON.parse(references) as object), ...more });
      await writeFile(join(userDir.path, "flows.json"), JSON.stringify(flows));
      await writeFile(join(userDir.path, "flows_cred.json"), credentials);
      const key = generatePrivateKey();
      const env = {
        CREC_SIGNER_KEY: key,
        STATE_URL: `redis://:${TOKEN}@127.0.0.1:1`,
        SENTINEL_PASSWORD: TOKEN,
      };
      const nodeRed = await NodeRed.start(userDir, env, {
        define: ["credentialSecret=false", "readOnly=true"],
      });
      try {
        const address = async (id: string) => {
          const response = await nodeRed.fetch(`crec/signer/address/${id}`);
          return ((await response.json()) as { address?: string }).address;
        };
        // It answers before the flows have started.
        const known = await eventually("the address of the signer", () => address(signer));
        should(known).equal(localEcdsaSigner(key).address);
        should(await address(unset)).equal("");
        const body = JSON.stringify({ id: fleet, url: "__PWRD__", servers: "url", lease: "15" });
        const headers = { "content-type": "application/json" };
        const tested = await nodeRed.fetch("crec/fleet/test", { method: "POST", headers, body });
        should(await tested.json())
          .have.property("problem")
          .match(/Redis at 127\.0\.0\.1:1\b/);
        should(await readFile(join(userDir.path, "flows_cred.json"), "utf8")).equal(credentials);
      } finally {
        await nodeRed.stop();
      }
    } finally {
      await userDir.remove();
    }
  });

  (hasRedis() ? it : it.skip)("kubernetes.yaml: one of two copies reads, the other takes over", async () => {
    const text = readDeployed("kubernetes.yaml");
    const redis = await startRedis(text);
    try {
      const copy = copyInKubernetes(text);
      const here = { REDIS_PASSWORD: redis.password, "crec-redis:6379": `127.0.0.1:${redis.port}` };
      const copies = await Promise.all([start(copy, here), start(copy, here)]);
      await Promise.all(copies.map((one) => one.becomesReady()));
      await sendTransfer(service.ready);
      const reader = await eventually("the event in a log", () =>
        copies.find((one) => one.processed().length > 0),
      );
      const standby = copies.find((one) => one !== reader) as Running;
      should(standby.processed()).be.empty();
      const stopping = performance.now();
      await reader.stop();
      should((performance.now() - stopping) / 1_000).be.below(copy.graceSeconds);
      await sendTransfer(service.ready);
      await eventually("the next event in the other log", () =>
        standby.processed().some((line) => !reader.processed().includes(line)),
      );
      for (const one of copies) should(one.complaints()).be.empty();

      const wrong = await start(copy, { ...here, REDIS_PASSWORD: "wrong" });
      await wrong.isRefused("shared_state_refused");
    } finally {
      await redis.remove();
    }
  });

  (hasPostgres() ? it : it.skip)("kubernetes.yaml with PostgreSQL: several hosts, and a pooler", async () => {
    const postgres = await PostgresServer.start();
    try {
      const { env, ...copy } = copyInKubernetes(readDeployed("kubernetes.yaml"));
      const url = postgres.url.replace("@", "@127.0.0.1:1,").concat("?sslmode=prefer&prepare=false");
      const others = env.filter(({ name }) => name !== "CREC_FLEET_URL");
      const one = await start({ ...copy, env: [...others, { name: "CREC_FLEET_URL", value: url }] });
      await one.becomesReady();
      await sendTransfer(service.ready);
      await eventually("the event in the log", () => one.processed().length);
    } finally {
      await postgres.remove();
    }
  });
});

/** Node-RED, started as a manifest says, by a user without rights, from folders that stand for its volumes. */
class Running {
  readonly #copy: Copy;
  readonly #variables: Variables;
  readonly #folder: string;
  readonly #port: number;
  #child: ChildProcess | undefined;
  #log = "";

  private constructor(copy: Copy, variables: Variables, parts: { folder: string; port: number }) {
    this.#copy = copy;
    this.#variables = variables;
    this.#folder = parts.folder;
    this.#port = parts.port;
  }

  static async start(copy: Copy, variables: Variables): Promise<Running> {
    // Not in the folder of the tests: only their own user can enter that.
    const folder = await mkdtemp("/tmp/crec-deployed-");
    await chmod(folder, 0o755);
    for (const { path, isReadOnly } of copy.mounts) {
      const place = join(folder, path);
      if (isReadOnly) {
        await cp(configFolder, place, { recursive: true });
        for (const file of await readdir(place)) await chmod(join(place, file), 0o444);
      } else {
        await mkdir(place);
        if (SOMEBODY.uid !== undefined) await chown(place, SOMEBODY.uid, SOMEBODY.gid ?? 0);
      }
      await chmod(place, isReadOnly ? 0o555 : 0o770);
    }
    const running = new Running(copy, variables, { folder, port: await freePort() });
    await running.startAgain();
    return running;
  }

  async startAgain(): Promise<void> {
    const image = join(root, "containers/node-red/start.mjs");
    // The image has the nodes beside Node-RED. Nodes that nobody uses are left out, so that it starts sooner.
    const here = [`nodesDir=${JSON.stringify([root])}`, ALL_NODES, "uiHost=127.0.0.1"];
    const args = [...this.#copy.args.map((arg) => this.#mapped(arg)), ...here.flatMap((one) => ["-D", one])];
    const child = this.#spawn(["--import", endWithParent, image, ...args]);
    child.stdout?.on("data", (chunk: Buffer) => {
      this.#log += chunk;
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#log += chunk;
    });
    this.#child = child;
  }

  /** Runs the readiness probe until it succeeds, as the other ones must then. */
  async becomesReady(): Promise<void> {
    try {
      const isReady = async () => (await this.probe()).code === 0;
      await eventually("the readiness probe to succeed", isReady, { pauseMs: 500, withinMs: READY_MS });
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.#log.slice(-3_000)}`);
    }
    should(await this.isAlive()).be.true();
  }

  /** Runs the readiness probe until it fails for a reason. */
  async isRefused(reason: string): Promise<void> {
    const said = ({ output }: Ended) => output.startsWith("503") && output.includes(reason);
    const { code } = await eventually(reason, () => this.probe(), said, { withinMs: READY_MS });
    should(code).equal(1);
  }

  /** Runs the readiness probe. */
  async probe(): Promise<Ended> {
    const [program, ...args] = this.#copy.ready.map((arg) => this.#mapped(arg));
    should(program).equal("node");
    const child = this.#spawn(args);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        output += chunk;
      });
    }
    const [code] = (await once(child, "close")) as [number | null];
    return { code, output };
  }

  /** Whether the paths of the other probes answer. */
  async isAlive(): Promise<boolean> {
    const answers = await Promise.all(
      this.#copy.live.map((path) => fetch(`http://127.0.0.1:${this.#port}${path}`)),
    );
    return answers.every(({ status }) => status === 200);
  }

  /** What the flow has logged of each event. */
  processed(): string[] {
    return this.#log.match(/transfer of .* event \S+/g) ?? [];
  }

  /** What the log says about files that cannot be written. */
  complaints(): string[] {
    return this.#log.split("\n").filter((line) => /\[error\]|EACCES|EROFS|EPERM/.test(line));
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    await exit;
  }

  async remove(): Promise<void> {
    await this.stop();
    // What cannot be written cannot be emptied either, unless by root.
    for (const { path } of this.#copy.mounts.filter(({ isReadOnly }) => isReadOnly))
      await chmod(join(this.#folder, path), 0o755);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }

  #spawn(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, args, {
      ...SOMEBODY,
      cwd: "/",
      env: this.#environment(),
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
  }

  #environment(): NodeJS.ProcessEnv {
    const { PATH, TMPDIR } = process.env;
    // Without a known user, the home of a container is the root folder.
    const env: Record<string, string> = { HOME: "/", PORT: String(this.#port) };
    for (const name of namesInEnvFile()) env[name] = this.#variables[name] ?? "";
    for (const { name, value } of this.#copy.env) {
      const expanded = value.replaceAll(/\$\((\w+)\)/g, (whole, known: string) => env[known] ?? whole);
      env[name] = this.#mapped(expanded);
    }
    return { ...env, PATH, TMPDIR };
  }

  /** Where a path of the container is here, or a server of the cluster. */
  #mapped(text: string): string {
    const isMounted = this.#copy.mounts.some(({ path }) => `${text}/`.startsWith(`${path}/`));
    if (isMounted) return join(this.#folder, text);
    return Object.entries(this.#variables).reduce(
      (result, [name, value]) => (name.includes(":") ? result.replace(name, value) : result),
      text,
    );
  }
}

type Ready = Awaited<ReturnType<typeof startTestService>>["ready"];

/** A channel with a watcher, as the flow expects it, and the variables of `.env`. */
async function prepareAccount(ready: Ready): Promise<Variables> {
  const client = new CrecClient({ baseUrl: ready.base_url, apiKey: ready.api_key });
  const address = ready.contracts.DemoToken ?? "";
  const { channel_id } = await client.channels.create({ name: CHANNEL });
  const { watcher_id } = await client.watchers.create(channel_id, {
    ...{ name: "transfers", chain_selector: ready.chain_selector, address },
    ...{ events: ["Transfer"], abi: eventFragments(parseAbi(TRANSFER), ["Transfer"]) },
  });
  await client.watchers.waitFor(channel_id, watcher_id, { target: "active" });
  await client.close();
  return {
    CREC_BASE_URL: ready.base_url,
    CREC_GRAPHQL_URL: ready.graphql_url,
    CREC_API_KEY: ready.api_key,
    CREC_ORG_ID: ready.org_id,
    CREC_TENANT_ID: ready.cre_tenant_id,
    CREC_VALID_SIGNERS: ready.valid_signers.join(","),
    CREC_MIN_SIGNATURES: String(ready.min_required_signatures),
    CREC_CHANNEL: CHANNEL,
    CREC_CHAIN_SELECTOR: ready.chain_selector,
    CREC_TOKEN_ADDRESS: address,
    CREC_MONITORING_TOKEN: TOKEN,
  };
}

async function sendTransfer(ready: Ready): Promise<void> {
  const response = await fetch(new URL("/local/faucet", ready.base_url), {
    method: "POST",
    headers: { authorization: `Apikey ${ready.api_key}`, "content-type": "application/json" },
    body: JSON.stringify({ to: "0x0000000000000000000000000000000000000D12", amount: "1000000000000000000" }),
  });
  should(response.ok).be.true();
}

/** With the arguments of the manifest; its folder and its password are those of the test. */
function startRedis(text: string): Promise<RedisServer> {
  const [, ...args] = podOf(kubernetesObjects(text), "crec-redis").containers[0].args;
  return RedisServer.start({ settings: args.filter((arg) => !/^--(?:dir|requirepass) /.test(arg)) });
}
