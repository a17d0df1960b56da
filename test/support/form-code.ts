import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";

type Stored = Record<string, unknown>;
type Validate = (this: Stored, value: unknown, options: object) => boolean | string;
type Registered = {
  defaults: Record<string, { value: unknown; validate?: Validate }>;
  onadd(this: Stored): void;
};

/** What Node-RED has of a form whose code runs without a page. */
export type FormCode = {
  definition: Registered;
  /** What Node-RED does with each node that comes into the editor. */
  add(node: Stored): void;
  /** What is wrong with a stored property; `true` where nothing is. */
  judge(node: Stored, name: string): boolean | string;
};

/**
 * Registers a node type as a form in the browser does, with an editor in which no form is open.
 * @param code ends in a call of `forms.registerType`; it can use `describeNode` and `defaultsOf`
 */
export async function formCode(code: string): Promise<FormCode> {
  const { outputFiles } = await build({
    bundle: true,
    format: "iife",
    write: false,
    logLevel: "silent",
    stdin: {
      contents: [
        'import { describeNode } from "./nodes/common/shared/fields.ts";',
        'import { defaultsOf } from "./nodes/common/build/registration.ts";',
        'import { forms } from "./nodes/common/editor/node-form.ts";',
        code,
      ].join("\n"),
      resolveDir: fileURLToPath(new URL("../..", import.meta.url)),
      loader: "ts",
    },
  });
  const registered: Registered[] = [];
  const added: Array<(node: Stored) => void> = [];
  const RED = {
    nodes: {
      registerType: (_type: string, definition: Registered) => registered.push(definition),
      node: () => null,
      eachConfig: () => undefined,
    },
    workspaces: { active: () => "tab" },
    events: { on: (_event: string, hear: (node: Stored) => void) => added.push(hear) },
    editor: { getEditStack: () => [] },
    history: { peek: () => undefined },
  };
  const $ = () => ({ length: 0, next: () => ({ length: 0 }) });
  runInNewContext(outputFiles[0]?.text ?? "", { RED, $, queueMicrotask });
  const [definition] = registered;
  if (!definition) throw new Error("The code registers no node type");
  return {
    definition,
    add: (node) => {
      for (const hear of added) hear(node);
    },
    judge: (node, name) => {
      const edited = { ...node, _: (key: string) => key };
      return definition.defaults[name]?.validate?.call(edited, node[name], {}) ?? true;
    },
  };
}
