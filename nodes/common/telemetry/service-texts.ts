/** Longer ones say no more to a person. */
const LONGEST = 200;

/** A text of an answer, cut. Empty for anything else: the library checks no field of an answer but its id. */
export function serviceText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, LONGEST) : "";
}

/** Those that are text, cut. */
export function serviceTexts<T extends Readonly<Record<string, unknown>>>(values: T): Partial<T> {
  const texts = Object.entries(values).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(texts.map(([name, value]) => [name, serviceText(value)])) as Partial<T>;
}
