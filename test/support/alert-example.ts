import { setTimeout as sleep } from "node:timers/promises";
import { type ExampleOptions, RunningExample } from "./example.ts";
import { Outlet } from "./outlet.ts";

/** What an outlet received of the examples that tell people. */
export type Told = { id: string; title: string; text: string; severity: string };

const ALERTS = "/alerts";

/** An example whose alerts go to an HTTP server, set up and reading events. */
export class AlertExample {
  readonly flow: RunningExample;
  readonly outlet: Outlet;

  private constructor(flow: RunningExample, outlet: Outlet) {
    this.flow = flow;
    this.outlet = outlet;
  }

  static async start(name: string, options: ExampleOptions = {}): Promise<AlertExample> {
    const outlet = await Outlet.start();
    const env = {
      ALERT_OUTLET: outlet.url(ALERTS),
      ALERT_SECOND_OUTLET: outlet.url("/second"),
      ...options.env,
    };
    const flow = await RunningExample.start(name, { ...options, env }).catch(async (error: unknown) => {
      await outlet.close();
      throw error;
    });
    const example = new AlertExample(flow, outlet);
    await flow.pressed("Set up", "ready");
    await example.reading();
    return example;
  }

  /** Waits until events in reads: it begins with new events only. */
  async reading(): Promise<void> {
    await this.flow.nodeRed.status(this.flow.id("crec-events-in"), "node-red:common.status.connected");
  }

  /** Everything that the outlet has accepted, oldest first. */
  get told(): Told[] {
    return this.outlet
      .received(ALERTS)
      .filter(({ answered }) => answered === 200)
      .map(({ body }) => JSON.parse(body) as Told);
  }

  /** What is told next, once it is acknowledged: title and text. */
  pressed(button: string): Promise<string> {
    return this.flow.pressed<string>(button, "told");
  }

  /** Waits until the same log has arrived at its last level. It is nothing new. */
  async final(count: number): Promise<void> {
    while (this.flow.values<string>("skipped").filter((why) => why === "seen").length < count)
      await sleep(20);
  }

  async close(): Promise<void> {
    await this.flow.close();
    await this.outlet.close();
  }
}
