import { stopHere } from "./row-list.ts";

const STEPS: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowDown: (index, last) => Math.min(index + 1, last),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_index, last) => last,
};

/** The arrow keys go from row to row, over the sections; Home and End to the ends of a list. */
export function useArrowKeys(content: HTMLElement): void {
  content.addEventListener("keydown", (event) => {
    const from = (event.target as Element).closest<HTMLElement>(".crec-row-main");
    const step = STEPS[event.key];
    if (!from || !step) return;
    const isWithin = event.key === "Home" || event.key === "End";
    const around = isWithin ? from.closest(".crec-rows") : content;
    const mains = [...(around ?? content).querySelectorAll<HTMLElement>(".crec-row-main")].filter((main) =>
      main.checkVisibility(),
    );
    event.preventDefault();
    // Node-RED moves selected nodes by the same keys.
    event.stopPropagation();
    mains[step(mains.indexOf(from), mains.length - 1)]?.focus();
  });
  content.addEventListener("focusin", (event) => {
    const main = (event.target as Element).closest<HTMLElement>(".crec-row-main");
    const list = main?.closest(".crec-rows");
    for (const one of list?.querySelectorAll<HTMLElement>(".crec-row-main") ?? [])
      stopHere(one, one === main);
  });
}
