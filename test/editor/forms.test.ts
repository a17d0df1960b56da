import type { Browser, Page } from "playwright-core";
import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { generatePrivateKey } from "../../src/index.ts";
import { hasBrowser, startBrowser } from "../support/browser.ts";
import { example, type FlowNode, idOf, NodeRed, UserDir } from "../support/node-red.ts";
import { flowEnvironment, startTestService } from "../support/service.ts";

const DONE = "#node-config-dialog-ok, #node-dialog-ok";

/** The quickstart's forms in the real editor. */
describe("the forms in a browser", function () {
  this.timeout(90_000);

  let service: RunningService;
  let userDir: UserDir;
  let nodeRed: NodeRed;
  let flows: FlowNode[];
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  before(async function () {
    if (!hasBrowser()) return this.skip();
    [service, userDir, flows] = await Promise.all([
      startTestService(),
      UserDir.make(),
      example("01-quickstart"),
    ]);
    const environment = { ...flowEnvironment(service.ready), CREC_SIGNER_KEY: generatePrivateKey() };
    nodeRed = await NodeRed.start(userDir, environment as Record<string, string>);
    await nodeRed.deploy(flows);
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1400, height: 1100 } });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      // Node-RED's own list of packages lies in the internet, which a test does not reach.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource: net::")) {
        complaints.push(message.text());
      }
    });
    page.setDefaultTimeout(10_000);
    await page.goto(nodeRed.url);
    await page.locator('.red-ui-palette-node[data-palette-type="crec-events-in"]').waitFor();
  });

  after(async () => {
    await browser?.close();
    await nodeRed?.kill();
    await service?.close();
    await userDir?.remove();
  });

  /** Opens the form of a node, as a double click does, and waits until it stands. */
  const open = async (id: string) => {
    await page.evaluate((node) => {
      const { RED } = globalThis as unknown as { RED: EditorInPage };
      const found = RED.nodes.node(node);
      if (found._def.category === "config") RED.editor.editConfig("", found.type, node);
      else RED.editor.edit(found);
    }, id);
    await page.locator(DONE).last().waitFor();
  };
  const close = async (button: "ok" | "cancel") => {
    const selector = `#node-config-dialog-${button}, #node-dialog-${button}`;
    await page.locator(selector).last().click();
    await page.locator(selector).last().waitFor({ state: "detached" });
  };
  const stored = (id: string) =>
    page.evaluate((node) => {
      const { RED } = globalThis as unknown as { RED: EditorInPage };
      const found = RED.nodes.node(node);
      const names = Object.keys(found._def.defaults);
      return { valid: found.valid, values: Object.fromEntries(names.map((name) => [name, found[name]])) };
    }, id);

  it("keep every value when they are opened and closed by Done", async () => {
    for (const { id, type } of flows.filter((node) => node.type.startsWith("crec-"))) {
      const before = await stored(id);
      await open(id);
      await close("ok");
      const after = await stored(id);
      should(after.valid).equal(true, `${type} is not valid`);
      for (const [name, value] of Object.entries(before.values)) {
        // The signer learns the address of its key, which the example cannot know.
        if (type === "crec-signer" && name === "address") continue;
        should(String(JSON.stringify(after.values[name]))).equal(
          String(JSON.stringify(value)),
          `${type}.${name}`,
        );
      }
    }
  });

  it("keep the values of a call when Done is pressed before its ABI was read", async () => {
    const id = idOf(flows, "crec-submit-operation");
    const { calls } = (await stored(id)).values;
    await page.route("**/crec/abi/functions", () => undefined);
    await open(id);
    await close("ok");
    await page.unroute("**/crec/abi/functions");
    should((await stored(id)).values.calls).deepEqual(calls);
  });

  it("empty the key when the address is edited, and say why", async () => {
    await open(idOf(flows, "crec-connection"));
    await page.fill("#node-config-input-baseUrl", "http://127.0.0.1:1/elsewhere");
    should(await page.inputValue("#node-config-input-apiKey")).equal("");
    should(await page.textContent("#crec-connection-test-result")).match(/type the API key again/);
    await close("cancel");
  });

  it("test a connection with what is stored", async () => {
    await open(idOf(flows, "crec-connection"));
    await page.click("#crec-connection-test");
    await page.locator("#crec-connection-test-result", { hasText: /^It works\..*Local anvil/ }).waitFor();
    await close("cancel");
  });

  it("generate a key and show its address, and after that never a key again", async () => {
    const id = idOf(flows, "crec-signer");
    await open(id);
    await page.click("#crec-signer-generate");
    await page.locator("#crec-signer-result", { hasText: "A new key is filled in" }).waitFor();
    should(await page.inputValue("#node-config-input-address")).match(/^0x[0-9a-fA-F]{40}$/);
    should(await page.getAttribute("#node-config-input-privateKey", "type")).equal("password");
    await close("cancel");
    const exported = await page.evaluate(
      (node) => {
        const { RED } = globalThis as unknown as { RED: EditorInPage };
        return JSON.stringify(RED.nodes.createExportableNodeSet([RED.nodes.node(node)]));
      },
      idOf(flows, "crec-submit-operation"),
    );
    should(exported).match(/crec-contract.*crec-signer|crec-signer.*crec-contract/s);
    should(exported).not.match(/privateKey|apiKey|credentials/);
  });

  it("show where a reader stands", async () => {
    await nodeRed.press(idOf(flows, "inject", "Set up"));
    await nodeRed.showing("ready");
    await open(idOf(flows, "crec-events-in"));
    await page.locator("#crec-events-in-report", { hasText: /connected · cursor \d+/ }).waitFor();
    await close("cancel");
  });

  it("met no error in the browser", () => {
    should(complaints).be.empty();
  });
});

/** What of the editor is called from within the page. */
type EditorInPage = {
  nodes: {
    node(id: string): EditorNode;
    createExportableNodeSet(nodes: EditorNode[]): unknown[];
  };
  editor: { edit(node: EditorNode): void; editConfig(name: string, type: string, id: string): void };
};

type EditorNode = {
  type: string;
  valid: boolean;
  _def: { category: string; defaults: Record<string, unknown> };
  [property: string]: unknown;
};
