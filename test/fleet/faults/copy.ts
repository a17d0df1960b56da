import { fileURLToPath } from "node:url";
import { NodeRed, UserDir } from "../../support/node-red.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import type { FleetChain } from "./chain.ts";
import type { Engine } from "./engine.ts";
import { fleetFlow } from "./flow.ts";

const settings = fileURLToPath(new URL("settings.cjs", import.meta.url));

/** One Node-RED of the fleet, with a user directory and connections of its own. Its disk survives a kill. */
export class Copy {
  readonly name: string;
  /** Between it and the database. */
  readonly toEngine: TcpProxy;
  /** Between it and the service. */
  readonly toService: TcpProxy;
  readonly #userDir: UserDir;
  readonly #environment: Record<string, string>;
  #nodeRed: NodeRed | undefined;
  #suspended = false;

  private constructor(
    name: string,
    parts: { toEngine: TcpProxy; toService: TcpProxy; userDir: UserDir; environment: Record<string, string> },
  ) {
    this.name = name;
    this.toEngine = parts.toEngine;
    this.toService = parts.toService;
    this.#userDir = parts.userDir;
    this.#environment = parts.environment;
  }

  /** @param clockAheadMs by how much its wall clock is wrong */
  static async prepare(
    name: string,
    parts: { engine: Engine; chain: FleetChain; recordPath: string; clockAheadMs: number },
  ): Promise<Copy> {
    const [toEngine, toService, userDir] = await Promise.all([
      TcpProxy.before(`http://127.0.0.1:${parts.engine.port}`),
      TcpProxy.before(parts.chain.service.ready.base_url),
      UserDir.make(),
    ]);
    const environment = {
      CREC_FLEET_URL: parts.engine.urlAt(toEngine.port),
      FLEET_RECORD: parts.recordPath,
      FLEET_COPY: name,
      FLEET_CLOCK_AHEAD_MS: String(parts.clockAheadMs),
      FLEET_SERVICE_PORT: new URL(parts.chain.service.ready.base_url).port,
      FLEET_SERVICE_ROUTE: String(toService.port),
    };
    return new Copy(name, { toEngine, toService, userDir, environment });
  }

  /** With the flows that it had, if any. */
  async start(): Promise<void> {
    this.#nodeRed = await NodeRed.start(this.#userDir, this.#environment, { settings });
  }

  get nodeRed(): NodeRed {
    if (this.#nodeRed === undefined) throw new Error(`Copy ${this.name} was not started.`);
    return this.#nodeRed;
  }

  get isRunning(): boolean {
    return this.#nodeRed?.running === true && !this.#suspended;
  }

  /** Restarts all its nodes. */
  async deploy(chain: FleetChain, inFlight: number): Promise<void> {
    await this.nodeRed.deploy(fleetFlow(chain, inFlight));
  }

  suspend(): void {
    this.#suspended = true;
    this.nodeRed.suspend();
  }

  goOn(): void {
    this.nodeRed.goOn();
    this.#suspended = false;
  }

  async close(): Promise<void> {
    await this.#nodeRed?.kill();
    await Promise.all([this.toEngine.close(), this.toService.close(), this.#userDir.remove()]);
  }
}
