import should from "should";
import { useEditor } from "../support/editor.ts";
import { fleetNode } from "../support/fleet-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { eventsInNode } from "../support/nodes.ts";

const URL_WITH_TLS = "rediss://:test-secret-that-must-not-leave@127.0.0.1:9";
const AGAIN = /The sentinels or TLS were changed\. Enter the URL/;
const WITHOUT_TLS = /TLS is chosen, and this URL is without TLS/;

describe("the form of a shared state with TLS", function () {
  this.timeout(120_000);
  const editor = useEditor();

  const tls: FlowNode = { id: "tls", type: "tls-config", name: "private", verifyservercert: true };
  const flow = (): FlowNode[] => [
    { id: "fleet-tab", type: "tab", label: "fleet" },
    { ...eventsInNode({ id: "user", z: "fleet-tab", fleet: "fleet" }), x: 100, y: 100, wires: [[], [], []] },
    fleetNode(`${URL_WITH_TLS} typed-1`),
    tls,
  ];

  it("asks for what is stored again where another TLS configuration is chosen", async () => {
    await editor().openWith(flow());
    const form = await editor().form("fleet");
    const stored = await form.shows("url");
    should(stored).not.equal("");
    await form.field("tls").selectOption("tls");
    await form.root.getByText(AGAIN).waitFor();
    should(await form.shows("url")).equal("");
    await form.fill("url", URL_WITH_TLS.replace("rediss:", "redis:"));
    await form.root.getByText(WITHOUT_TLS).waitFor();
    await form.fill("url", URL_WITH_TLS);
    await form.root.getByText(WITHOUT_TLS).waitFor({ state: "hidden" });
    await form.cancel();
  });

  it("keeps what is stored where the choice is taken back", async () => {
    await editor().openWith(flow());
    const form = await editor().form("fleet");
    const stored = await form.shows("url");
    await form.field("tls").selectOption("tls");
    await form.root.getByText(AGAIN).waitFor();
    await form.field("tls").selectOption("_ADD_");
    await form.root.getByText(AGAIN).waitFor({ state: "hidden" });
    should(await form.shows("url")).equal(stored);
    await form.done();
  });
});
