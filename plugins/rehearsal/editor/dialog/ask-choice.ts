import type { EditedNode } from "../../../../nodes/common/editor/api.ts";
import { askInDialog } from "../../../../nodes/common/editor/dialog.ts";
import { addStyle, button, make } from "../../../../nodes/common/editor/elements.ts";
import type { StartQuestion } from "../../types.ts";
import { editorFlows, foreignModules, tabsOf } from "../flows.ts";
import { STYLE } from "../style.ts";
import { word } from "../words.ts";
import { check, input, replyFields, row, tabFields } from "./fields.ts";
import { type EnteredSpan, spanFields } from "./span-fields.ts";

/** What a person chose. The flows are those of the moment at which it starts. */
export type Choice = Omit<StartQuestion, "flows" | "span"> & { span: EnteredSpan };

const FORM = "crec-rehearse-form";

/** Whether the dialog is open. */
export function isAsking(): boolean {
  return document.querySelector(`.${FORM}`) !== null;
}

/**
 * Asks what is rehearsed. `before`: the last choice, from which it starts. `showLast`: shows the report of the last
 * rehearsal, where there is one.
 */
export function askChoice(
  before: Choice | undefined,
  start: (choice: Choice) => void,
  showLast: (() => void) | undefined,
): void {
  addStyle("crec-rehearsal-style", STYLE);
  const flows = editorFlows();
  const ids = tabsOf(flows).map(({ id }) => id);
  // Tabs of the last choice may have been deleted since.
  const last = ids.filter((id) => before?.tabs.includes(id));
  const active = RED.workspaces.active();
  const tabs = tabFields(flows, last.length > 0 ? last : ids.filter((id) => id === active));
  const span = spanFields(before?.span, before?.goOn);

  const context = check(word("label.context"), before?.copyContext);
  const query = check(word("label.queries"), before?.askQueries);
  const seed = input("number", String(before?.seed ?? 1));
  const modules = foreignModules(flows).map((name) => ({
    name,
    ...check(name, before?.modules.includes(name)),
  }));
  const more = make("details", "", make("summary", "", word("label.options")));
  more.open = before !== undefined && (before.copyContext || before.askQueries || before.modules.length > 0);
  more.append(
    context.element,
    make("p", "crec-hint", word("hint.context")),
    query.element,
    make("p", "crec-hint", word("hint.queries")),
    row(word("label.seed"), seed),
    make("p", "crec-hint", word("hint.seed")),
  );
  if (modules.length > 0) {
    more.append(make("p", "", word("label.modules")));
    more.append(...modules.map(({ element }) => element), make("p", "crec-hint", word("hint.modules")));
  }

  const replies = replyFields(flows, before?.replies ?? {});
  more.append(replies.element);
  if (before && Object.keys(before.replies).length > 0) more.open = true;

  const problem = make("p", "crec-problem");
  problem.setAttribute("role", "alert");
  problem.hidden = true;
  const safe = make("p", "crec-hint", word("hint.safe"));
  const toLast =
    showLast &&
    button(
      word("label.last-report"),
      () => {
        $(content).closest(".ui-dialog-content").dialog("close");
        showLast();
      },
      "fa-history",
    );
  const content: HTMLElement = make(
    "form",
    `${FORM} form-horizontal`,
    ...(toLast ? [toLast] : []),
    safe,
    tabs.element,
    span.element,
    more,
    problem,
  );
  const act = (): boolean => {
    const [tabIds, entered, goOn, answers] = [tabs.read(), span.read(), span.goOn(), replies.read()];
    const wrong = [
      tabIds,
      entered,
      goOn,
      answers,
      Number.isSafeInteger(seed.valueAsNumber) || word("error.seed"),
    ];
    const said = wrong.find((one) => typeof one === "string");
    problem.hidden = said === undefined;
    problem.textContent = said ?? "";
    if (typeof tabIds === "string" || typeof entered === "string" || said !== undefined) return false;
    if (typeof goOn === "string" || typeof answers === "string") return false;
    start({
      tabs: tabIds,
      span: entered,
      copyContext: context.box.checked,
      askQueries: query.box.checked,
      modules: modules.filter(({ box }) => box.checked).map(({ name }) => name),
      seed: seed.valueAsNumber,
      goOn,
      replies: answers,
    });
    return true;
  };
  const words = { _: (key: string) => RED._(key) } as EditedNode;
  askInDialog(words, {
    title: word("label.dialog"),
    content: $("<div>").append(content),
    action: word("label.start"),
    act,
  });
}
