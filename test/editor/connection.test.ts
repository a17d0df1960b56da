import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { workflowOwnerFromOrgId } from "../../src/index.ts";
import { THEMES, useEditor } from "../support/editor.ts";
import type { Form } from "../support/editor-form.ts";
import type { FlowNode } from "../support/node-red.ts";
import { connectionNode } from "../support/nodes.ts";
import { startTestService } from "../support/service.ts";

const SIGNERS = ["11", "22", "33", "44"].map((digits) => `0x${digits.repeat(20)}`);

describe("the form of a connection", function () {
  this.timeout(120_000);
  const editor = useEditor();

  before(() =>
    editor().openWith([
      { id: "connection-tab", type: "tab", label: "connection" },
      {
        ...{ id: "user", type: "crec-account", z: "connection-tab", x: 100, y: 100, wires: [[]] },
        connection: "connection",
      },
      {
        id: "connection",
        type: "crec-connection",
        baseUrl: "",
        validSigners: SIGNERS.join("\n"),
      } as FlowNode,
    ]),
  );

  afterEach(() => editor().inPage.undoAll());

  it("fills in a preset", async () => {
    const form = await editor().form("connection");
    const presets = form.root.getByRole("group", { name: "Presets" });
    await presets.getByRole("button", { name: "CRE Connect" }).click();
    should(await form.shows("baseUrl")).match(/^https:\/\/.*\/v1$/);
    await presets.getByRole("button", { name: "local service" }).click();
    should(await form.shows("baseUrl")).equal("${CREC_BASE_URL}");
    should(await form.shows("apiKey")).equal("${CREC_API_KEY}");
    should(await form.shows("minRequiredSignatures")).equal("${CREC_MIN_SIGNATURES}");
    await form.cancel();
  });

  it("warns under the threshold, and marks it, as long as the warning holds", async () => {
    const form = await editor().form("connection");
    const warning = form.root.getByText("4 signers cannot reach a threshold of 5");
    await form.fill("minRequiredSignatures", "5");
    await warning.waitFor();
    should(await form.field("minRequiredSignatures").getAttribute("aria-invalid")).equal("true");
    await form.fill("minRequiredSignatures", "2");
    await warning.waitFor({ state: "hidden" });
    should(await form.field("minRequiredSignatures").getAttribute("aria-invalid")).equal("false");
    await form.cancel();
  });

  it("shows the owner of the organization, and marks another one", async () => {
    const form = await editor().form("connection");
    const owner = workflowOwnerFromOrgId("org_1", "1");
    await form.fill("orgId", "org_1");
    await form.fill("creTenantId", "1");
    await form.root.getByText(`Reports of this organization have the owner ${owner}`).waitFor();
    await form.fill("workflowOwner", SIGNERS[0] ?? "");
    await form.root.getByText(`This is not the owner of the organization, ${owner}`).waitFor();
    await form.fill("workflowOwner", owner);
    await form.root.getByText("This is not the owner").waitFor({ state: "hidden" });
    await form.cancel();
  });

  it("refuses a threshold that is not a whole number, and signers that are not addresses", async () => {
    const form = await editor().form("connection");
    await form.fill("minRequiredSignatures", "1.5");
    await form.fill("validSigners", "0x12");
    await form.fill("baseUrl", "https://host/v1");
    await form.done();
    const { valid, validationErrors } = await editor().inPage.stored("connection");
    should(valid).be.false();
    should(validationErrors.join(" ")).match(/threshold must be a whole number/);
    should(validationErrors.join(" ")).match(/Signers are addresses/);
  });
});

