import { setImmediate as yieldToOthers } from "node:timers/promises";

/** How long it writes before it yields. */
const SLICE_MS = 5;

/** A page as JSON, written item by item: writing a hundred large ones together would block all other requests. */
export async function pageText(page: { data: readonly object[]; has_more: boolean }): Promise<string> {
  const items: string[] = [];
  let start = performance.now();
  for (const item of page.data) {
    items.push(JSON.stringify(item));
    if (performance.now() - start < SLICE_MS) continue;
    await yieldToOthers();
    start = performance.now();
  }
  return `{"data":[${items.join(",")}],"has_more":${page.has_more}}`;
}
