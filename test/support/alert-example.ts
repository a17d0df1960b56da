import { eventually } from "./eventually.ts";
import { type ExampleOptions, RunningExample } from "./example.ts";
import type { FlowNode } from "./node-red.ts";
import { Outlet } from "./outlet.ts";

/** What an outlet received of the examples that tell people. */
export type Told = {
  kind: string;
  id: string;
  title: string;
  text: string;
  severity: string;
};

const ALERTS = "/alerts";

/** A test cannot wait for minutes: alerts that end, or are taken back, are told when this is over. */
const SLACK = "2s";

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
    const change = (flows: FlowNode[]) => {
      const quick = flows.map((node) => (node.type === "crec-alert" ? { ...node, slack: SLACK } : node));
      return options.change ? options.change(quick) : quick;
    };
    const flow = await RunningExample.start(name, { ...options, env, change }).catch(
      async (error: unknown) => {
        await outlet.close();
        throw error;
      },
    );
    const example = new AlertExample(flow, outlet);
    await flow.pressed("Set up", "ready");
    await example.reading();
    return example;
  }

  /** Waits until events in reads: it begins with new events only. */
  async reading(): Promise<void> {
    await this.flow.nodeRed.status(this.flow.id("crec-events-in"), "connected");
  }

  /** Everything that the outlet has accepted, oldest first. */
  get told(): Told[] {
    return this.outlet
      .received(ALERTS)
      .filter(({ answered }) => answered === 200)
      .map(({ body }) => JSON.parse(body) as Told);
  }

  /** What is told next with this beginning, once it is acknowledged: title and text. After a crash, another may come twice. */
  async pressed(button: string, begins = ""): Promise<string> {
    const told = this.flow.next<string>("told", (text) => text.startsWith(begins));
    await this.flow.press(button);
    return told;
  }

  /** Waits until so many events were acknowledged without an alert: the same log at another level is nothing new. */
  async skipped(count: number): Promise<void> {
    await eventually(
      `${count} events without an alert`,
      () => this.flow.values("skipped"),
      (skipped) => skipped.length >= count,
    );
  }

  async close(): Promise<void> {
    await this.flow.close();
    await this.outlet.close();
  }
}
