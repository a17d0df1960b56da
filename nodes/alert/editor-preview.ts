import type { EditedNode } from "../common/editor/api.ts";
import { fieldAt } from "../common/editor/conditions/fields.ts";
import type { ConditionRows } from "../common/editor/conditions/rows.ts";
import { inputOf, partOf } from "../common/editor/form-fields.ts";
import { liveCheck, TYPED } from "../common/editor/live-check.ts";
import { NODE } from "./fields.ts";

const PLACE = /\{\{([^{}]*)\}\}/g;

/** Shows title and text as a person would read them, and reports a field that the contract's events do not have. */
export function showPreview(node: EditedNode, rows: ConditionRows): void {
  const part = partOf(NODE, "preview").addClass("crec-hint").css("margin-bottom", "12px");
  const look = liveCheck<{ read: string; unknown: string[] }>(
    part,
    () => {
      const texts = ["title", "text"].map((name) => String(inputOf(name).val() ?? "").trim());
      return Promise.resolve({
        read: texts.filter(Boolean).map(asRead).join(" · "),
        unknown: texts.flatMap((text) => pathsIn(text)).filter((path) => isUnknown(rows, path)),
      });
    },
    (shown) => {
      const { read = "", unknown = [] } = shown ?? {};
      part.empty().toggle(read !== "");
      if (read !== "")
        $("<div>")
          .text(node._("alert.preview.reads", { text: read }))
          .appendTo(part);
      if (unknown[0] !== undefined)
        $('<div class="crec-problem">')
          .text(node._("alert.preview.unknown", { path: unknown[0] }))
          .appendTo(part);
    },
  );
  inputOf("title")
    .add(inputOf("text"))
    .on(TYPED, () => look.soon());
  rows.onChange(() => look.soon());
  look.now();
}

/** Each field by its name, since there is no event yet. */
function asRead(text: string): string {
  return text.replaceAll(PLACE, (_all, path: string) => `‹${path.trim().replace(/^params\./, "")}›`);
}

function pathsIn(text: string): string[] {
  return [...text.matchAll(PLACE)].map(([, path = ""]) => path.trim());
}

/** Only a parameter can be known to be missing, and only by an ABI. */
function isUnknown(rows: ConditionRows, path: string): boolean {
  const hasEvents = rows.groups().some(({ event }) => event !== undefined);
  if (!hasEvents || !path.startsWith("params.")) return false;
  const [, name = ""] = path.split(/[.[\]]/);
  const isPart = rows
    .groups()
    .some(({ fields }) => fields.some((field) => field.path.startsWith(`params.${name}.`)));
  return !isPart && fieldAt(rows.groups(), `params.${name}`) === undefined;
}
