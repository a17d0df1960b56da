import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "./eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** How long something may take that takes a moment on a machine with nothing else to do. */
const WAIT_MS = 60_000;

/** Each start would run npm, to see whether it can install nodes: a fifth of its time. */
export const MAY_INSTALL = "externalModules.palette.allowInstall";
/** Node-RED's own nodes that hardly a test and no example uses: a quarter of the processor time of a start. */
const UNUSED = [
  ...["16-range.js", "18-sort.js", "19-batch.js", "22-websocket.js", "23-watch.js"],
  ...["31-tcpin.js", "32-udp.js", "70-HTML.js", "70-JSON.js", "70-XML.js", "70-YAML.js"],
  ...["80-template.js", "90-exec.js"],
];
/** Those that examples use and tests of nodes do not: a sixth. */
const OF_EXAMPLES = ["10-mqtt.js", "21-httprequest.js"];
/**
 * The packages that have no nodes. Node-RED reads the description of each installed package to see that: a fifth of the
 * processor time of a start.
 */
const WITHOUT_NODES = packagesWithoutNodes(join(root, "node_modules"));
const without = (...files: string[]) => `nodesExcludes=${JSON.stringify([...files, ...WITHOUT_NODES])}`;
/** For a start with those of examples. */
export const NODES_OF_EXAMPLES = without(...UNUSED);
/** For a start with all of them. */
export const ALL_NODES = without();
/** The palettes of single examples, which each start would load. */
const E_MAIL = "node-red-node-email";
const DASHBOARD = "@flowfuse/node-red-dashboard";
const denied = (...palettes: string[]) => `externalModules.palette.denyList=${JSON.stringify(palettes)}`;
/** For a start with the nodes for e-mail. */
export const WITH_E_MAIL = denied(DASHBOARD);
/** For a start with the nodes of Dashboard 2. */
export const WITH_DASHBOARD = denied(E_MAIL);
const DEFINED = [
  "debugMaxLength=100000",
  "nodeCloseTimeout=15000",
  `${MAY_INSTALL}=false`,
  denied(E_MAIL, DASHBOARD),
  without(...UNUSED, ...OF_EXAMPLES),
];

const CONNECTED = "connected";
/** What events in says instead until its first event, where it had no place to go on from. */
const STARTED = "started-";

/** Ends a process when the one that started it is gone, however it died. */
const endWithParent = new URL("../../scripts/lib/end-with-parent.mjs", import.meta.url).href;
/** Rehearsals would wait for all other tests. */
const samePriority = fileURLToPath(new URL("same-priority.cjs", import.meta.url));
const textsOfNodeRed = fileURLToPath(new URL("node-red-texts.cjs", import.meta.url));

export type FlowNode = { id: string; type: string; name?: string; [property: string]: unknown };

/** What a debug node showed: the name it carries, and the value, parsed where it was an object. */
export type Shown = { name: string; topic: string | undefined; value: unknown };

/** A status as it stands under a node. */
export type NodeStatus = { id: string; fill?: string; shape?: string; text?: string; code?: string };

/** How a process is started other than usually. */
export type NodeRedOptions = {
  /** A settings file instead of the one of `npm start`. */
  settings?: string;
  /** Single settings, as `logging.console.level=trace`. */
  define?: readonly string[];
  /** Sent with each call to the editor's API, where that asks who is there. */
  token?: string;
  /** Another Node.js and another Node-RED, as users have them: with all their nodes. */
  program?: { node: string; red: string };
  /** Runs it as another user; the user directory has to be theirs. */
  user?: { uid: number; gid: number };
};

