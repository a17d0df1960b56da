import { isReference } from "../shared/variables.ts";

/**
 * Puts `${NAME}` in place of an address that it stands for: a sentence must not show what is in the environment.
 * @param addresses as the form has them, and what they stand for
 */
export function concealing(
  addresses: ReadonlyArray<{ written: string; value: string }>,
): (sentence: string) => string {
  const hidden = addresses.flatMap(({ written, value }) => {
    if (!isReference(written) || value === "") return [];
    const { href, host, hostname } = URL.canParse(value)
      ? new URL(value)
      : { href: value, host: value, hostname: value };
    return [value, href, host, hostname].map((part) => [part, written] as const);
  });
  return (sentence) =>
    hidden.reduce((text, [part, written]) => (part === "" ? text : text.replaceAll(part, written)), sentence);
}
