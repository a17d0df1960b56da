import type { Locator } from "playwright-core";
import type {
  ActivityEvent,
  ConnectionReport,
  EventReport,
  OperationReport,
  Origin,
  ReaderReport,
  ResourceReport,
} from "../../nodes/common/telemetry/types.ts";
import type { Editor } from "./editor.ts";
import type { FlowNode } from "./node-red.ts";

type Told = { section: "connections" | "readers"; key: string; report: object } | { fact: ActivityEvent };

const FUNCTION = "for (const one of msg.payload) global.get('report')(one); return null;";

/** Two flows with a node each, a config node that one of them uses, and what reports for the tests. */
export const FLOWS: readonly FlowNode[] = [
  { id: "payments", type: "tab", label: "Payments" },
  { id: "alarms", type: "tab", label: "Alarms" },
  { id: "connection", type: "crec-connection", name: "production", baseUrl: "http://127.0.0.1:9" },
  { id: "channel", type: "crec-channel", connection: "connection", channel: "main" },
  node("transfers", "crec-events-in", "payments", { name: "transfers", channel: "channel", wires: [[], []] }),
  node("pay", "crec-submit-operation", "payments", { name: "pay a supplier", channel: "channel" }),
  node("limits", "crec-events-in", "alarms", { name: "limits", channel: "channel", wires: [[], []] }),
  node("tell", "inject", "alarms", { y: 300, wires: [["report"]] }),
  node("report", "function", "alarms", { y: 300, x: 400, func: FUNCTION, libs: [], outputs: 0 }),
];

function node(id: string, type: string, z: string, properties: Partial<FlowNode>): FlowNode {
  return { id, type, z, x: 200, y: 100, wires: [[]], ...properties };
}

export const ORIGINS = {
  connection: { node: "connection", flow: "", type: "crec-connection", label: "production" },
  transfers: { node: "transfers", flow: "payments", type: "crec-events-in", label: "transfers" },
  pay: { node: "pay", flow: "payments", type: "crec-submit-operation", label: "pay a supplier" },
  limits: { node: "limits", flow: "alarms", type: "crec-events-in", label: "limits" },
} satisfies Record<string, Origin>;

/** Has Node-RED report this, as nodes do. */
export function tell({ nodeRed }: Pick<Editor, "nodeRed">, ...told: readonly Told[]): Promise<void> {
  return nodeRed.press("tell", { payload: told });
}

export function connection(properties: Partial<ConnectionReport> = {}): Told {
  const report: ConnectionReport = {
    ...ORIGINS.connection,
    baseUrl: "https://service.example/v1",
    state: "ok",
    since: Date.now() - 3_600_000,
    callsLastMinute: 12,
    budget: 60,
    ...properties,
  };
  return { section: "connections", key: report.node, report };
}

export function reader(properties: Partial<ReaderReport> = {}): Told {
  const report: ReaderReport = {
    ...ORIGINS.transfers,
    consumer: "accounting",
    channel: "main",
    channelId: "c1",
    state: "reading",
    position: 1_234,
    inFlight: 0,
    delivered: 1_200,
    rejected: 0,
    late: 0,
    ...properties,
  };
  return { section: "readers", key: `${report.node} ${report.consumer}`, report };
}

export function operation(key: string, properties: Partial<OperationReport> = {}): Told {
  const report: OperationReport = {
    ...ORIGINS.pay,
    key,
    channelId: "c1",
    walletOperationId: "42",
    wallet: `0x${"ab".repeat(20)}`,
    chainSelector: "16015286601757825753",
    status: "sent",
    outcome: "waiting",
    startedAt: Date.now() - 12_000,
    changedAt: Date.now() - 2_000,
    ...properties,
  };
  return { fact: { kind: "operation", operation: report, before: undefined } };
}

export function event(number: number, properties: Partial<EventReport> = {}): Told {
  const report: EventReport = {
    ...ORIGINS.transfers,
    number,
    seenAt: Date.now() - 4_000,
    consumer: "accounting",
    channelId: "c1",
    offset: 1_000 + number,
    type: "watcher.event",
    name: "Transfer",
    chainSelector: "16015286601757825753",
    confidence: "finalized",
    proof: "verified",
    tokens: { value: "12.5" },
    isRedelivered: false,
    isLate: false,
    ...properties,
  };
  return { fact: { kind: "event", event: report } };
}

export function resource(
  kind: "watcher" | "wallet",
  id: string,
  properties: Partial<ResourceReport> = {},
): Told {
  const report: ResourceReport = {
    id,
    name: id,
    status: kind === "watcher" ? "active" : "deployed",
    chainSelector: "16015286601757825753",
    service: "https://service.example/v1",
    seenAt: Date.now(),
    ...properties,
  };
  return { fact: { kind: "resource", resource: kind, report } };
}

/** The tab "CRE Connect" as a person sees it. */
export class Sidebar {
  readonly root: Locator;
  readonly #editor: Pick<Editor, "page">;

  constructor(editor: Pick<Editor, "page">) {
    this.#editor = editor;
    this.root = editor.page.locator(".crec-sidebar");
  }

  async open(): Promise<void> {
    await this.#editor.page.evaluate("RED.actions.invoke('crec:show-tab')");
    await this.root.waitFor();
    await this.root.locator(".crec-live[data-state=live]").waitFor({ state: "attached" });
  }

  /** Shows another tab, as its button does. */
  async close(): Promise<void> {
    await this.#editor.page.evaluate("RED.sidebar.show('info')");
    await this.root.waitFor({ state: "hidden" });
  }

  panel(id: string): Locator {
    return this.root.locator(`[data-panel="${id}"]`);
  }

  /** The rows of a panel with this text. */
  row(panel: string, text: string | RegExp): Locator {
    return this.panel(panel).locator(".crec-row", { hasText: text });
  }

  main(panel: string, text: string | RegExp): Locator {
    return this.row(panel, text).locator(".crec-row-main");
  }
}
