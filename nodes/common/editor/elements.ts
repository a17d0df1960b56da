type Attributes = Readonly<Record<string, string | number>>;

/** An element of the page. Texts are texts, whatever is in them. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = "",
  ...content: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.append(...content);
  return made;
}

/** An element of a drawing. */
export function draw<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes,
  ...content: ReadonlyArray<Node | string>
): SVGElementTagNameMap[K] {
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [attribute, value] of Object.entries(attributes)) drawn.setAttribute(attribute, String(value));
  drawn.append(...content);
  return drawn;
}

/** A button as Node-RED has them. */
export function button(label: string, act: () => void, iconName?: string): HTMLButtonElement {
  const made = make("button", "red-ui-button red-ui-button-small");
  made.type = "button";
  if (iconName !== undefined) made.append(icon(iconName), " ");
  made.append(label);
  made.addEventListener("click", act);
  return made;
}

/** An icon of Font Awesome. It says nothing to those who cannot see it. */
export function icon(name: string): HTMLElement {
  const made = make("i", `fa ${name}`);
  made.setAttribute("aria-hidden", "true");
  return made;
}

/** Adds the style sheet of a part of the page, once. */
export function addStyle(id: string, text: string): void {
  if (document.getElementById(id)) return;
  const style = make("style", "", text);
  style.id = id;
  document.head.append(style);
}
