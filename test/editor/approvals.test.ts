import { fileURLToPath } from "node:url";
import should from "should";
import { generatePrivateKey } from "../../src/index.ts";
import { useEditor } from "../support/editor.ts";
import { harnessFlow, type Message } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { channelNode, connectionNode, contractNode, manageNode } from "../support/nodes.ts";
import { RECEIVER } from "../support/operation-harness.ts";
import { operationNode, signerNode, submitNode, TOKEN_ABI, walletNode } from "../support/operation-nodes.ts";
import { Sidebar } from "../support/sidebar.ts";

const guarded = fileURLToPath(new URL("../nodes/admin-auth-settings.cjs", import.meta.url));

type EditorRed = { nodes: { node(id: string): { draftOf: unknown; valid: boolean } } };

/** What a person sees of a draft, and what the buttons do. */
describe("the section To approve of the sidebar", function () {
  this.timeout(120_000);
  const editor = useEditor({ settings: guarded, token: "admin", loggedInAs: "keeper", expected: /40[13]/ });
  let sidebar: Sidebar;

  before(async () => {
    const { ready } = editor().service;
    const config: FlowNode[] = [
      connectionNode(ready),
      channelNode({ createMissing: true }),
      contractNode(ready, {
        ...{
          id: "token",
          name: "demo token",
          address: ready.contracts.DemoToken,
          abi: TOKEN_ABI,
          decimals: "18",
        },
      }),
      signerNode(generatePrivateKey()),
      walletNode(ready),
    ];
    const draft = { mode: "draft", approve: true, approvalSigner: "signer", name: "pay out" };
    const flows = harnessFlow(config, [
      [manageNode("wallets.create-or-find", { wallet: "wallet" }), 1],
      [submitNode(draft), 2],
      [submitNode({ ...draft, id: "two", name: "large pay out", approvals: "2" }), 2],
      [operationNode("cancel"), 1],
    ]);
    await editor().openWith(flows);
    sidebar = new Sidebar(editor());
    await sidebar.open();
    await editor().nodeRed.press("press-manage", {});
    await editor().nodeRed.showing("manage:0", () => true);
  });

  const draft = async (id = "submit") => {
    await editor().nodeRed.press(`press-${id}`, {
      ...{ to: RECEIVER, payload: "5000000000000000000", crec: { operationKey: `invoice for ${id}` } },
    });
  };
  const told = (id: string, decision: string) =>
    editor().nodeRed.showing(`${id}:1`, (shown) => {
      const approval = (shown as Message).crec?.approval as { decision?: string; by?: string } | undefined;
      return approval?.decision === decision && approval.by === "keeper";
    });
  const press = (title: string, button: "Approve" | "Decline") =>
    sidebar
      .row("approvals", title)
      .getByRole("button", { name: `${button}: ${title}` })
      .click();

  it("says in plain words what is signed, who made it and until when, and Approve signs it", async () => {
    should(await sidebar.panel("approvals").locator(".crec-empty").textContent()).startWith("No draft waits");
    await draft();
    const row = sidebar.row("approvals", "pay out");
    await row.waitFor();
    const text = String(await row.textContent());
    for (const part of [
      /Pay 5 tokens of demo token \(0x[0-9a-f]{40}\) to 0x0{32}deadbeef/i,
      /made in harness · for invoice for submit · until \d/,
    ])
      should(text).match(part);
    await press("pay out", "Approve");
    await editor().page.getByText("Approved: it is signed, and the service has it.").waitFor();
    await told("submit", "approved");
    await row.waitFor({ state: "detached" });
  });

  it("says how many have approved, and Decline cancels it", async () => {
    await draft("two");
    const row = sidebar.row("approvals", "large pay out");
    await press("large pay out", "Approve");
    await row.getByText("1 of 2 approved").waitFor();
    await row.getByText("approved by keeper").waitFor();
    await press("large pay out", "Approve");
    await editor()
      .page.getByText(/you have approved it before/)
      .waitFor();
    await press("large pay out", "Decline");
    await told("two", "declined");
    await row.waitFor({ state: "detached" });
  });

  it("is set up in the form of submit operation, and its drafts are chosen in that of operation", async () => {
    const submit = await editor().form("two");
    for (const field of ["approvalSigner", "approvals", "waitFor"])
      should(await submit.field(field).isVisible()).be.true();
    await submit.field("approve").setChecked(false);
    for (const field of ["approvalSigner", "approvals", "waitFor"])
      should(await submit.field(field).isVisible()).be.false();
    await submit.cancel();
    const operation = await editor().form("cancel");
    const id = operation.root.locator("#crec-operation-operation-row");
    should(await id.isVisible()).be.true();
    await operation.root.locator("#crec-operation-newest select").selectOption("large pay out");
    should(await id.isVisible()).be.false();
    await operation.done();
    const { draftOf, valid } = await editor().page.evaluate(() => {
      const { RED } = globalThis as unknown as { RED: EditorRed };
      const { draftOf, valid } = RED.nodes.node("cancel");
      return { draftOf, valid };
    });
    should({ draftOf, valid }).deepEqual({ draftOf: "two", valid: true });
  });
});