/** A user directory that outlives the Node-RED processes that use it. */
export class UserDir {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** In a temporary folder of its own, or in this one. */
  static async make(folder?: string): Promise<UserDir> {
    const path = folder ?? (await mkdtemp(join(tmpdir(), "crec-node-red-")));
    await mkdir(path, { recursive: true });
    await writeFile(join(path, "credential-secret"), randomBytes(32).toString("hex"));
    return new UserDir(path);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A real Node-RED process with our built nodes, driven as the editor drives it. */
export class NodeRed {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #log: string[];
  readonly #shown: Shown[] = [];
  readonly #statuses = new Map<string, NodeStatus[]>();
  /** Of the status that comes next, by node. */
  readonly #codes = new Map<string, { code?: string }>();
  readonly #listeners = new Set<() => void>();
  readonly #heard: string[] = [];
  readonly #token: string | undefined;
  #socket: WebSocket | undefined;
  /** The revision of the flows that run. */
  #running: string | undefined;

  private constructor(child: ChildProcess, url: string, log: string[], token: string | undefined) {
    this.#child = child;
    this.url = url;
    this.#log = log;
    this.#token = token;
  }

  /** `env` is what flows find in their environment. */
  static async start(
    userDir: UserDir,
    env: Readonly<Record<string, string>> = {},
    options: NodeRedOptions = {},
  ): Promise<NodeRed> {
    const settings = options.settings ?? join(root, "scripts/node-red-settings.cjs");
    const ofTests = options.program ? [] : DEFINED;
    const defined = [...ofTests, ...(options.define ?? [])].flatMap((one) => ["-D", one]);
    const { node, red } = options.program ?? {
      node: process.execPath,
      red: join(root, "node_modules/node-red/red.js"),
    };
    const preloaded = options.program ? [] : ["--require", samePriority, "--require", textsOfNodeRed];
    const child = spawn(
      node,
      [
        ...["--import", endWithParent, ...preloaded, red],
        ...["--settings", settings, "--userDir", userDir.path, "--port", "0", ...defined],
      ],
      {
        env: { ...process.env, ...env, CREC_CREDENTIAL_SECRET_FILE: join(userDir.path, "credential-secret") },
        stdio: ["ignore", "pipe", "pipe", "ipc"],
        ...options.user,
      },
    );
    const log: string[] = [];
    child.stdout?.on("data", (chunk: Buffer) => log.push(chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => log.push(chunk.toString()));
    const ended = once(child, "exit").then(() => {
      throw new Error(`Node-RED ended before it listened:\n${log.join("")}`);
    });
    ended.catch(() => {});
    const [{ port }] = (await Promise.race([once(child, "message"), ended])) as [{ port: number }];
    const nodeRed = new NodeRed(child, `http://127.0.0.1:${port}/`, log, options.token);
    await nodeRed.#listen();
    return nodeRed;
  }

  /** Of the process. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Everything the process printed. */
  get log(): string {
    return this.#log.join("");
  }

  /** Everything the editor was told, as it was sent. */
  get heard(): string {
    return this.#heard.join("\n");
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** `nodes` restarts only the nodes that changed, and those that use them. */
  async deploy(flows: readonly FlowNode[], type: "full" | "flows" | "nodes" = "full"): Promise<void> {
    // Node-RED listens a moment before it has read its flows, and would lose what is deployed in between.
    await eventually("flows that Node-RED has read", async () => (await this.#admin("GET", "flows")).json());
    // The same flows again have the same revision: what was told about it before is of no use.
    this.#running = undefined;
    const response = await this.#admin("POST", "flows", { flows }, { "Node-RED-Deployment-Type": type });
    if (!response.ok) throw new Error(`The deploy was refused: ${await response.text()}`);
    // It answers when the old flows have stopped; the new ones run once it says so.
    const { rev } = (await response.json()) as { rev: string };
    await this.runs(rev);
  }

  /** Waits until the flows of a revision have started. */
  async runs(revision: string): Promise<void> {
    await this.#until(
      () => this.#running === revision || undefined,
      () => "the flows did not start",
      WAIT_MS,
    );
  }

  /** Takes the flows away, and forgets what they showed: as it was when it had just started. */
  async clear(): Promise<void> {
    await this.deploy([]);
    this.#log.length = 0;
    this.#heard.length = 0;
    this.#shown.length = 0;
    this.#statuses.clear();
  }

  /** Presses the button of an inject node; `message` takes the place of what it would send. */
  async press(id: string, message?: Record<string, unknown>): Promise<void> {
    const props =
      message && Object.entries(message).map(([p, v]) => ({ p, v: JSON.stringify(v), vt: "json" }));
    const response = await this.#admin("POST", `inject/${id}`, props && { __user_inject_props__: props });
    if (!response.ok) throw new Error(`There is no button ${id}: HTTP ${response.status}`);
  }

  /** On a connection of its own: Node-RED closes an idle one after 5 s, in the same moment as a request may use it. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("Connection", "close");
    return fetch(new URL(path, this.url), { ...init, headers });
  }

  /** What debug nodes have shown so far, oldest first. */
  shown(name?: string): Shown[] {
    return name === undefined ? [...this.#shown] : this.#shown.filter((shown) => shown.name === name);
  }

  /** Each status a node has had, oldest first. */
  statuses(id: string): NodeStatus[] {
    return this.#statuses.get(id) ?? [];
  }

  /** Waits for what a debug node of this name shows and `accept` takes. */
  showing(
    name: string,
    accept: (value: unknown) => boolean = () => true,
    timeoutMs = WAIT_MS,
  ): Promise<Shown> {
    return this.#until(
      () => this.#shown.find((shown) => shown.name === name && accept(shown.value)),
      () =>
        `the debug node "${name}" did not show what was waited for; it showed ${JSON.stringify(this.shown(name))}`,
      timeoutMs,
    );
  }

  /** Waits for the first thing shown by any debug node that `accept` takes. */
  shows(accept: (shown: Shown) => boolean, timeoutMs = WAIT_MS): Promise<Shown> {
    return this.#until(
      () => this.#shown.find(accept),
      () => `no debug node showed what was waited for; they showed ${JSON.stringify(this.#shown.slice(-5))}`,
      timeoutMs,
    );
  }

  /**
   * Waits until a node's status has this code now, or this text, or one that looks like this. "connected" also stands for
   * the codes that say where reading starts.
   */
  status(
    id: string,
    wanted: string | RegExp | ((status: NodeStatus) => boolean),
    timeoutMs = WAIT_MS,
  ): Promise<NodeStatus> {
    const isWanted = (status: NodeStatus) => {
      if (typeof wanted === "function") return wanted(status);
      const { text = "", code = text } = status;
      if (typeof wanted !== "string") return wanted.test(text);
      return [code, text].includes(wanted) || (wanted === CONNECTED && code.startsWith(STARTED));
    };
    return this.#until(
      () => {
        const latest = this.statuses(id).at(-1);
        return latest && isWanted(latest) ? latest : undefined;
      },
      () => `the status of ${id} is ${JSON.stringify(this.statuses(id).at(-1))}, not ${wanted}`,
      timeoutMs,
    );
  }

  /** Has the process stand still until it is to go on, as a laptop that sleeps does. */
  suspend(): void {
    this.#child.kill("SIGSTOP");
  }

  goOn(): void {
    this.#child.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#socket?.close();
    if (!this.running) return;
    const exit = once(this.#child, "exit");
    this.#child.kill(signal);
    await exit;
  }

  #admin(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const authorization = this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` };
    return this.fetch(path, {
      method,
      headers: {
        "Content-Type": "application/json",
        "Node-RED-API-Version": "v2",
        ...authorization,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** Subscribes to what the editor's debug sidebar and statuses are fed from. */
  async #listen(): Promise<void> {
    const socket = new WebSocket(`${this.url.replace("http", "ws")}comms`);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", reject, { once: true });
    });
    this.#socket = socket;
    if (this.#token !== undefined) {
      const admitted = new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
      socket.send(JSON.stringify({ auth: this.#token }));
      await admitted;
    }
    for (const topic of ["debug", "status-code/#", "status/#", "notification/#"])
      socket.send(JSON.stringify({ subscribe: topic }));
    socket.addEventListener("message", ({ data }) => {
      this.#heard.push(String(data));
      const messages = JSON.parse(String(data)) as Array<{ topic?: string; data?: Record<string, unknown> }>;
      for (const { topic, data: content } of messages) this.#take(topic ?? "", content ?? {});
      for (const listener of this.#listeners) listener();
    });
  }

  #take(topic: string, content: Record<string, unknown>): void {
    if (topic === "debug") {
      const { name, topic: messageTopic, msg, format } = content;
      const parsed =
        typeof msg === "string" && /^(Object|array|error)/.test(String(format)) ? JSON.parse(msg) : msg;
      this.#shown.push({ name: String(name), topic: messageTopic as string | undefined, value: parsed });
    } else if (topic === "notification/runtime-deploy") {
      this.#running = String(content.revision);
    } else if (topic.startsWith("status-code/")) this.#codes.set(topic.slice("status-code/".length), content);
    else if (topic.startsWith("status/")) {
      const id = topic.slice("status/".length);
      this.#statuses.set(id, [...this.statuses(id), { id, ...content, ...this.#codes.get(id) }]);
    }
  }

  async #until<T>(look: () => T | undefined, explain: () => string, timeoutMs: number): Promise<T> {
    const found = look();
    if (found !== undefined) return found;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#listeners.delete(check);
        reject(new Error(`After ${timeoutMs} ms ${explain()}\n${this.log.slice(-2_000)}`));
      }, timeoutMs);
      const check = () => {
        const now = look();
        if (now === undefined) return;
        clearTimeout(timer);
        this.#listeners.delete(check);
        resolve(now);
      };
      this.#listeners.add(check);
    });
  }
}

/** A shipped example as it is imported. */
export async function example(name: string): Promise<FlowNode[]> {
  return JSON.parse(await readFile(join(root, "examples", `${name}.json`), "utf8")) as FlowNode[];
}

export function idOf(flows: readonly FlowNode[], type: string, name?: string): string {
  const found = flows.find((node) => node.type === type && (name === undefined || node.name === name));
  if (!found) throw new Error(`There is no ${type} named "${name}" in these flows.`);
  return found.id;
}

/** By the convention for names of packages with nodes. */
function packagesWithoutNodes(folder: string): string[] {
  // A clone may be in a folder with the name of a package.
  const parents = folder.split(sep);
  const names = readdirSync(folder).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(folder, name)) : [name],
  );
  return names.filter((name) => !/^(?:node-red-|\.)/.test(name) && !parents.includes(name));
}

/** An id for a node that a test makes up. */
export function freshId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 16);
}
