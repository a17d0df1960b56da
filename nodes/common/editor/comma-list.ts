import type { CompletionSearch } from "./api.ts";

/** The same search for a box that holds several values with commas between: it completes the last of them. */
export function completeLast(search: CompletionSearch): CompletionSearch {
  return (text, done) => {
    const [, before = "", last = ""] = /^(.*,\s*)?(.*)$/s.exec(text) ?? [];
    search(last, (found) => done(found.map(({ value, label }) => ({ value: before + value, label }))));
  };
}
