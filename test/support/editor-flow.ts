import { type Editor, nodeTypes } from "./editor.ts";
import type { Typed } from "./editor-form.ts";
import type { InPage } from "./editor-in-page-types.ts";
import { rowOf } from "./editor-rows.ts";
import { type FlowNode, freshId } from "./node-red.ts";

/** The ids of the flow that holds one node of each type, by type. */
export type FlowOfAll = { flows: FlowNode[]; ids: Readonly<Record<string, string>> };

/** One node of each type of the package, as its form would store it with the settings of its row. */
export async function flowOfAll(editor: Editor): Promise<FlowOfAll> {
  const tab = freshId();
  const ids = Object.fromEntries(nodeTypes.map((type) => [type, freshId()]));
  const flows: FlowNode[] = [{ id: tab, type: "tab", label: "one of each" }];
  for (const [index, type] of nodeTypes.entries()) {
    const { typed, built } = rowOf(type);
    const { values, references, credentials, isConfig } = await defaultsOf(editor, type);
    const fields = stored(typed);
    const secrets = Object.entries(fields).filter(([name]) => credentials.includes(name));
    // The optional ones, too, so that each form shows all it has; not each of the many that a list has for itself.
    const chosen = references.filter(([name]) => !/\d$/.test(name)).map(([name, of]) => [name, ids[of]]);
    const node = {
      id: ids[type] ?? "",
      type,
      ...values,
      ...Object.fromEntries(chosen),
      ...Object.fromEntries(Object.entries(fields).filter(([name]) => !credentials.includes(name))),
      ...built?.stored,
      ...(secrets.length > 0 ? { credentials: Object.fromEntries(secrets) } : {}),
    };
    const first = references.find(([name]) => name === "contract1");
    flows.push({
      ...node,
      ...(first ? { contract1: ids[first[1]] } : {}),
      ...(isConfig
        ? {}
        : { z: tab, x: 200 + 250 * (index % 4), y: 60 + 60 * Math.floor(index / 4), wires: [] }),
    });
  }
  return { flows, ids };
}

type Defaults = Awaited<ReturnType<InPage["defaults"]>>;
const known = new Map<string, Defaults>();

/** Asked of an editor once: all of them run the same build, and one that is not open takes long to load. */
async function defaultsOf(editor: Editor, type: string): Promise<Defaults> {
  let defaults = known.get(type);
  if (defaults === undefined) {
    if (!editor.isOpen) await editor.open();
    defaults = await editor.inPage.defaults(type);
    known.set(type, defaults);
  }
  return structuredClone(defaults);
}

function stored(typed: Readonly<Record<string, Typed>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(typed).flatMap(([name, value]) =>
      typeof value === "object"
        ? [
            [name, value.value],
            [`${name}Type`, value.type],
          ]
        : [[name, value]],
    ),
  );
}
