import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { generatePrivateKey } from "../../src/index.ts";
import { hasBrowser, sharedBrowser } from "./browser.ts";
import { Form, inPageOf } from "./editor-form.ts";
import type { InPage } from "./editor-in-page-types.ts";
import {
  type FlowNode,
  MAY_INSTALL,
  NODES_OF_EXAMPLES,
  NodeRed,
  type NodeRedOptions,
  UserDir,
} from "./node-red.ts";
import { flowEnvironment, startTestService } from "./service.ts";
import { shared } from "./shared.ts";

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const inPageScript = root("test/support/editor-in-page.js");

/** The node types of the package, config nodes among them, as Node-RED is told of them. */
export const nodeTypes: readonly string[] = Object.keys(
  (JSON.parse(readFileSync(root("package.json"), "utf8")) as { "node-red": { nodes: object } })["node-red"]
    .nodes,
).map((name) => `crec-${name}`);

export const THEMES = ["light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export type EditorOptions = Pick<NodeRedOptions, "settings" | "token"> & {
  /** What the browser is logged in with, where Node-RED asks who is there. */
  loggedInAs?: string;
  /** Errors that the browser may meet at any time, because a test brings them about. */
  expected?: RegExp;
  /** With the editor of code that Node-RED has as usual. */
  isCodeEditorUsual?: boolean;
};

/** Each form has an editor for its description, and the page loads it: the usual one is a quarter of the time of both. */
const SMALL_CODE_EDITOR = 'editorTheme.codeEditor.lib="ace"';

/** A real Node-RED beside a real service. */
type Stage = { service: RunningService; nodeRed: NodeRed; end(): Promise<void> };

async function startStage(options: NodeRedOptions, isCodeEditorUsual: boolean): Promise<Stage> {
  const [service, userDir] = await Promise.all([startTestService(), UserDir.make()]);
  const environment = { ...flowEnvironment(service.ready), CREC_SIGNER_KEY: generatePrivateKey() };
  // The editor as people have it, which can install nodes.
  const all = {
    ...options,
    define: [NODES_OF_EXAMPLES, `${MAY_INSTALL}=true`, ...(isCodeEditorUsual ? [] : [SMALL_CODE_EDITOR])],
  };
  await hideTips(userDir);
  const nodeRed = await NodeRed.start(userDir, environment as Record<string, string>, all);
  const end = async () => {
    await nodeRed.kill();
    await service.close();
    await userDir.remove();
  };
  return { service, nodeRed, end };
}

/** Node-RED's tips of the day throw now and then when the editor loads slowly, before their place is there. */
async function hideTips(userDir: UserDir): Promise<void> {
  const settings = { editor: { view: { "view-show-tips": false } } };
  const byUser = Object.fromEntries(USERS.map((user) => [user, settings]));
  await writeFile(join(userDir.path, ".config.users.json"), JSON.stringify(byUser));
}

/** Whose settings Node-RED keeps: `_` where nobody logs in, else the names in admin-auth-settings.cjs. */
const USERS = ["_", "admin", "reader", "guest", "keeper"];

/** The real editor of a real Node-RED beside a real service, in a real browser. */
export class Editor {
  readonly service: RunningService;
  readonly nodeRed: NodeRed;
  readonly page: Page;
  /** Errors that the browser met and no test expects. */
  readonly complaints: string[] = [];
  readonly inPage: InPage;
  readonly #context: BrowserContext;
  readonly #stage: Stage;
  /** Errors that are none: of the editor, and those of one `describe`. */
  readonly #expected: readonly RegExp[];
  #expectedNow: RegExp[] = [];
  #theme: Theme = "light";

