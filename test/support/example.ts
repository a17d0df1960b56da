import type { RunningService } from "../../service/src/index.ts";
import { generatePrivateKey } from "../../src/index.ts";
import { example, type FlowNode, idOf, NodeRed, UserDir } from "./node-red.ts";
import { flowEnvironment, startTestService } from "./service.ts";

export type ExampleOptions = {
  /** On top of what flows find in their environment under `npm start`. */
  env?: Record<string, string>;
  /** What a test cannot wait for, made shorter: the flows as they are deployed. */
  change?: (flows: FlowNode[]) => FlowNode[];
  /** Settings of Node-RED, as `NodeRedOptions` has them. */
  define?: readonly string[];
};

/** A shipped example in a real Node-RED, before a service and a chain of its own. */
export class RunningExample {
  readonly service: RunningService;
  readonly userDir: UserDir;
  readonly flows: readonly FlowNode[];
  readonly #environment: Record<string, string>;
  readonly #define: readonly string[];
  #nodeRed: NodeRed;

  private constructor(
    service: RunningService,
    userDir: UserDir,
    flows: FlowNode[],
    environment: Record<string, string>,
    define: readonly string[],
    nodeRed: NodeRed,
  ) {
    this.service = service;
    this.userDir = userDir;
    this.flows = flows;
    this.#environment = environment;
    this.#define = define;
    this.#nodeRed = nodeRed;
  }

  static async start(
    name: string,
    { env = {}, change, define = [] }: ExampleOptions = {},
  ): Promise<RunningExample> {
    const [service, userDir, shipped] = await Promise.all([
      startTestService(),
      UserDir.make(),
      example(name),
    ]);
    const environment = {
      ...(flowEnvironment(service.ready) as Record<string, string>),
      CREC_SIGNER_KEY: generatePrivateKey(),
      ...env,
    };
    const nodeRed = await NodeRed.start(userDir, environment, { define });
    const flows = change ? change(shipped) : shipped;
    await nodeRed.deploy(flows);
    return new RunningExample(service, userDir, flows, environment, define, nodeRed);
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
    this.#requireValues();
    await this.#nodeRed.kill();
    this.#nodeRed = await NodeRed.start(this.userDir, this.#environment, { define: this.#define });
  }

  async close(): Promise<void> {
    await this.#nodeRed.kill();
    await this.service.close();
    await this.userDir.remove();
    this.#requireValues();
  }

  /** A debug node that shows nothing looks at a property that does not exist. */
  #requireValues(): void {
    const empty = this.#nodeRed.shown().filter(({ value }) => value === "(undefined)");
    if (empty.length > 0)
      throw new Error(`These debug nodes show undefined: ${empty.map(({ name }) => name)}`);
  }
}
