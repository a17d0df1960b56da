/**
 * Tells whether a part of a form is still there. While another form lies on top of it, as one that a pencil opens, it
 * is not in the page, but comes back as it was left.
 */
export function trackOpen(part: JQuery, onClosed: () => void = () => undefined): () => boolean {
  let isOpen = true;
  // jQuery UI says so of what is removed for good.
  part.on("remove", () => {
    isOpen = false;
    onClosed();
  });
  return () => isOpen;
}
