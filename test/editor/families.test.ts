import should from "should";
import { useEditor } from "../support/editor.ts";
import { Form } from "../support/editor-form.ts";
import { example, type FlowNode, idOf } from "../support/node-red.ts";

const SIGNERS = ["11", "22", "33", "44"].map((digits) => `0x${digits.repeat(20)}`).join("\n");
const STORED = {
  ...{ family: "zone-b", validSigners: SIGNERS, minRequiredSignatures: "2" },
  ...{ orgId: "", creTenantId: "2" },
};

/** Rarely needed: hidden until a person opens them. */
describe("the sets of oracle families in the forms", function () {
  this.timeout(120_000);
  const editor = useEditor();
  let flows: FlowNode[];
  let connection: string;

  beforeEach(async () => {
    flows = await example("01-quickstart");
    connection = idOf(flows, "crec-connection");
    await editor().openWith(flows);
  });

  const families = async () => (await editor().inPage.stored(connection)).values.families;
  const list = (form: Form) => form.root.locator("#crec-connection-families");
  const isSignedByShown = async () => {
    const form = await editor().form(idOf(flows, "crec-verify-event"));
    const isShown = await form.field("signedBy").isVisible();
    await form.cancel();
    return isShown;
  };

  it("are hidden until they are opened, and then change nothing", async () => {
    await editor().inPage.edit(connection);
    const form = await Form.opened(editor().page, true, true);
    should(await form.root.getByText("Add a family").isVisible()).be.false();
    await form.done();
    should(await families()).be.undefined();
    should(await isSignedByShown()).be.false();
  });

  it("are filled in, checked during typing, stored, shown again, and removed", async () => {
    for (const step of [fillIn, openAgain, addTheSame, remove]) await step();
  });

  async function fillIn(): Promise<void> {
    const form = await editor().form(connection);
    await form.root.getByText("Add a family").click();
    const set = list(form);
    await set.getByText(/Enter the name of the oracle family/).waitFor();
    await set.getByLabel("Family").fill("zone-b");
    await set.getByText(/Enter the signers of the family "zone-b"/).waitFor();
    await set.getByLabel("Signers").fill(SIGNERS);
    await set.getByText(/threshold of the family "zone-b" must be a whole number/).waitFor();
    await set.getByLabel("Threshold").fill("5");
    await set.getByText(/4 signers cannot reach a threshold of 5/).waitFor();
    await set.getByLabel("Threshold").fill("3");
    await set.getByText(/here 2 of \d+/).waitFor();
    await set.getByLabel("Threshold").fill("2");
    await set.getByLabel("Tenant").fill("2");
    await set.getByRole("alert").and(set.locator(":empty")).waitFor({ state: "attached" });
    await form.done();
    should(await families()).deepEqual([STORED]);
    should((await editor().inPage.stored(connection)).valid).be.true();
    await editor().deploy();
    const deployed = (await (await editor().nodeRed.fetch("flows")).json()) as FlowNode[];
    should(deployed.find(({ id }) => id === connection)).have.property("families", [STORED]);
  }

  /** Then verify event offers them. */
  async function openAgain(): Promise<void> {
    const form = await editor().form(connection);
    should(await list(form).getByLabel("Signers").inputValue()).equal(SIGNERS);
    should(await list(form).getByLabel("Family").isVisible()).be.true();
    await form.cancel();
    should(await isSignedByShown()).be.true();
  }

  /** Two for one family mark the connection. */
  async function addTheSame(): Promise<void> {
    const form = await editor().form(connection);
    await form.root.getByText("Add a family").click();
    await list(form).getByLabel("Family").last().fill("zone-b");
    should(
      await list(form)
        .getByText(/two sets for the family "zone-b"/)
        .count(),
    ).equal(2);
    await form.done();
    const { valid, validationErrors } = await editor().inPage.stored(connection);
    should(valid).be.false();
    should(validationErrors.join()).match(/two sets for the family "zone-b"/);
  }

  async function remove(): Promise<void> {
    const form = await editor().form(connection);
    for (let left = 2; left > 0; left -= 1) {
      await form.root.getByText("Remove this family").first().click();
      await list(form)
        .getByLabel("Family")
        .nth(left - 1)
        .waitFor({ state: "detached" });
    }
    await form.done();
    should(await families()).deepEqual([]);
    should((await editor().inPage.stored(connection)).valid).be.true();
  }
});
