/** The most that Node-RED gives a list, with its border. */
const HEIGHT = 210;

/** A list with no room below its box opens upwards: Node-RED would lay it over the box. To be called once. */
export function openListsUpwards(): void {
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const added of addedNodes) place($(added as HTMLElement));
  }).observe(document.body, { childList: true });
}

function place(panel: JQuery): void {
  const box = document.activeElement;
  if (!panel.hasClass("red-ui-autoComplete-container") || !box?.classList.contains("red-ui-autoComplete"))
    return;
  const { top, bottom } = box.getBoundingClientRect();
  const below = window.innerHeight - bottom;
  if (below < HEIGHT && top > below) panel.css({ top: "auto", bottom: `${window.innerHeight - top}px` });
}
