import type { Editor } from "./editor.ts";
import type { FlowOfAll } from "./editor-flow.ts";
import { Form } from "./editor-form.ts";

/**
 * Opens the form of each node type in turn, and leaves it without a change; nothing else is shown. Without the pointer:
 * other tests open and close each form with it.
 */
export async function inEachForm(
  editor: Editor,
  { ids }: FlowOfAll,
  look: (form: Form, type: string) => Promise<void>,
): Promise<void> {
  const { inPage } = editor;
  await editor.showOnlyForms();
  for (const [type, id] of Object.entries(ids)) {
    const form = new Form(editor.page, await inPage.editAtOnce(id));
    await look(form, type);
    await inPage.leave();
  }
}
