import should from "should";
import { generatePrivateKey, localEcdsaSigner } from "../../src/index.ts";
import { useEditor } from "../support/editor.ts";
import { signerNode } from "../support/operation-nodes.ts";

describe("the form of a signer", function () {
  this.timeout(120_000);
  const editor = useEditor();

  it("stores the address of a key if Done is pressed before the address is known", async () => {
    const { page, inPage } = editor();
    await editor().openWith([signerNode(generatePrivateKey())]);
    const key = generatePrivateKey();
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/crec/signer/address", async (route) => {
      await held;
      await route.continue();
    });
    const form = await editor().form("signer");
    await form.field("privateKey").fill(key);
    await form.done();
    should((await inPage.stored("signer")).values.address).equal("");
    const answered = page.waitForResponse("**/crec/signer/address");
    answer();
    await answered;
    const { address } = localEcdsaSigner(key);
    await page.waitForFunction((wanted) => {
      const { RED } = globalThis as unknown as { RED: EditorRed };
      return RED.nodes.node("signer").address === wanted;
    }, address);
    await editor().deploy();
    const flows = (await (await editor().nodeRed.fetch("flows")).json()) as Array<{
      id: string;
      address?: string;
    }>;
    should(flows.find(({ id }) => id === "signer")).have.property("address", address);
  });
});

type EditorRed = { nodes: { node(id: string): { address: string } } };