  private constructor(stage: Stage, page: Page, expected?: RegExp) {
    this.service = stage.service;
    this.nodeRed = stage.nodeRed;
    this.page = page;
    this.#context = page.context();
    this.#stage = stage;
    this.#expected = expected === undefined ? [] : [expected];
    page.setDefaultTimeout(30_000);
    page.on("pageerror", (error) => this.complaints.push(String(error.stack ?? error)));
    page.on("console", (message) => {
      // Node-RED's own list of packages lies in the internet, which a test does not reach.
      if (message.type() !== "error" || message.text().startsWith("Failed to load resource: net::")) return;
      const complaint = `${message.text()} ${message.location().url}`;
      const isExpected = [...this.#expected, ...this.#expectedNow].some((one) => one.test(complaint));
      if (!isExpected) this.complaints.push(complaint);
    });
    this.inPage = new Proxy({} as InPage, {
      get:
        (_target, name) =>
        (...args: unknown[]) =>
          inPageOf(page, name as keyof InPage, ...(args as [])),
    });
  }

  static async start({
    loggedInAs,
    expected,
    isCodeEditorUsual = false,
    ...options
  }: EditorOptions): Promise<Editor> {
    const [stage, browser] = await Promise.all([startStage(options, isCodeEditorUsual), sharedBrowser()]);
    const context = await browser.newContext({ viewport: { width: 1500, height: 1200 } });
    const page = await context.newPage();
    await page.addInitScript({ path: inPageScript });
    const editor = new Editor(stage, page, expected);
    if (loggedInAs !== undefined) await editor.logInAs(loggedInAs);
    return editor;
  }

  /** From the next time on that the page is loaded. */
  async logInAs(user: string): Promise<void> {
    await this.page.addInitScript(logIn, user);
  }

  /**
   * Errors that the tests of a `describe` bring about. The browser reports an error later than a test sees the answer, so
   * that a test cannot take it out afterwards.
   */
  expect(error: RegExp): void {
    this.#expectedNow.push(error);
  }

  /** Takes away what a test has left: flows, answers of its own, errors that the browser met. */
  async clear(): Promise<void> {
    await this.stopAnswering();
    if (this.isOpen) await this.inPage.letGo();
    await this.nodeRed.clear();
    this.complaints.length = 0;
    this.#expectedNow = [];
  }

  /** Ends the answers of a test, and closes what it has left open: the next one begins as if this one had passed. */
  async leaveAll(): Promise<void> {
    await this.stopAnswering();
    const hasForms =
      this.isOpen && (await this.page.locator("#red-ui-header-toolbar:not(.hide)").count()) > 0;
    if (hasForms && !(await this.inPage.leaveAll())) await this.open();
  }

  /** Ends all answers of a test. A request that is just being answered may fail: its form may be closed. */
  stopAnswering(): Promise<void> {
    return this.page.unrouteAll({ behavior: "ignoreErrors" });
  }

  async close(): Promise<void> {
    await this.#context.close();
    await this.#stage.end();
  }

  get isOpen(): boolean {
    return this.page.url().startsWith(this.nodeRed.url);
  }

  /** Loads the editor in a theme, kept where its own user settings keep it, and waits until it has the flows. */
  async open(theme: Theme = "light"): Promise<void> {
    const isKnown = theme === this.#theme;
    // Loading takes long: where the editor is open, its settings are within reach before that.
    if (!isKnown && !this.isOpen) await this.page.goto(this.nodeRed.url);
    if (!isKnown) await this.page.evaluate(setTheme, theme);
    this.#theme = theme;
    await this.page.goto(this.nodeRed.url);
    // The first page of a browser is parsed and compiled on a machine on which all else starts, too.
    await this.page.locator("#red-ui-header-toolbar:not(.hide)").waitFor({ timeout: 90_000 });
    const isDark = await this.page.locator("html.nr-theme-dark").count();
    should(isDark).equal(theme === "dark" ? 1 : 0, `the theme is not ${theme}`);
  }

  /**
   * Deploys these flows as another browser would, and loads the editor with them. Where the editor is open and at rest, it
   * only takes the flows: its page takes more than a second of a processor to load.
   */
  async openWith(flows: readonly FlowNode[], theme: Theme = "light"): Promise<void> {
    const isReady = this.isOpen && theme === this.#theme && (await this.inPage.letGo());
    await this.nodeRed.deploy(flows);
    await (isReady ? this.inPage.load() : this.open(theme));
  }

  /** Takes the deployed flows as the editor does when its page is loaded, in a tenth of the time. */
  async reload(): Promise<void> {
    if (await this.inPage.letGo()) await this.inPage.load();
    else await this.open();
  }

  /** What is around a form would be styled and painted again at each step in it; until the editor is loaded again. */
  async showOnlyForms(): Promise<void> {
    // Node-RED gives a form the room beside the sidebar: so that keeps its width.
    const content = `
      #red-ui-palette, #red-ui-workspace-chart { display: none }
      #red-ui-sidebar { content-visibility: hidden }`;
    const style = await this.page.addStyleTag({ content });
    await style.evaluate((element) => (element as unknown as Marked).setAttribute("data-of-test", ""));
  }

  /** Drags a node from the palette to a place in the flow, and tells its id. */
  async drag(type: string, place: { x: number; y: number }): Promise<string> {
    const before = new Set((await this.inPage.nodes()).map(({ id }) => id));
    const entry = this.page.locator(`.red-ui-palette-node[data-palette-type="${type}"]`);
    await entry.scrollIntoViewIfNeeded();
    await entry.hover();
    const chart = await this.page.locator("#red-ui-workspace-chart").boundingBox();
    const { mouse } = this.page;
    await mouse.down();
    // A drag begins with the first pixels.
    await mouse.move((chart?.x ?? 0) + place.x - 20, (chart?.y ?? 0) + place.y, { steps: 3 });
    await mouse.move((chart?.x ?? 0) + place.x, (chart?.y ?? 0) + place.y);
    await mouse.up();
    const added = (await this.inPage.nodes()).find(({ id }) => !before.has(id));
    if (!added) throw new Error(`Nothing was dropped: ${type}.`);
    return added.id;
  }

  /** Draws a wire from an output of a node to the input of another. */
  async wire(from: string, to: string, output = 0): Promise<void> {
    const port = (id: string, side: "output" | "input") =>
      this.page.locator(`[id="${id}"] .red-ui-flow-port-${side} .red-ui-flow-port`);
    const { mouse } = this.page;
    // A node that was just dropped may still grow with its label: a hover waits until the port stays where it is.
    await port(to, "input").hover();
    const target = await port(to, "input").boundingBox();
    await port(from, "output").nth(output).hover();
    await mouse.down();
    await mouse.move((target?.x ?? 0) + 2, (target?.y ?? 0) + 5, { steps: 4 });
    await mouse.move((target?.x ?? 0) + 5, (target?.y ?? 0) + 5);
    await mouse.up();
    const flow: Array<{ id: string; wires?: string[][] }> = JSON.parse(await this.inPage.completeFlow());
    const isDrawn = flow.some(({ id, wires }) => id === from && wires?.[output]?.includes(to));
    if (!isDrawn) throw new Error(`No wire was drawn from ${from} to ${to}.`);
  }

  /** Opens a node's form. */
  async form(id: string): Promise<Form> {
    return Form.opened(this.page, await this.inPage.edit(id));
  }

  /** The form of the config node that a button has just opened. */
  formOnTop(): Promise<Form> {
    return Form.opened(this.page, true);
  }

  /** Opens the form of a node where it is drawn, and uses the pointer in all that follows. */
  async formByDoubleClick(id: string): Promise<Form> {
    await this.page.locator(`[id="${id}"] .red-ui-flow-node`).first().dblclick();
    return Form.opened(this.page, false, true);
  }

  /** Puts text into the import dialog, and the flow where the mouse then is. */
  async importText(text: string): Promise<void> {
    const { page } = this;
    await page.keyboard.press("Control+i");
    const box = page.locator("#red-ui-clipboard-dialog-import-text");
    await box.fill(text);
    // The editor looks at the text at each key.
    await box.press("End");
    await page.locator("#red-ui-clipboard-dialog-ok").click();
    await box.waitFor({ state: "hidden" });
    await page.locator("#red-ui-workspace-chart").click({ position: { x: 300, y: 200 } });
  }

  async deploy(): Promise<void> {
    const answered = this.page.waitForResponse(
      (response) => response.url().endsWith("/flows") && response.request().method() === "POST",
    );
    await this.page.locator("#red-ui-header-button-deploy").click();
    const response = await answered;
    should(response.ok()).equal(true, "the deploy was refused");
    const { rev } = (await response.json()) as { rev: string };
    await this.page.locator("#red-ui-header-button-deploy.disabled").waitFor();
    await this.nodeRed.runs(rev);
  }
}

/** Files that start Node-RED as usual share it and the page, whose scripts the browser then knows. */
const sharedEditor = shared(
  () => Editor.start({}),
  (editor) => editor.close(),
);

/** An editor for the tests of one `describe`; in the end it must have met no error. */
export function useEditor(options: EditorOptions = {}): () => Editor {
  const isShared = Object.keys(options).length === 0;
  let editor: Editor | undefined;
  before(async function () {
    this.timeout(120_000);
    if (!hasBrowser()) return this.skip();
    editor = await (isShared ? sharedEditor() : Editor.start(options));
  });
  afterEach(() => editor?.leaveAll());
  after("the browser met no error", async () => {
    const complaints = [...(editor?.complaints ?? [])];
    await (isShared ? editor?.clear() : editor?.close());
    should(complaints).be.empty();
  });
  return () => {
    if (!editor) throw new Error("The editor is there once the tests run.");
    return editor;
  };
}

type Marked = { setAttribute(name: string, value: string): void };
type Page_ = { localStorage: { setItem(key: string, value: string): void } };

function setTheme(theme: string): void {
  (globalThis as unknown as Page_).localStorage.setItem("view-dark-theme", theme);
}

function logIn(token: string): void {
  const tokens = JSON.stringify({ access_token: token });
  (globalThis as unknown as Page_).localStorage.setItem("auth-tokens", tokens);
}
