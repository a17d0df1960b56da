import should from "should";
import { STORED_PASSWORD } from "../../nodes/common/shared/variables.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/index.ts";
import { useEditor } from "../support/editor.ts";
import type { Form } from "../support/editor-form.ts";
import {
  custodySigner,
  type KeyServices,
  type KeyServiceUnderTest,
  startKeyServices,
} from "../support/key-services.ts";
import { signerNode } from "../support/operation-nodes.ts";
import { sized } from "../support/variants.ts";

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

  it("does not show the address of the stored key after another key was typed", async () => {
    const { page } = editor();
    await editor().openWith([signerNode(generatePrivateKey())]);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/crec/signer/address/signer", async (route) => {
      await held;
      await route.continue();
    });
    const form = await editor().form("signer");
    await form.field("privateKey").fill("${CREC_SIGNER_KEY}");
    const answered = page.waitForResponse("**/crec/signer/address/signer");
    answer();
    await (await answered).finished();
    // The form has taken the answer once a later one has arrived.
    await page.evaluate("fetch('crec/signer/address/signer').then((answer) => answer.text())");
    should(await form.shows("address")).equal("");
    await form.cancel();
  });
});

describe("a new key in the form of a signer", function () {
  this.timeout(120_000);
  const editor = useEditor();
  const newKey = (form: Form) => form.root.getByLabel("New private key");
  const dialog = () => editor().page.locator(".ui-dialog:has(.crec-dialog)");
  const generate = (form: Form) => form.root.getByRole("button", { name: "Generate a new key" }).click();
  const key = generatePrivateKey();

  before(() =>
    editor().openWith([
      signerNode(undefined, { id: "new" }),
      signerNode(undefined, { id: "typed" }),
      signerNode(key, { id: "deployed" }),
      signerNode("${CREC_SIGNER_KEY}", { id: "variable" }),
    ]),
  );

  it("is shown once, with a button that copies it and the advice to back it up", async () => {
    const { page } = editor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const form = await editor().form("new");
    await generate(form);
    await newKey(form).waitFor();
    should(await dialog().count()).equal(0);
    const made = await newKey(form).inputValue();
    should(await form.shows("privateKey")).equal(made);
    should(await form.shows("address")).equal(localEcdsaSigner(made).address);
    await form.root.getByText("Back it up now").waitFor();
    await form.root.getByRole("button", { name: "Copy the private key" }).click();
    await form.root.getByText("Copied.").waitFor();
    should(await page.evaluate("navigator.clipboard.readText()")).equal(made);
    await form.root.getByRole("button", { name: "Copy the address" }).click();
    should(await page.evaluate("navigator.clipboard.readText()")).equal(localEcdsaSigner(made).address);
    should(await page.content()).not.containEql(made);
    await form.done();
    const again = await editor().form("new");
    should(await newKey(again).count()).equal(0);
    await again.cancel();
  });

  for (const [how, deployed] of [
    ["typed", undefined],
    ["deployed", key],
  ] as const) {
    it(`replaces a ${how} one only after a question`, async () => {
      const form = await editor().form(how);
      const old = deployed ?? generatePrivateKey();
      if (!deployed) await form.fill("privateKey", old);
      await form.settled("address", /^0x/);
      const before = await form.shows("privateKey");
      await generate(form);
      await dialog().getByText(localEcdsaSigner(old).address).waitFor();
      await editor().page.keyboard.press("Escape");
      await dialog().waitFor({ state: "detached" });
      should(await form.shows("privateKey")).equal(before);
      await generate(form);
      await dialog().getByRole("button", { name: "Cancel" }).click();
      await dialog().waitFor({ state: "detached" });
      should(await form.shows("privateKey")).equal(before);
      await generate(form);
      await dialog().getByRole("button", { name: "Replace the key" }).click();
      await newKey(form).waitFor();
      should(await form.shows("privateKey")).equal(await newKey(form).inputValue());
      await form.cancel();
    });
  }

  it("is not described as the variable that it replaces", async () => {
    const form = await editor().form("variable");
    const line = form.root.getByText("${CREC_SIGNER_KEY} is set");
    await line.waitFor();
    await form.root.getByRole("button", { name: "Generate a new key" }).click();
    await editor().page.getByRole("button", { name: "Replace the key", exact: true }).click();
    await line.waitFor({ state: "hidden" });
    await form.cancel();
  });
});

