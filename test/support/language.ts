import type { Editor } from "./editor.ts";
import type { FlowNode } from "./node-red.ts";

/** Loads the editor in a language, as a person chooses it in the user settings; without one, in that of the browser. */
export async function useLanguage(
  editor: Editor,
  tag: string | undefined,
  flows: readonly FlowNode[],
): Promise<void> {
  if (!editor.isOpen) await editor.open();
  await editor.page.evaluate(storeLanguage, tag ?? "");
  await editor.nodeRed.deploy(flows);
  await editor.open();
}

type Storage = { localStorage: { setItem(key: string, value: string): void; removeItem(key: string): void } };

function storeLanguage(tag: string): void {
  const { localStorage } = globalThis as unknown as Storage;
  if (tag === "") localStorage.removeItem("editor-language");
  else localStorage.setItem("editor-language", tag);
}

type Box = { top: number; width: number };
type Walker = { nextNode(): boolean; currentNode: { textContent: string } };
type Page = {
  document: {
    createTreeWalker(of: unknown, what: number): Walker;
    createRange(): {
      setStart(node: unknown, at: number): void;
      setEnd(node: unknown, at: number): void;
      getClientRects(): Iterable<Box>;
    };
  };
};
type Shown = {
  querySelectorAll(selector: string): Iterable<Shown>;
  checkVisibility(): boolean;
  textContent: string;
};

/** Runs in the page: labels and buttons whose words are broken, and labels of fields on more than two lines. */
export function wrapsBadly(form: unknown): string[] {
  const { document } = globalThis as unknown as Page;
  const MOST_LINES = 2;
  const TEXT_NODES = 4;
  const tops = (node: unknown, from: number, to: number) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return new Set(
      [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)),
    );
  };
  const found: string[] = [];
  /** A name in the ABI of a contract, as long as widest-forms.ts has it. */
  const isName = (text: string) => /\w{25}/.test(text);
  const look = (element: Shown, isLabel: boolean) => {
    if (!element.checkVisibility() || isName(element.textContent)) return;
    const lines = new Set<number>();
    const walker = document.createTreeWalker(element, TEXT_NODES);
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent;
      for (const top of tops(walker.currentNode, 0, text.length)) lines.add(top);
      // Words of languages with spaces; in others, a line may end after any character.
      for (const word of text.matchAll(/[\p{Script=Latin}\p{M}]{2,}/gu)) {
        const isBroken = tops(walker.currentNode, word.index, word.index + word[0].length).size > 1;
        if (isBroken) found.push(`"${word[0]}" is broken in "${element.textContent.trim()}"`);
      }
    }
    if (isLabel && lines.size > MOST_LINES)
      found.push(`"${element.textContent.trim()}" has ${lines.size} lines`);
  };
  const all = form as Shown;
  for (const element of all.querySelectorAll(".form-row > label:not(.crec-tick)")) look(element, true);
  for (const element of all.querySelectorAll("button, .crec-tick, summary, legend, h4")) look(element, false);
  return found;
}
