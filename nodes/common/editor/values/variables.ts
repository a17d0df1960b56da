import type { Field, NodeDescription } from "../../shared/fields.ts";
import type { Answer, ShownVariable, ShownVariables } from "../../shared/form-types.ts";
import { isReference, STORED_PASSWORD } from "../../shared/variables.ts";
import type { EditedNode } from "../api.ts";
import { hintUnder, type Line } from "../form-rows.ts";
import { postJson } from "../lookups/admin-requests.ts";
import { liveCheck, TYPED } from "../while-open.ts";

const KINDS: ReadonlySet<Field["kind"]> = new Set(["text", "number", "credential"]);

/** Says under each field that is a variable what it stands for, as far as this person may know it. */
export function showVariables(
  edited: EditedNode,
  node: NodeDescription,
  inputOf: (name: string) => JQuery,
): void {
  const fields = Object.entries(node.fields).flatMap(([name, { kind }]) =>
    KINDS.has(kind) ? [{ name, input: inputOf(name) }] : [],
  );
  const [first] = fields;
  if (!first) return;
  const lines = new Map<string, Line>();
  const say = (name: string, input: JQuery, text: string): void => {
    // Most fields never have such a line.
    if (text !== "" && !lines.has(name)) lines.set(name, hintUnder(input));
    lines.get(name)?.say(text);
  };
  const asked = (): Record<string, string> => {
    const texts = fields.map(({ name, input }) => [name, String(input.val() ?? "").trim()] as const);
    return Object.fromEntries(texts.filter(([, text]) => isReference(text) || text === STORED_PASSWORD));
  };
  let shown = "";
  const check = liveCheck<Answer<ShownVariables>>(
    first.input,
    () => {
      const texts = asked();
      if (Object.keys(texts).length === 0) return undefined;
      return postJson("crec/variables", { id: edited.id, fields: texts });
    },
    // Only a help: a person who may not see it sees nothing.
    (answer) => {
      const variables = answer?.problem === undefined ? (answer?.variables ?? {}) : {};
      for (const { name, input } of fields) say(name, input, textOf(edited, variables[name]));
    },
  );
  const changed = (): void => {
    const now = JSON.stringify(asked());
    if (now === shown) return;
    shown = now;
    check.soon();
  };
  for (const { input } of fields) input.on(TYPED, changed);
  shown = JSON.stringify(asked());
  check.now();
}

function textOf(edited: EditedNode, variable: ShownVariable | undefined): string {
  if (!variable) return "";
  const { name, state, value = "", length = 0 } = variable;
  const reference = `\${${name}}`;
  switch (state) {
    case "set":
      return edited._("common.variable.set", { reference, value });
    case "secret":
      return edited._("common.variable.secret", { reference, count: length });
    case "unset":
      return edited._("common.variable.unset", { reference });
    case "undeployed":
      return edited._("common.variable.undeployed", { reference });
  }
}
