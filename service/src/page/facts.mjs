// @ts-check
// Renews the other sections of the page.

const EVERY_MS = 10_000;

/** Replaces each section that the service has made anew, unless the reader is in it. */
export function renewFacts() {
  setInterval(async () => {
    if (document.hidden) return;
    const answer = await fetch("/").catch(() => undefined);
    // The time line says that the service does not answer.
    if (answer?.ok !== true) return;
    const renewed = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const section of document.querySelectorAll("[data-renew]")) {
      const name = section.getAttribute("data-renew");
      const next = renewed.querySelector(`[data-renew="${name}"]`);
      const isRead = section.contains(document.activeElement) || getSelection()?.containsNode(section, true);
      if (next !== null && !isRead && next.textContent !== section.textContent) section.replaceWith(next);
    }
  }, EVERY_MS);
}
