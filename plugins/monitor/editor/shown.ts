/**
 * Reports whether a part of the page can be seen: its tab is chosen, the sidebar is open, and the browser shows the page.
 * Node-RED informs a tab only when it is opened. A part that is hidden has no size.
 */
export function whenShown(part: HTMLElement, onChange: (isShown: boolean) => void): void {
  let isShown = false;
  const look = (): void => {
    const { width, height } = part.getBoundingClientRect();
    const isNow = width > 0 && height > 0 && document.visibilityState === "visible";
    if (isNow === isShown) return;
    isShown = isNow;
    onChange(isShown);
  };
  new ResizeObserver(look).observe(part);
  document.addEventListener("visibilitychange", look);
}
