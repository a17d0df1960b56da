const OPEN = "crec-with-rehearsal";

/**
 * The place below the flow: above the buttons at the bottom of the workspace, and beside the sidebar where that lies over
 * the workspace, as it does since Node-RED 5.
 */
export class Place {
  readonly #observer = new ResizeObserver(() => this.#measure());

  put(element: HTMLElement): void {
    const workspace = document.getElementById("red-ui-workspace");
    workspace?.append(element);
    workspace?.classList.add(OPEN);
    for (const part of [workspace, document.getElementById("red-ui-sidebar")])
      if (part) this.#observer.observe(part);
    this.#measure();
  }

  remove(element: HTMLElement): void {
    this.#observer.disconnect();
    element.remove();
    document.getElementById("red-ui-workspace")?.classList.remove(OPEN);
    document.getElementById("red-ui-workspace-chart")?.focus();
  }

  #measure(): void {
    const workspace = document.getElementById("red-ui-workspace");
    if (!workspace) return;
    const all = workspace.getBoundingClientRect();
    const footer = document.getElementById("red-ui-workspace-footer")?.getBoundingClientRect();
    const sidebar = document.getElementById("red-ui-sidebar")?.getBoundingClientRect();
    const below = footer && footer.height > 0 ? all.bottom - footer.top : 0;
    const beside = sidebar && sidebar.width > 0 ? all.right - sidebar.left : 0;
    workspace.style.setProperty("--crec-footer", `${Math.max(0, Math.ceil(below))}px`);
    workspace.style.setProperty("--crec-beside", `${Math.max(0, Math.ceil(beside))}px`);
  }
}
