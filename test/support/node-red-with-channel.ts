import { NodeRed, UserDir } from "./node-red.ts";
import { SeededService } from "./seeded-service.ts";
import { flowEnvironment } from "./service.ts";

/** A real service with a channel of so many events, and a real Node-RED beside it; each can be ended and started again. */
export class NodeRedWithChannel {
  readonly service: SeededService;
  readonly userDir: UserDir;
  /** The one that was launched last. */
  nodeRed: NodeRed | undefined;

  private constructor(service: SeededService, userDir: UserDir) {
    this.service = service;
    this.userDir = userDir;
  }

  static async prepare(events: number): Promise<NodeRedWithChannel> {
    const [service, userDir] = await Promise.all([SeededService.start(events), UserDir.make()]);
    return new NodeRedWithChannel(service, userDir);
  }

  async launch(): Promise<NodeRed> {
    const environment = flowEnvironment(this.service.ready) as Record<string, string>;
    this.nodeRed = await NodeRed.start(this.userDir, environment);
    return this.nodeRed;
  }

  async close(): Promise<void> {
    await this.nodeRed?.kill();
    await this.service.close();
    await this.userDir.remove();
  }
}
