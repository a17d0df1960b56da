import type { Page, Response } from "playwright-core";
import should from "should";
import type { Choices } from "../../nodes/common/shared/form-types.ts";
import { type Editor, useEditor } from "../support/editor.ts";
import { flowOfAll } from "../support/editor-flow.ts";
import type { Form } from "../support/editor-form.ts";
import { inEachForm } from "../support/editor-walk.ts";
import { example, type FlowNode, idOf } from "../support/node-red.ts";
import { channelNode, connectionNode } from "../support/nodes.ts";
import { sized } from "../support/variants.ts";

/** What a list, or the events of an ABI, were answered with. */
type Offered = {
  choices?: Array<{ value: string }>;
  found?: Array<{ inputs: Array<{ name: string }> }>;
};

/** The forms in which each list is offered at least once. */
const WITH_LISTS = [
  ...["crec-wallet", "crec-channel", "crec-contract", "crec-events-in", "crec-alert", "crec-create-watcher"],
  ...["crec-run-query", "crec-search-events", "crec-manage"],
];

describe("a box with a list to pick from", function () {
  this.timeout(120_000);
  const editor = useEditor();

  it("offers what the service has, and picking writes it", async () => {
    const flows = await example("01-quickstart");
    const { nodeRed } = editor();
    await nodeRed.deploy(flows);
    // So that there is something to be found: a channel, a wallet, a watcher, an operation, a query.
    await nodeRed.press(idOf(flows, "inject", "Set up"));
    await nodeRed.status(idOf(flows, "crec-create-watcher"), /active/);
    await nodeRed.press(idOf(flows, "inject", "Read balance"));
    await nodeRed.press(idOf(flows, "inject", "Send 1 token"));
    await nodeRed.status(idOf(flows, "crec-submit-operation"), /accepted|sen|broadcasting|confirmed/);
    await nodeRed.showing("balance");
    const all = await flowOfAll(editor());
    await editor().openWith(all.flows);
    const { inPage, page } = editor();
    const offered = new Set<string>();
    const note = async (response: Response) => {
      if (!/\/crec\/(?:lookup\/|abi\/events)/.test(response.url())) return;
      // The page may have been loaded again: then nobody saw the answer.
      const answer = ((await response.json().catch(() => ({}))) ?? {}) as Offered;
      const { choices = [], found = [] } = answer;
      for (const { value } of choices) offered.add(value);
      // Parameters of events are fields.
      for (const { name } of found.flatMap(({ inputs }) => inputs)) offered.add(`params.${name}`);
    };
    page.on("response", note);
    const picked: string[] = [];
    const empty: string[] = [];
    /** Boxes with one name offer one list. */
    let tried = new Set<string>();
    const ids = Object.entries(all.ids).filter(([type]) => sized(WITH_LISTS.includes(type), true));
    await inEachForm(editor(), { ...all, ids: Object.fromEntries(ids) }, async (form, type) => {
      tried = sized(tried, new Set<string>());
      await form.inEachState(inPage, async () => {
        for (const name of await inPage.searched()) {
          if (tried.has(name)) continue;
          const value = await pickFirst(editor(), form, name);
          if (value === undefined) {
            empty.push(`${type}.${name}`);
            continue;
          }
          tried.add(name);
          picked.push(`${type}.${name}`);
          should([...offered]).containEql(value);
          should(await form.box(name).inputValue()).equal(value, `${type}.${name}`);
        }
      });
    });
    page.off("response", note);
    should(empty.filter((one) => !picked.includes(one))).be.empty();
    should(picked).containDeep(["crec-channel.channel", "crec-wallet.wallet", "crec-wallet.chainSelector"]);
  });
});

