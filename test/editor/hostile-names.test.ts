import type { Page, Route } from "playwright-core";
import should from "should";
import { useEditor } from "../support/editor.ts";
import { type FlowOfAll, flowOfAll } from "../support/editor-flow.ts";
import type { Form } from "../support/editor-form.ts";
import { inEachForm } from "../support/editor-walk.ts";

const HOSTILE = `<img src="data:," onerror="globalThis.isTaken = true">`;
/** What forms compare with words of their own. */
const WORDS: ReadonlySet<string> = new Set(["code", "state", "output", "unit", "from", "position"]);
const NOBODY = `0x${"12".repeat(20)}`;

/** What a service, a contract or a flow of someone else could answer: each text is HTML. */
function hostile(answer: unknown, name = ""): unknown {
  if (typeof answer === "string") {
    const isText = !WORDS.has(name) && !/^(0x|\d+$)/.test(answer);
    return isText ? `${HOSTILE}${answer}` : answer;
  }
  if (Array.isArray(answer)) return answer.map((item) => hostile(item, name));
  if (typeof answer !== "object" || answer === null) return answer;
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, hostile(value, key)]));
}

async function answerHostile(route: Route): Promise<void> {
  const response = await route.fetch();
  const answer = (await response.json()) as { deployed?: boolean };
  const notes = answer.deployed ? { lastError: "down", unknownTypes: ["odd.type"] } : {};
  await route.fulfill({ response, json: hostile({ ...answer, ...notes }) });
}

/** A form with its lists and results, which show what was answered. */
const SHOWN: Readonly<Record<string, (form: Form, page: Page) => Promise<void>>> = {
  "crec-connection": async (form) => {
    await press(form, "#crec-connection-test");
    await shows(form, "#crec-connection-test-result");
  },
  "crec-channel": (form, page) => offers(form, page, "channel"),
  "crec-contract": async (form, page) => {
    await press(form, "#crec-contract-read");
    await shows(form, "#crec-contract-read-result");
    await offers(form, page, "address");
  },
  "crec-signer": async (form, page) => {
    await press(form, "#crec-signer-generate");
    await page.locator(".ui-dialog:has(.crec-dialog) button", { hasText: "Cancel" }).click();
  },
  "crec-create-watcher": (form, page) => offers(form, page, "address"),
  "crec-events-in": async (form, page) => {
    await offers(form, page, "address");
    await press(form, "#crec-events-in-last");
    await page.locator(".ui-dialog:has(.crec-dialog) button.primary").click();
    await shows(form, "#crec-events-in-last-result");
    await shows(form, "#crec-events-in-report");
  },
  "crec-submit-operation": async (form) => {
    await press(form, "#crec-submit-operation-preview");
    await shows(form, "#crec-submit-operation-preview-result");
  },
};

function press(form: Form, button: string): Promise<void> {
  return form.root.locator(button).click();
}

function shows(form: Form, part: string): Promise<void> {
  return form.root.locator(part, { hasText: HOSTILE }).waitFor();
}

async function offers(form: Form, page: Page, name: string): Promise<void> {
  await form.box(name).click();
  const list = page.locator(".red-ui-autoComplete-container:visible", { hasText: HOSTILE });
  await list.waitFor();
  await form.box(name).press("Escape");
}

describe("names that are HTML", function () {
  this.timeout(180_000);
  const editor = useEditor();
  const isTaken = () => editor().page.evaluate("globalThis.isTaken === true");

  it("are shown as text, in each form and in what it opens", async () => {
    const { page, inPage } = editor();
    const all = await flowOfAll(editor());
    await editor().openWith(all.flows.map((node) => ({ ...node, name: HOSTILE, label: HOSTILE })));
    await page.route("**/crec/**", answerHostile);
    const rejected = { offset: 1, topic: HOSTILE, output: "rejected", why: HOSTILE };
    await page.route("**/last", (route) => route.fulfill({ json: rejected }));
    const taken: string[] = [];
    await inEachForm(editor(), all, async (form, type) => {
      await inPage.unfold();
      await SHOWN[type]?.(form, page);
      if (await isTaken()) taken.push(type);
      await page.evaluate("globalThis.isTaken = false");
    });
    should(taken).be.empty();
    await page.unrouteAll({ behavior: "wait" });
  });

  describe("outside of the forms", () => {
    let ids: FlowOfAll["ids"];

    before(async () => {
      const { flows, ids: all } = await flowOfAll(editor());
      ids = all;
      const families = [{ family: HOSTILE, validSigners: "", minRequiredSignatures: "1" }];
      await editor().openWith(
        flows.map((node) => (node.id === ids["crec-connection"] ? { ...node, families } : node)),
      );
    });

    it("are text in a notice about a contract that is added", async () => {
      const { page } = editor();
      await page.route("**/crec/contract/read", (route) =>
        route.fulfill({ json: { isContract: false, network: HOSTILE, channel: HOSTILE } }),
      );
      const form = await editor().form(String(ids["crec-contract"]));
      await form.fill("name", HOSTILE);
      await form.fill("address", NOBODY);
      await form.done();
      await page.locator(".red-ui-notification", { hasText: HOSTILE }).waitFor();
      should(await isTaken()).be.false();
    });

    it("are text in the sidebar, which says what is wrong with a connection", async () => {
      const { page, inPage } = editor();
      const { validationErrors } = await inPage.stored(String(ids["crec-connection"]));
      should(validationErrors.join("\n")).containEql("onerror").and.not.containEql("<");
      await page.evaluate((sentences) => {
        // As Node-RED shows them in its sidebar.
        const { $ } = globalThis as unknown as { $: (html: string) => unknown };
        $(`<span>${sentences.join("<br>")}</span>`);
      }, validationErrors);
      should(await isTaken()).be.false();
    });
  });
});
