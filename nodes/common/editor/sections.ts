import { isShown } from "../shared/field-rules.ts";
import type { Field, NodeDescription } from "../shared/fields.ts";
import { isChosen } from "../shared/variables.ts";
import type { EditedNode } from "./api.ts";
import { inputOf } from "./form-rows.ts";
import { type FormCheck, validatorOf } from "./values/field-validators.ts";
import { atPresent } from "./values/validate.ts";

type Named = [name: string, field: Field];
type Section = { header: JQuery; part: JQuery; fields: readonly Named[] };

/**
 * The folded sections of a form: the header of each says that a value in it is not the default, or wrong. What is wrong
 * must be seen, so it opens the section. One in which nothing applies is not shown.
 */
export function followSections(
  edited: EditedNode,
  node: NodeDescription,
  { partOf, checks = {} }: { partOf: (name: string) => JQuery; checks?: Readonly<Record<string, FormCheck>> },
): void {
  const other = (name: string) => atPresent(edited, name);
  // Node-RED marks no part that the form builds, and the form none of a stored row without a value.
  const isUnfit = ([name, { kind }]: Named): boolean => {
    const validate = kind === "custom" ? validatorOf(node, name, checks[name]) : undefined;
    return (validate?.call(edited, edited[name] as string) ?? true) !== true;
  };
  for (const section of sectionsOf(node, partOf)) {
    const { part, header } = section;
    const state = $('<span class="crec-section-state">').appendTo(header);
    let was = "";
    const look = (): void => {
      // While another form lies on top, its fields may have the same names.
      if (!part[0]?.isConnected) return;
      const fields = section.fields.filter(([name]) => isShown(node, name, other));
      part.toggle(fields.length > 0);
      const isWrong = fields.some((field) => isRefused(rowOf(partOf, field[0])) || isUnfit(field));
      const isChanged = fields.some(([name, field]) => isSet(edited, name, field, partOf));
      const is = isWrong ? "wrong" : isChanged ? "changed" : "";
      if (is === was) return;
      if (isWrong) part.prop("open", true);
      was = is;
      state
        .text(is === "" ? "" : ` · ${edited._(`common.section.${is}`)}`)
        .toggleClass("crec-problem", isWrong);
    };
    part.closest(".crec-form").on("change", look);
    // Node-RED marks wrong values after the change, and some problems come with an answer.
    const marks = new MutationObserver(look);
    marks.observe(part[0] as HTMLElement, { attributeFilter: ["class"], childList: true, subtree: true });
    look();
  }
}

/** Each folded section with its fields: those up to the next section. */
function sectionsOf(node: NodeDescription, partOf: (name: string) => JQuery): Section[] {
  const sections: Section[] = [];
  let fields: Named[] | undefined;
  for (const [name, field] of Object.entries(node.fields)) {
    if (field.kind === "section") {
      fields = undefined;
      if (!field.folded) continue;
      const part = partOf(name);
      fields = [];
      sections.push({ part, header: part.children("summary"), fields });
    } else if (field.kind !== "hidden") fields?.push([name, field]);
  }
  return sections;
}

function rowOf(partOf: (name: string) => JQuery, name: string): JQuery {
  const row = partOf(`${name}-row`);
  return row.length > 0 ? row : partOf(name);
}

/** By Node-RED, or by the form itself. */
function isRefused(row: JQuery): boolean {
  return row.find(".input-error").length > 0 || row.find(".crec-problem").text() !== "";
}

/** Whether the form shows another value than the default. What must be filled in anyway has none. */
function isSet(edited: EditedNode, name: string, field: Field, partOf: (name: string) => JQuery): boolean {
  switch (field.kind) {
    case "list": {
      const tickOf = (option: string) => partOf(`${name}-${option.replaceAll(".", "-")}`);
      return field.options.filter((option) => tickOf(option).prop("checked")).join() !== (field.usual ?? "");
    }
    case "boolean":
      return (field.numeric ? partOf(name) : inputOf(name)).prop("checked") !== field.default;
    case "config":
      return !field.preselect && isChosen(inputOf(name).val());
    case "custom":
      // What is stored of such a part is a list, empty by default.
      return field.default !== undefined && rowOf(partOf, name).find("li").length > 0;
    case "text":
    case "number":
    case "select":
    case "typed":
    case "credential": {
      const value = String(inputOf(name).val() ?? "");
      const usual = "default" in field ? (field.default ?? "") : "";
      const isDefault = field.kind === "number" ? !field.optional : edited[name] === undefined;
      if ((value === "" && isDefault) || ("required" in field && field.required)) return false;
      return value !== usual;
    }
    default:
      return false;
  }
}
