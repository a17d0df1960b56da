import type { RunningService } from "../../service/src/index.ts";
import { generatePrivateKey } from "../../src/index.ts";
import { type Borrowed, borrowNodeRed } from "./borrowed-node-red.ts";
import { example, type FlowNode, freshId, idOf, NODES_OF_EXAMPLES, NodeRed, UserDir } from "./node-red.ts";
import { flowEnvironment, startTestService } from "./service.ts";

/** Of a status, so that it lies over no other node. */
const LONGEST = 32;
const WORKS = /^(?:green|blue)$/;

export type ExampleOptions = {
  /** On top of what flows find in their environment under `npm start`. */
  env?: Record<string, string>;
  /** What a test cannot wait for, made shorter: the flows as they are deployed. */
  change?: (flows: FlowNode[]) => FlowNode[];
  /** Settings of a Node-RED of its own, as `NodeRedOptions` has them. */
  define?: readonly string[];
  /** With a Node-RED of its own, which can be restarted and killed. */
  alone?: boolean;
};

/** A shipped example before a service and a chain of its own, in a real Node-RED that other examples use too. */
export class RunningExample {
  readonly service: RunningService;
  readonly userDir: UserDir;
  readonly flows: readonly FlowNode[];
  readonly #environment: Record<string, string>;
  readonly #define: readonly string[];
  /** Of a Node-RED that is not its own. */
  readonly #giveBack: (() => Promise<void>) | undefined;
  #nodeRed: NodeRed;

  private constructor(
    service: RunningService,
    { nodeRed, userDir, giveBack }: Omit<Borrowed, "giveBack"> & Partial<Borrowed>,
    flows: FlowNode[],
    environment: Record<string, string>,
    define: readonly string[],
  ) {
    this.service = service;
    this.userDir = userDir;
    this.flows = flows;
    this.#environment = environment;
    this.#define = define;
    this.#giveBack = giveBack;
    this.#nodeRed = nodeRed;
  }

  static async start(name: string, options: ExampleOptions = {}): Promise<RunningExample> {
    const { env = {}, change, define = [], alone = define.length > 0 } = options;
    const [service, shipped] = await Promise.all([startTestService(), example(name)]);
    const environment = {
      ...(flowEnvironment(service.ready) as Record<string, string>),
      CREC_SIGNER_KEY: generatePrivateKey(),
      ...env,
    };
    const place = alone ? await ownPlace(environment, define) : await borrowNodeRed();
    const nodes = alone ? shipped : withNewConnections(shipped);
    const flows = change ? change(nodes) : nodes;
    const running = new RunningExample(service, place, flows, environment, define);
    await running.deploy(flows);
    return running;
  }

  /** Deploys the example, or other flows in its place, with the same environment. */
  async deploy(flows: readonly FlowNode[]): Promise<void> {
    await this.#nodeRed.deploy(this.#giveBack ? [...flows, environmentNode(this.#environment)] : flows);
  }

  /** What the flow finds in its environment. */
  get environment(): Readonly<Record<string, string>> {
    return this.#environment;
  }

  get nodeRed(): NodeRed {
    return this.#nodeRed;
  }

  /** The id of the node of this name. */
  id(type: string, name?: string): string {
    return idOf(this.flows, type, name);
  }

  /** Presses a button; `message` takes the place of what it would send. */
  press(button: string, message?: Record<string, unknown>): Promise<void> {
    return this.#nodeRed.press(this.id("inject", button), message);
  }

  /** What the debug node of this name shows next, counted from now on. */
  next<T>(debug: string, accept: (value: T) => boolean = () => true): Promise<T> {
    const before = new Set(this.#nodeRed.shown(debug));
    return this.#nodeRed
      .shows((shown) => shown.name === debug && !before.has(shown) && accept(shown.value as T))
      .then(({ value }) => value as T);
  }

  /** Everything the debug node of this name has shown. */
  values<T>(debug: string): T[] {
    return this.#nodeRed.shown(debug).map(({ value }) => value as T);
  }

  /** What the debug node of this name shows when a button is pressed. */
  async pressed<T>(button: string, debug: string, message?: Record<string, unknown>): Promise<T> {
    const shown = this.next<T>(debug);
    await this.press(button, message);
    return shown;
  }

  /** A call to the service, beside the flow. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { base_url, api_key } = this.service.ready;
    const headers = { Authorization: `Apikey ${api_key}` };
    const json = { headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(`${base_url}${path}`, {
      method,
      ...(body === undefined ? { headers } : json),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** The id of the channel that the examples share. */
  async channelId(): Promise<string> {
    const { data } = await this.call<{ data: [{ channel_id: string }] }>("GET", "/channels?name=quickstart");
    return data[0].channel_id;
  }

  /** Node-RED dies, and is started again with what it has on disk. */
  async restart(): Promise<void> {
    if (this.#giveBack) throw new Error("Other tests use this Node-RED: start the example with `alone`.");
    requireValues(this.#emptyShown());
    await this.#nodeRed.kill();
    this.#nodeRed = await NodeRed.start(this.userDir, this.#environment, {
      define: [NODES_OF_EXAMPLES, ...this.#define],
    });
  }

  async close(): Promise<void> {
    // A Node-RED that is given back forgets what it has shown.
    const empty = this.#emptyShown();
    const long = this.#longStatuses();
    if (this.#giveBack) await this.#giveBack();
    else await this.#nodeRed.kill();
    await this.service.close();
    if (!this.#giveBack) await this.userDir.remove();
    requireValues(empty);
    if (long.length > 0) throw new Error(`These statuses are longer than ${LONGEST} characters: ${long}`);
  }

  /** Of our nodes while they work: a status of a problem says as much as it needs. */
  #longStatuses(): string[] {
    const ours = this.flows.filter(({ type }) => type.startsWith("crec-"));
    const working = ours
      .flatMap(({ id }) => this.#nodeRed.statuses(id))
      .filter(({ fill }) => WORKS.test(fill ?? ""));
    return [...new Set(working.map(({ text = "" }) => text))].filter((text) => text.length > LONGEST);
  }

  /** A debug node that shows nothing looks at a property that does not exist. */
  #emptyShown(): string[] {
    const empty = this.#nodeRed.shown().filter(({ value }) => value === "(undefined)");
    return empty.map(({ name }) => name);
  }
}

function requireValues(empty: readonly string[]): void {
  if (empty.length > 0) throw new Error(`These debug nodes show undefined: ${empty}`);
}

/** Node-RED remembers which service the key of a connection was entered for: that of another example is another. */
function withNewConnections(flows: FlowNode[]): FlowNode[] {
  const connections = flows.filter(({ type }) => type === "crec-connection");
  const text = connections.reduce((all, { id }) => all.replaceAll(id, freshId()), JSON.stringify(flows));
  return JSON.parse(text) as FlowNode[];
}

async function ownPlace(env: Record<string, string>, define: readonly string[]) {
  const userDir = await UserDir.make();
  return { nodeRed: await NodeRed.start(userDir, env, { define: [NODES_OF_EXAMPLES, ...define] }), userDir };
}

/** What a Node-RED that was started before finds in its environment. */
export function environmentNode(environment: Record<string, string>): FlowNode {
  const env = Object.entries(environment).map(([name, value]) => ({ name, value, type: "str" }));
  return { id: freshId(), type: "global-config", name: "", env, modules: {} };
}
