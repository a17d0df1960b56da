import should from "should";
import { TOPICS } from "../../plugins/monitor/types.ts";
import { ACTIVITY_SETTINGS } from "../support/activity.ts";
import { useEditor } from "../support/editor.ts";
import { channelNode, connectionNode } from "../support/nodes.ts";
import * as of from "../support/sidebar.ts";

describe("what is pushed to the sidebar", function () {
  this.timeout(120_000);
  const editor = useEditor({ settings: ACTIVITY_SETTINGS });
  /** What came over the web sockets of the page. */
  const frames: string[] = [];
  let sidebar: of.Sidebar;

  before(async () => {
    editor().page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => frames.push(String(payload))),
    );
    await editor().openWith(of.FLOWS);
    sidebar = new of.Sidebar(editor());
    await sidebar.open();
  });

  const updates = () => frames.filter((frame) => frame.includes(TOPICS.update));

  it("is nothing while another tab is shown, and everything when it is shown again", async () => {
    await sidebar.close();
    const before = updates().length;
    await of.tell(editor(), of.event(20, { name: "Unseen" }));
    // If it continued, only what has changed since would be sent.
    await editor().nodeRed.deploy(of.FLOWS, "nodes");
    should(updates()).have.length(before);
    await sidebar.open();
    await sidebar.row("events", "Unseen").waitFor();
    should(updates()[before]).containEql('"isFirst":true');
  });

  it("is nothing while the browser shows another page", async () => {
    const { page, nodeRed } = editor();
    const show = (state: "hidden" | "visible") =>
      page.evaluate((value) => {
        const { document, Event } = globalThis as unknown as {
          document: { dispatchEvent(event: unknown): void };
          Event: new (name: string) => unknown;
        };
        Object.defineProperty(document, "visibilityState", { value, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    await show("hidden");
    const before = updates().length;
    await of.tell(editor(), of.event(21, { name: "Hidden" }));
    await nodeRed.deploy(of.FLOWS, "nodes");
    should(updates()).have.length(before);
    await show("visible");
    await sidebar.row("events", "Hidden").waitFor();
    should(updates()[before]).containEql('"isFirst":true');
  });

  it("has no secret of a connection that works", async () => {
    const { service } = editor();
    const { ready } = service;
    await editor().nodeRed.deploy([
      ...of.FLOWS.filter(({ id }) => id !== "connection" && id !== "channel"),
      connectionNode(ready, { name: "local" }),
      channelNode({ createMissing: true }),
    ]);
    await sidebar.row("connections", /local\s*ok/).waitFor();
    await sidebar.row("readers", /transfers\s*reading\s*·?\s*harness/).waitFor();
    should(updates().length).be.above(3);
    should(updates().join("\n").includes(ready.api_key)).be.false();
  });
});
