import should from "should";
import { useEditor } from "../support/editor.ts";
import { channelNode, connectionNode, contractNode } from "../support/nodes.ts";
import { COUNTER_ABI, call, queryNode, value } from "../support/operation-nodes.ts";

describe("the functions that run query offers", function () {
  this.timeout(120_000);
  const editor = useEditor();

  before(async () => {
    const { ready } = editor().service;
    const query = (id: string, properties: object) => ({
      ...{ z: "tab", x: 300, y: 100, wires: [[], []] },
      ...queryNode({ id, contract: "counter", ...properties }),
    });
    await editor().openWith([
      { id: "tab", type: "tab", label: "flow" },
      connectionNode(ready),
      channelNode({ createMissing: true }),
      contractNode(ready, { id: "counter", name: "counter", abi: COUNTER_ABI }),
      query("reads", { call: call("counter", "count()") }),
      query("writes", { call: call("counter", "add(uint256)", value("1")) }),
    ]);
  });

  const open = async (id: string) => {
    const form = await editor().form(id);
    const all = form.root.getByRole("checkbox", { name: "all", exact: true });
    await all.waitFor();
    const functions = form.root.getByLabel("Function", { exact: true });
    const offered = async () => (await functions.locator("option").allTextContents()).slice(1);
    return {
      form,
      all,
      functions,
      offered,
      marked: form.root.locator("#crec-run-query-call .crec-hint:visible"),
    };
  };
  const READS = ["count()", "failWithError(uint256)", "failWithPanic(uint256)"];
  const MARK = "changes state: the call is only simulated";

  it("are those that read; all shows the others, marked as only simulated", async () => {
    const { form, all, functions, offered, marked } = await open("reads");
    should(await offered()).deepEqual(READS);
    await all.click();
    should(await offered()).deepEqual([...READS, "add(uint256)", "failWithReason(string)"]);
    should(await functions.locator("optgroup").getAttribute("label")).equal(MARK);
    should(await functions.inputValue()).equal("count()");
    should(await marked.getByText(MARK).count()).equal(0);
    await functions.selectOption("add(uint256)");
    await marked.getByText(MARK).waitFor();
    // The choice is not lost while it is not offered.
    await functions.selectOption("count()");
    await all.click();
    should(await offered()).deepEqual(READS);
    should(await functions.inputValue()).equal("count()");
    await form.done();
  });

  it("are all of them where one that writes was chosen before", async () => {
    const { form, all, functions, marked } = await open("writes");
    should(await all.isChecked()).be.true();
    should(await functions.inputValue()).equal("add(uint256)");
    await marked.getByText(MARK).waitFor();
    await form.done();
    should((await editor().inPage.stored("writes")).values.call).have.property("function", "add(uint256)");
  });
});
