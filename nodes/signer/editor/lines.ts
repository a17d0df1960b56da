import type { EditedNode } from "../../common/editor/api.ts";
import { addCheck, listOfChecks } from "../../common/editor/check-list.ts";
import type { TestCheck } from "../../common/shared/form-types.ts";
import type { KeyView } from "./key.ts";

/** What the three buttons share: their questions, and the list of what was found. */
export type Checks = {
  node: EditedNode;
  view: KeyView;
  /** The settings in the form, as its questions take them. */
  settings(): Record<string, string>;
  /**
   * Empties the list for a new question, and gives what adds lines to it. An answer to an older question, or about settings
   * that have changed since, adds nothing.
   */
  begin(): Lines;
};

export type Lines = {
  isCurrent(): boolean;
  clear(): void;
  add(state: TestCheck["state"], text: string): void;
  /** What is going on, with a button that ends it. */
  progress(text: string, onCancel?: () => void): void;
};

/** @param latest the number of the latest question */
export function linesIn(node: EditedNode, result: JQuery, question: number, latest: () => number): Lines {
  const isCurrent = () => question === latest();
  let list: JQuery | undefined;
  // The buttons may be at the lower edge of the form.
  const reveal = () => result[0]?.scrollIntoView({ block: "nearest" });
  return {
    isCurrent,
    clear: () => {
      if (isCurrent()) result.empty();
      list = undefined;
    },
    add: (state, text) => {
      if (!isCurrent()) return;
      list ??= listOfChecks(result);
      addCheck(node, list, state, text);
      reveal();
    },
    progress: (text, onCancel) => {
      if (!isCurrent()) return;
      const line = result.find(".crec-progress");
      if (line.length > 0) return void line.text(text);
      $('<span class="crec-progress">').text(text).appendTo(result);
      reveal();
      if (!onCancel) return;
      $('<button type="button" class="red-ui-button red-ui-button-small">')
        .css("margin-left", "8px")
        .text(node._("common.label.cancel"))
        .on("click", onCancel)
        .appendTo(result);
    },
  };
}