describe('the result of "Test connection"', function () {
  this.timeout(120_000);
  const editor = useEditor();
  const result = (form: Form) => form.root.locator("#crec-connection-test-result");
  const line = (form: Form, state: string, text: string) =>
    result(form).locator(`[data-state="${state}"]`, { hasText: text });

  /** One of its own, without events: other files leave some in the service that they share. */
  let service: RunningService;

  before(async () => {
    service = await startTestService();
    await editor().openWith([connectionNode(service.ready, { orgId: "org_other", creTenantId: "9" })]);
  });
  after(() => service?.close());
  it("is a list that says what is wrong, readable in both themes", async () => {
    const { ready } = service;
    const form = await editor().form("connection");
    await form.root.getByRole("button", { name: "Test connection" }).click();
    const differs = `This key belongs to ${ready.org_id}; the form says org_other: every event would be rejected.`;
    await line(form, "problem", differs).waitFor();
    await line(form, "ok", "The connection works.").waitFor();
    await line(form, "unchecked", "no event with a proof yet").waitFor();
    should(await result(form).getAttribute("role")).equal("status");
    should(await result(form).getByRole("img", { name: "Problem" }).count()).equal(2);
    // The pointer is over the button, which has Node-RED's own colors then.
    const faint = await editor().inPage.faint(4.5, THEMES);
    for (const theme of THEMES)
      should(faint[theme].filter((text) => !text.startsWith("Test connection ("))).be.empty();
    const fillIn = result(form).getByRole("button", { name: "Fill in organization and tenant" });
    await fillIn.click();
    await fillIn.waitFor({ state: "detached" });
    should(await form.shows("orgId")).equal(ready.org_id);
    await form.root.getByRole("button", { name: "Test connection" }).click();
    await line(form, "ok", "This key belongs to the organization in the form.").waitFor();
    should(await result(form).getByRole("button").count()).equal(0);
    await form.cancel();
  });
});

describe("a variable in a form", function () {
  this.timeout(120_000);
  const editor = useEditor();

  it("has under its field what it stands for, as deployed; a key is masked", async () => {
    const { ready } = editor().service;
    const variables = { baseUrl: "${CREC_BASE_URL}", orgId: "${TEST_NOWHERE}" };
    const credentials = { apiKey: "${CREC_API_KEY}" };
    await editor().openWith([connectionNode(ready, { ...variables, credentials })]);
    const form = await editor().form("connection");
    const under = (name: string) => form.root.locator(`.form-row:has(#node-config-input-${name})`);
    await under("baseUrl").getByText(`\${CREC_BASE_URL} is ${ready.base_url}`).waitFor();
    await under("orgId").getByText("${TEST_NOWHERE} is not set where Node-RED runs.").waitFor();
    const masked = `\${CREC_API_KEY} is set (${ready.api_key.length} characters)`;
    await under("apiKey").getByText(masked).waitFor();
    const describedBy = (await form.field("baseUrl").getAttribute("aria-describedby")) ?? "";
    const described = describedBy.split(" ").map((id) => form.root.locator(`[id="${id}"]`).textContent());
    should((await Promise.all(described)).join(" ")).containEql(ready.base_url);

    await form.fill("baseUrl", "${CREC_ORG_ID}");
    await under("baseUrl").getByText("Deploy first to see what ${CREC_ORG_ID} stands for.").waitFor();
    await form.fill("baseUrl", "https://host/v1");
    await under("baseUrl").getByText("Deploy first").waitFor({ state: "hidden" });
    should(await editor().page.content()).not.containEql(ready.org_id);
    await form.cancel();
  });

  it("is not needed for the key: an empty field says which variable of the environment it is, and is tested", async () => {
    const { credentials: _, ...keyless } = connectionNode(editor().service.ready, { id: "keyless" });
    await editor().openWith([keyless]);
    const form = await editor().form("keyless");
    await form.root.getByText("the key comes from the environment variable CREC_API_KEY").waitFor();
    await form.root.getByRole("button", { name: "Test connection" }).click();
    await form.root.getByText("The connection works.").waitFor();
    await form.fill("baseUrl", "https://host/v1");
    should(await form.root.getByText("Enter the API key again").count()).equal(0);
    await form.root.getByRole("button", { name: "Test connection" }).click();
    await form.root.getByText("the one in CREC_API_KEY is not sent to https://host/v1").waitFor();
    should(await editor().page.content()).not.containEql(editor().service.ready.api_key);
    await form.cancel();
  });
});
