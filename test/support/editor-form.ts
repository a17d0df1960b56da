import type { Locator, Page } from "playwright-core";
import type { InPage } from "./editor-in-page-types.ts";

/** What a person puts into a field: text, a tick, or a value with where it is taken from. */
export type Typed = string | boolean | { type: string; value: string };

/** Above this many characters a text is pasted: nobody types an address. */
const TYPED_AT_MOST = 16;
const LONG = "textarea";
/**
 * How many characters of a typed text are pressed as keys; those before them are filled in at once. Each key takes
 * milliseconds of four processes. The first of the two shows that the form listens to keys, the second that the box then
 * still has the focus and the caret.
 */
const LAST_KEYS = 2;
/** What a typed input shows in place of its field. */
const BOX = 'input[contains(@class, "red-ui-typedInput-input")]';

/** The form on top: of a node, or of a config node. */
export class Form {
  readonly #page: Page;
  readonly #isConfig: boolean;
  readonly #prefix: string;
  readonly root: Locator;
  readonly #buttons: string;
  readonly #byPointer: boolean;

  private constructor(page: Page, isConfig: boolean, byPointer: boolean) {
    this.#page = page;
    this.#isConfig = isConfig;
    this.#byPointer = byPointer;
    this.#prefix = isConfig ? "node-config-input" : "node-input";
    this.#buttons = isConfig ? "#node-config-dialog" : "#node-dialog";
    this.root = page.locator(isConfig ? "#node-config-dialog-edit-form" : "#dialog-form");
  }

  /**
   * Waits until the form stands still. A form takes half as long again to open and close by the pointer: so only the guide
   * to the first flow does that, and its forms on top.
   */
  static async opened(page: Page, isConfig: boolean, byPointer = false): Promise<Form> {
    const form = new Form(page, isConfig, byPointer);
    await (byPointer ? form.#openedForPointer() : inPageOf(page, "opened", isConfig));
    return form;
  }

  async #openedForPointer(): Promise<void> {
    // While it slides in, a click would miss.
    await this.#page.locator(`${this.#buttons}-ok`).click({ trial: true });
    // The buttons come first: the fields follow once Node-RED has fetched the credentials.
    await this.root.waitFor();
  }

  field(name: string): Locator {
    return this.root.locator(`[id="${this.#prefix}-${name}"]`);
  }

  /** The box that is seen: a typed input has one of its own beside the field. */
  box(name: string): Locator {
    return this.#boxOf(`${this.#prefix}-${name}`);
  }

