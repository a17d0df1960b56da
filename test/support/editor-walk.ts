import type { Editor } from "./editor.ts";
import type { FlowOfAll } from "./editor-flow.ts";
import type { Form } from "./editor-form.ts";

/** Opens the form of each node type in turn, and leaves it without a change; nothing else is shown. */
export async function inEachForm(
  editor: Editor,
  { ids }: FlowOfAll,
  look: (form: Form, type: string) => Promise<void>,
): Promise<void> {
  const { inPage } = editor;
  await editor.showOnlyForms();
  for (const [type, id] of Object.entries(ids)) {
    const form = await editor.form(id);
    await look(form, type);
    await inPage.leave();
  }
}
