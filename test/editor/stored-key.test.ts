import should from "should";
import { useEditor } from "../support/editor.ts";
import type { FlowNode } from "../support/node-red.ts";

const HERE = "https://here.example/v1";
const THERE = "https://there.example/v1";
const KEY = "test-secret-that-must-not-leave";
const ASKED = /Enter the API key again/;

/** A person opens a flow in which the address of the connection has changed. */
describe("the form of a connection whose address has changed", function () {
  this.timeout(120_000);
  const editor = useEditor();

  const connection = (id: string, baseUrl: string, credentials?: object): FlowNode[] => [
    { id: `${id}-user`, type: "crec-account", z: "key-tab", x: 100, y: 100, connection: id, wires: [[]] },
    {
      ...{ id, type: "crec-connection" },
      ...{ baseUrl, graphqlUrl: "", timeout: "30", orgId: "", validSigners: "", minRequiredSignatures: "" },
      ...(credentials ? { credentials } : {}),
    },
  ];
  const openWith = (...nodes: FlowNode[]) =>
    editor().openWith([{ id: "key-tab", type: "tab", label: "key" }, ...nodes]);
  const report = async () => (await editor().nodeRed.fetch("crec/connection/bound/key")).json();

  it("asks for the key again, and binds it to the new address", async () => {
    await openWith(...connection("bound", HERE, { apiKey: KEY }));
    should(await report()).deepEqual({ needsConfirmation: false, typedFor: [HERE] });
    const untouched = await editor().form("bound");
    should(await untouched.shows("apiKey")).not.equal("");
    should(await untouched.root.getByText(ASKED).isVisible()).be.false();
    await untouched.cancel();

    await openWith(...connection("bound", THERE));
    should(await report()).deepEqual({ needsConfirmation: true, typedFor: [HERE] });
    const form = await editor().form("bound");
    await form.root.getByText(ASKED).waitFor();
    should(await form.shows("apiKey")).equal("");
    await form.fill("apiKey", KEY);
    await form.root.getByText(ASKED).waitFor({ state: "hidden" });
    await form.done();

    // Opened again before the deploy, the box has the typed key without the mark.
    const again = await editor().form("bound");
    should(await again.shows("apiKey")).equal(KEY);
    await again.done();
    await editor().deploy();
    should(await report()).deepEqual({ needsConfirmation: false, typedFor: [THERE] });
  });

  describe("since it was loaded", () => {
    before(() =>
      openWith(
        ...connection("imported", HERE, { apiKey: `${KEY} typed-anew` }),
        ...connection("covered", HERE, { apiKey: `${KEY} kept` }),
      ),
    );

    it("asks for the key before a deploy too, if an import has changed the address", async () => {
      const { page } = editor();
      await page.evaluate(`RED.nodes.node("imported").baseUrl = ${JSON.stringify(THERE)}; 0`);
      const form = await editor().form("imported");
      await form.root.getByText(ASKED).waitFor();
      should(await form.shows("apiKey")).equal("");
      await form.cancel();
    });

    it("keeps the key where Node-RED answers while another form lies on top", async () => {
      const { page } = editor();
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route("**/crec/connection/covered/key", async (route) => {
        await held;
        await route.continue();
      });
      const form = await editor().form("covered");
      const stored = await form.shows("apiKey");
      await form.root.locator("#node-config-input-btn-tls-add").click();
      const tls = await editor().formOnTop();
      await tls.field("servername").waitFor();
      const answered = page.waitForResponse("**/crec/connection/covered/key");
      release();
      await answered;
      await tls.cancel();
      await form.field("apiKey").waitFor();
      should(await form.shows("apiKey")).equal(stored);
      should(await form.root.getByText(ASKED).isVisible()).be.false();
      await form.cancel();
      await page.unroute("**/crec/connection/covered/key");
    });
  });
});