describe("the form of a signer whose key is in a key service", function () {
  this.timeout(120_000);
  const editor = useEditor();
  let services: KeyServices;
  const of = (kind: string) => services.all.find((one) => one.kind === kind) as KeyServiceUnderTest;
  const press = (form: Form, name: string) => form.root.getByRole("button", { name }).click();

  before(async () => {
    services = await startKeyServices();
    await editor().openWith([
      signerNode(undefined, { id: "new" }),
      ...services.all.map(({ kind }) => signerNode(undefined, { id: `made-${kind}` })),
      custodySigner(of("privy")),
      custodySigner(of("fireblocks")),
    ]);
  });

  after(() => services?.close());

  it("shows the fields of the kind, and the key that it fetches, tests and keeps", async () => {
    const { settings, secrets, key } = of("remote");
    const form = await editor().form("new");
    await form.fill("kind", "remote");
    should(await form.field("privateKey").isVisible()).be.false();
    for (const [name, value] of Object.entries({ ...settings, ...secrets })) await form.fill(name, value);
    await press(form, "Fetch the key");
    await form.settled("address", /^0x/);
    should(await form.shows("address")).equal(key.address);
    await press(form, "Test signer");
    await form.root.getByText(/^Signed a test document, which no wallet can execute, in \d+ ms\.$/).waitFor();
    await form.root.getByText("The signature is by this key: ").waitFor();
    await press(form, "Check wallets");
    await form.root.getByText("No wallet in these flows uses this signer yet.").waitFor();
    await form.done();
    const { values } = await editor().inPage.stored("new");
    should(values).have.properties({ kind: "remote", address: key.address, ...settings });
    should(JSON.stringify(values)).not.containEql(secrets.remoteToken ?? "none");
    const again = await editor().form("new");
    should(await again.shows("address")).equal(key.address);
    await again.fill("remoteIdentifier", "0x11");
    should(await again.shows("address")).equal("");
    await again.cancel();
  });

  it("asks again for what is stored when its address changes, and takes it back with the old one", async () => {
    const form = await editor().form("with-privy");
    const [url, sentence] = [await form.shows("privyUrl"), "The address of the key service was changed."];
    await form.fill("privyUrl", "https://elsewhere.example");
    await form.root.getByText(sentence).waitFor();
    should(await form.shows("privyAppSecret")).equal("");
    await press(form, "Fetch the key");
    await form.root.getByText('Enter "App secret".').waitFor();
    await form.fill("privyUrl", String(url));
    await form.root.getByText(sentence).waitFor({ state: "hidden" });
    await press(form, "Fetch the key");
    await form.settled("address", new RegExp(of("privy").key.address));
    await form.cancel();
  });

  it("keeps what is deployed of each kind, and uses a stored secret beside one that is typed again", async () => {
    // The other tests here store, show or change the secrets of the other kinds.
    const tried = services.all.filter(({ kind }) => sized(["aws-kms", "vault"].includes(kind), true));
    for (const service of tried) {
      const id = `made-${service.kind}`;
      const form = await editor().form(id);
      await form.fill("kind", service.kind);
      for (const [name, value] of Object.entries({ ...service.settings, ...service.secrets })) {
        await form.fill(name, value);
      }
      await press(form, "Fetch the key");
      await form.root.getByText(/^This is the/).waitFor();
      await form.done();
    }
    await editor().deploy();
    await editor().reload();
    for (const { kind, settings, secrets, key } of tried) {
      const form = await editor().form(`made-${kind}`);
      for (const [name, value] of Object.entries(settings)) should(await form.shows(name)).equal(value, name);
      for (const name of Object.keys(secrets)) should(await form.shows(name)).equal(STORED_PASSWORD, name);
      const [last = "", value = ""] = Object.entries(secrets).at(-1) ?? [];
      await form.fill(last, value);
      await press(form, "Fetch the key");
      await form.root.getByText(/^This is the/).waitFor();
      if (key.address) should(await form.shows("address")).equal(key.address);
      await form.cancel();
    }
  });

  it("asks for each emptied secret in turn", async () => {
    const form = await editor().form("with-fireblocks");
    const sentence = form.root.getByText("The address of the key service was changed.");
    await form.fill("fireblocksUrl", "https://elsewhere.example");
    await sentence.waitFor();
    await form.fill("fireblocksApiKey", "another");
    should(await form.shows("fireblocksKey")).equal("");
    await sentence.waitFor();
    await form.fill("fireblocksKey", "another");
    await sentence.waitFor({ state: "hidden" });
    await form.cancel();
  });

  it("says that people are asked, then for what it waits, and ends that", async () => {
    services.fireblocks.states = ["PENDING_AUTHORIZATION"];
    const form = await editor().form("with-fireblocks");
    await press(form, "Test signer");
    const dialog = editor().page.locator(".ui-dialog:has(.crec-dialog)");
    await dialog.getByText("Somebody may be asked to approve this.").waitFor();
    should(services.fireblocks.transactions).be.empty();
    await dialog.getByRole("button", { name: "Ask for the signature" }).click();
    await form.root.getByText("Waiting for a person to approve: PENDING_AUTHORIZATION").waitFor();
    await form.root.getByRole("button", { name: "Cancel" }).click();
    await form.root.getByText("Cancelled. An approval that comes later is not used.").waitFor();
    await form.cancel();
  });
});

type EditorRed = { nodes: { node(id: string): { address: string } } };
