import type { ConfigNode } from "./api.ts";

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

/** Long enough that a person who types is not asked about each letter, short enough to be an answer. */
export const PAUSE_MS = 300;

type LiveCheck = {
  /** When nothing was typed for a moment. */
  soon(): void;
  now(): void;
};

/**
 * Asks a question while a person types into a field, and shows the answer to the latest one only, as long as the form
 * is open. `ask` gives nothing where there is nothing to ask; what fails counts as no answer.
 */
export function liveCheck<T>(
  field: JQuery,
  ask: () => Promise<T> | undefined,
  show: (answer: T | undefined) => void,
): LiveCheck {
  let latest = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isOpen = trackOpen(field);
  const now = (): void => {
    clearTimeout(timer);
    latest += 1;
    const question = latest;
    if (!isOpen()) return;
    const answered = (answer: T | undefined): void => {
      if (question === latest && isOpen()) show(answer);
    };
    Promise.resolve(ask()).then(answered, () => answered(undefined));
  };
  const soon = (): void => {
    clearTimeout(timer);
    // A request that is still running is about an older text.
    latest += 1;
    timer = setTimeout(now, PAUSE_MS);
  };
  return { soon, now };
}

/** What a field fires when it may have changed: typed inputs fire them all, too. */
export const TYPED = "change keyup paste input";

/** Tells of each node that is made or changed while this part of a form is open, as by a pencil in the form. */
export function onNodeChange(container: JQuery, changed: (node: ConfigNode) => void): void {
  RED.events.on("nodes:add", changed);
  RED.events.on("nodes:change", changed);
  trackOpen(container, () => {
    RED.events.off("nodes:add", changed);
    RED.events.off("nodes:change", changed);
  });
}

/** The same of contracts only. */
export function onContractChange(container: JQuery, changed: (contract: ConfigNode) => void): void {
  onNodeChange(container, (node) => {
    if (node.type === "crec-contract") changed(node);
  });
}
