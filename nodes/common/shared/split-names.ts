/**
 * The names or signatures of events in a text that lists them: `Paid(address,uint256), Closed` are two. A comma
 * counts where as many brackets are closed as opened.
 */
export function splitNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let name = "";
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "," && depth <= 0) {
      names.push(name);
      name = "";
    } else {
      name += character;
    }
  }
  return [...names, name].map((one) => one.trim()).filter((one) => one !== "");
}