describe("what a form says under a box with a list", function () {
  this.timeout(120_000);
  const editor = useEditor();
  const nothing = "There is no channel with this name yet";

  /** A channel with a connection for each list: the form remembers what was answered for a connection. */
  const CONNECTIONS: Readonly<Record<string, Partial<FlowNode>>> = {
    refused: { credentials: { apiKey: "wrong" } },
    ...{ undeployed: {}, found: {}, silent: {}, sure: {} },
  };

  before(() =>
    editor().openWith(
      Object.entries(CONNECTIONS).flatMap(([list, properties]) => [
        connectionNode(editor().service.ready, { id: `connection-${list}`, ...properties }),
        channelNode({ id: list, connection: `connection-${list}`, channel: "nobody's" }),
      ]),
    ),
  );
  const openChannel = async (list: string) => {
    const form = await editor().form(list);
    return { form, hint: form.root.locator("#node-config-input-channel-hint") };
  };
  /** The list as the service might have it. */
  const answer = async (all: Choices, found: Choices = all) => {
    await editor().page.route("**/crec/lookup/channels/**", (route) =>
      route.fulfill({ json: route.request().url().includes("?text=") ? found : all }),
    );
  };
  afterEach(() => editor().page.unroute("**/crec/lookup/channels/**"));

  it("is why there is none, and not that there is nothing", async () => {
    const { form, hint } = await openChannel("refused");
    await hint.getByText(/^No list to choose from: .*API key/).waitFor();
    await form.cancel();
    await answer({ choices: [], undeployed: true });
    const other = await openChannel("undeployed");
    await other.hint.getByText(/^Deploy first/).waitFor();
    await other.form.cancel();
  });

  it("is of the text typed in where the list was cut, and nothing false", async () => {
    const cut: Choices = { choices: [{ value: "first", label: "first" }], cut: true };
    await answer(cut, { choices: [{ value: "last", label: "last", detail: "active" }] });
    const { form, hint } = await openChannel("found");
    await form.box("channel").fill("last");
    await hint.getByText("active").waitFor();
    await form.cancel();
    await editor().page.unroute("**/crec/lookup/channels/**");

    await answer(cut);
    const silent = await openChannel("silent");
    const asked = editor().page.waitForResponse(/text=/);
    await silent.form.box("channel").fill("lost");
    await asked;
    // The stored name may have been looked up with the answers above: its sentence goes when this answer is shown.
    await silent.hint.getByText(nothing).waitFor({ state: "hidden" });
    should(await silent.hint.textContent()).not.containEql(nothing);
    await silent.form.cancel();
    await editor().page.unroute("**/crec/lookup/channels/**");

    await answer(cut, { choices: [] });
    const sure = await openChannel("sure");
    await sure.form.box("channel").fill("gone");
    await sure.hint.getByText(nothing).waitFor();
    await sure.form.cancel();
  });
});

describe("what a form says of how final the reported blocks are", function () {
  this.timeout(120_000);
  const editor = useEditor();
  const note = "reports blocks at: finalized";
  let flows: FlowNode[];

  before(async () => {
    flows = await example("01-quickstart");
    await editor().openWith(flows);
  });

  const serve = (said: { note?: string }) =>
    editor().page.route("**/crec/lookup/*network*/**", async (route) => {
      const { choices } = (await (await route.fetch()).json()) as Choices;
      await route.fulfill({ json: { choices: choices.map(({ note: _, ...one }) => ({ ...one, ...said })) } });
    });
  const under = (form: Form, field: string) => form.root.locator(`[id^="${field}-hint"]`);

  it("stands under the contract that is picked, and beside each network", async () => {
    await serve({ note });
    const verify = await editor().form(idOf(flows, "crec-verify-event"));
    await under(verify, "node-input-contract").getByText(note).waitFor();
    await verify.cancel();
    const contract = await editor().form(idOf(flows, "crec-contract"));
    const { chain_selector } = editor().service.ready;
    await contract.fill("chainSelector", chain_selector);
    await under(contract, "node-config-input-chainSelector").getByText(note).waitFor();
    await contract.box("chainSelector").fill("");
    await contract.box("chainSelector").press("Shift");
    await editor().page.locator(".red-ui-autoComplete-container:visible", { hasText: note }).waitFor();
    await contract.cancel();
    await editor().stopAnswering();
  });

  it("is nothing where the service does not say it", async () => {
    await serve({});
    const answered = editor().page.waitForResponse(/contract-network/);
    const verify = await editor().form(idOf(flows, "crec-verify-event"));
    await (await answered).finished();
    should(await under(verify, "node-input-contract").first().textContent()).equal("");
    await verify.cancel();
    await editor().stopAnswering();
  });
});

/** Types into a box what makes it offer all it has, and picks the first; nothing where nothing is offered. */
async function pickFirst({ page }: Editor, form: Form, name: string): Promise<string | undefined> {
  const box = form.box(name);
  await box.fill("");
  const answered = nothingFound(page);
  await box.press("Shift");
  const first = page.locator(".red-ui-autoComplete-container:visible li a").first();
  const isOffered = await Promise.race([
    first.waitFor({ timeout: OFFER_MS }).then(
      () => true,
      () => false,
    ),
    answered,
  ]);
  if (!isOffered) return undefined;
  await first.click();
  await first.waitFor({ state: "detached" });
  return form.field(name).inputValue();
}

/** How long a list may take to appear that the form does not have to ask for. */
const OFFER_MS = 1_500;

/** Gives `false` when the service is asked and has nothing; until then, and otherwise, it waits. */
function nothingFound(page: Page): Promise<false> {
  return new Promise((resolve) => {
    page
      .waitForResponse(/\/crec\/lookup\//, { timeout: OFFER_MS })
      .then((response) => response.json())
      .then(({ choices = [] }: { choices?: unknown[] }) => choices.length === 0 && resolve(false))
      .catch(() => {}); // Nothing was asked.
  });
}