  /** As XPath, which the browser itself evaluates: other ways to ask for what has no class look at all of the page. */
  #boxOf(id: string): Locator {
    const typed = 'contains(@class, "red-ui-typedInput")';
    const usual = `//*[@id="${id}"][not(${typed})]`;
    return this.#page.locator(
      `xpath=${usual} | //*[@id="${id}"][${typed}]/following-sibling::div[1]//${BOX}`,
    );
  }

  async fill(name: string, typed: Typed): Promise<void> {
    await this.#fill(`${this.#prefix}-${name}`, typed);
  }

  /** Fills the field with this label, in the parts that a form builds itself. */
  async fillLabelled(label: string | RegExp, typed: Typed): Promise<void> {
    const labels = this.root.locator("label:visible", { hasText: label });
    const id = await labels.first().getAttribute("for");
    await this.#fill(String(id), typed);
  }

  async #fill(id: string, typed: Typed): Promise<void> {
    const field = this.root.locator(`[id="${id}"]`);
    const { isFolded, isSelect } = await field.evaluate(looksOf);
    if (isFolded) await field.locator("xpath=ancestor::details[not(@open)]/summary").click();
    if (typeof typed === "boolean") {
      await field.setChecked(typed);
      return;
    }
    if (isSelect) {
      await field.selectOption(String(typeof typed === "object" ? typed.value : typed));
      return;
    }
    if (typeof typed === "object") await this.#takeFrom(field, typed.type);
    await this.#write(this.#boxOf(id), typeof typed === "object" ? typed.value : typed);
  }

  async #takeFrom(field: Locator, type: string): Promise<void> {
    await field.locator("+ div > .red-ui-typedInput-type-select").click();
    await this.#page.locator(`.red-ui-typedInput-options:visible a[value="${type}"]`).click();
  }

  async #write(box: Locator, text: string): Promise<void> {
    const isLong =
      text.length > TYPED_AT_MOST || (await box.evaluate((element, tag) => element.matches(tag), LONG));
    const keys = isLong ? "" : text.slice(-LAST_KEYS);
    await box.fill(text.slice(0, text.length - keys.length));
    if (keys !== "") await box.pressSequentially(keys);
    // What is offered while typing hides what lies below; leaving the box is what tells the form of a change.
    await box.dispatchEvent("change");
    await box.blur();
  }

  /** What a field shows. */
  async shows(name: string): Promise<Typed> {
    const field = this.field(name);
    if (await field.evaluate((element) => element.matches("[type=checkbox]"))) return field.isChecked();
    return this.box(name).inputValue();
  }

  /** Waits until a field shows what the form itself puts there. */
  async settled(name: string, text: RegExp): Promise<void> {
    for (;;) {
      if (text.test(await this.box(name).inputValue())) return;
      await this.#page.waitForTimeout(20);
    }
  }

  /** Chooses the first option that reads so, wherever in the form it is offered. */
  async choose(option: string | RegExp): Promise<void> {
    const select = this.root.locator("select:visible", {
      has: this.#page.locator("option", { hasText: option }),
    });
    await select.first().waitFor();
    const value = await select.first().locator("option", { hasText: option }).first().getAttribute("value");
    await select.first().selectOption(String(value));
  }

  /** Unfolds a section where the form is used by the pointer: another form opens with all of them unfolded. */
  async unfold(title: string): Promise<void> {
    const folded = this.root.locator("details:not([open]) > summary", { hasText: title });
    if ((await folded.count()) > 0) await folded.click();
  }

  /** The + beside a config node. */
  async addConfig(name: string): Promise<Form> {
    await this.#page.locator(`[id="${this.#prefix}-btn-${name}-add"]`).click();
    return Form.opened(this.#page, true, this.#byPointer);
  }

  done(): Promise<void> {
    return this.#close("ok");
  }

  cancel(): Promise<void> {
    return this.#close("cancel");
  }

  async #close(button: "ok" | "cancel"): Promise<void> {
    if (!this.#byPointer) return inPageOf(this.#page, "close", this.#isConfig, button);
    // The form below may look the same: this one is marked, and waited for.
    await this.root.evaluate((form) => form.setAttribute("data-closing", ""));
    await this.#page.locator(`${this.#buttons}-${button}`).click();
    await this.#page.locator("[data-closing]").waitFor({ state: "detached" });
  }

  /**
   * Runs `check` in each state of the form that shows other fields: as it is, and with each option of each choice.
   * `hasNew`: whether it shows a field that no state before it has shown. Afterwards the form is as it was.
   */
  async inEachState(inPage: InPage, check: (state: string, hasNew: boolean) => Promise<void>): Promise<void> {
    const states = new Set<string>();
    const known = new Set<string>();
    const look = async (state: string) => {
      const fields = await inPage.fields();
      if (states.has(fields.join())) return;
      states.add(fields.join());
      const hasNew = fields.some((field) => !known.has(field));
      for (const field of fields) known.add(field);
      await check(state, hasNew);
    };
    await look("as it opens");
    for (const { id } of await inPage.choices()) await this.#inEachOption(inPage, id, look);
  }

  async #inEachOption(inPage: InPage, id: string, look: (state: string) => Promise<void>): Promise<void> {
    const choice = (await inPage.choices()).find((one) => one.id === id);
    for (const option of choice?.options ?? []) {
      await inPage.choose(id, option);
      await look(`${id} = ${option}`);
    }
    if (choice) await inPage.choose(id, choice.chosen);
  }
}

/** Calls a function of editor-in-page.js. */
export function inPageOf<Name extends keyof InPage>(
  page: Page,
  name: Name,
  ...args: Parameters<InPage[Name]>
): ReturnType<InPage[Name]> {
  return page.evaluate(
    ([method, values]) => {
      const { inEditor } = globalThis as unknown as {
        inEditor: Record<string, (...all: readonly unknown[]) => unknown>;
      };
      return inEditor[method]?.(...values);
    },
    [name as string, args as readonly unknown[]] as const,
  ) as ReturnType<InPage[Name]>;
}

/** Runs in the page. */
function looksOf(element: { matches(selector: string): boolean }): { isFolded: boolean; isSelect: boolean } {
  return { isFolded: element.matches("details:not([open]) *"), isSelect: element.matches("select") };
}
