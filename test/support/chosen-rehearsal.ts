import type { Editor } from "./editor.ts";

/** Notes that a rehearsal was started: until the page is loaded again, its dialog begins with what was chosen then. */
export async function markChosen({ page }: Editor): Promise<void> {
  await page.evaluate("globalThis.hasChosenRehearsal = true");
}

export function hasChosen({ page }: Editor): Promise<boolean> {
  return page.evaluate("globalThis.hasChosenRehearsal === true");
}
