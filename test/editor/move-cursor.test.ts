import should from "should";
import { useEditor } from "../support/editor.ts";
import { channelNode, connectionNode, eventsInNode } from "../support/nodes.ts";

describe("the dialog that moves the cursor of events in", function () {
  this.timeout(120_000);
  const editor = useEditor();
  const dialog = () => editor().page.locator(".ui-dialog:has(.crec-dialog)");
  const choice = (name: string) => dialog().getByRole("radio", { name });

  const open = async () => {
    const form = await editor().form("reader");
    // Once the cursor is stored, the dialog begins with its offset.
    await form.root.locator("#crec-events-in-report", { hasText: /cursor -?\d/ }).waitFor();
    await form.root.locator("#crec-events-in-reset:enabled").click();
    await dialog().waitFor();
    return form;
  };
  /** What is asked of Node-RED when the dialog's button is pressed. */
  const moved = async (): Promise<unknown> => {
    const [request] = await Promise.all([
      editor().page.waitForRequest(/\/crec\/events-in\/reader\/seek$/),
      dialog().getByRole("button", { name: "Move cursor" }).click(),
    ]);
    const answer = await request.response();
    should(await answer?.json()).deepEqual({});
    await dialog().waitFor({ state: "detached" });
    return request.postDataJSON();
  };

  before(async () => {
    await editor().openWith([
      { id: "tab", type: "tab", label: "move" },
      connectionNode(editor().service.ready),
      channelNode({ channel: "moving", createMissing: true }),
      {
        ...eventsInNode({ id: "reader", consumer: "moving", verify: false }),
        z: "tab",
        x: 200,
        y: 100,
        wires: [[], [], []],
      },
    ]);
  });

  it("offers now, the beginning, an offset and a time, and changes nothing when it is closed", async () => {
    const form = await open();
    should(await dialog().getByRole("radio").count()).equal(4);
    should(await choice("at an offset").isChecked()).equal(true);
    await editor().page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    should(await form.root.isVisible()).equal(true);
    should(await form.root.locator("#crec-events-in-result").textContent()).equal("");
    await form.cancel();
  });

  it("moves to what was chosen, and refuses what is neither an offset nor a time", async () => {
    const form = await open();
    await choice("at the beginning of the channel").check();
    should(await moved()).deepEqual({ to: "beginning" });
    await form.cancel();

    const again = await open();
    await dialog().getByRole("textbox", { name: "at an offset" }).fill("soon");
    await dialog().getByRole("button", { name: "Move cursor" }).click();
    await dialog().getByText("An offset is a whole number.").waitFor();
    await dialog().getByRole("textbox", { name: "at a time" }).fill("1780000000");
    should(await choice("at a time").isChecked()).equal(true);
    should(await moved()).deepEqual({ to: { time: "1780000000" } });
    await again.root.getByText("Done.").waitFor();
    await again.cancel();
  });

  it("offers the stored cursor first where the service has another address, and says what was answered", async () => {
    const { ready } = editor().service;
    const baseUrl = ready.base_url.replace("127.0.0.1", "localhost");
    await editor().openWith([
      { id: "tab", type: "tab", label: "move" },
      connectionNode(ready, { baseUrl }),
      channelNode({ channel: "moving", createMissing: true }),
      {
        ...eventsInNode({ id: "reader", consumer: "moving", verify: false }),
        ...{ z: "tab", x: 200, y: 100, wires: [[], [], []] },
      },
    ]);
    const form = await open();
    await form.root.locator("#crec-events-in-report", { hasText: "is a new address" }).waitFor();
    should(await dialog().getByRole("radio").count()).equal(5);
    should(await choice("at the stored cursor").isChecked()).equal(true);
    should(await moved()).deepEqual({ to: "stored" });
    // The channel has no event yet.
    await form.root
      .locator("#crec-events-in-report", { hasText: "no event that could be compared" })
      .waitFor();
    await form.cancel();
  });
});
