/** The most that Node-RED gives a list, with its border. */
const HEIGHT = 210;

/** A list with no room below its box opens upwards: Node-RED would lay it over the box. To be called once. */
function openListsUpwards(): void {
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

/**
 * The layout of all forms. Fields begin after the label, which Node-RED makes 100px wide, and end at 70% of the form.
 * What stands under a field keeps to the same edges.
 */
const STYLE = `
.crec-form {
  /* Node-RED opens a form as wide as its longest text would like. With this, all forms open at the same width. */
  contain: inline-size;
  contain-intrinsic-inline-size: 560px;
  overflow-wrap: anywhere;
}
.crec-form .form-row { margin-bottom: 8px }
/* In Japanese: narrow kana, and no line that begins with a small one. */
.crec-form .form-row > label { vertical-align: middle; font-feature-settings: "palt"; line-break: strict }
.crec-form .form-row > .crec-top { vertical-align: top }
.crec-form .form-row > .crec-first-line { padding-top: 7px }
.crec-form .form-row > .crec-tick, .crec-form .crec-list { width: auto; max-width: calc(100% - 110px) }
.crec-form .crec-list { display: inline-block }
.crec-form .crec-list .crec-hint { margin-left: 0; max-width: none }
.crec-form .crec-hint, .crec-form .crec-result, .crec-form .crec-button { margin-left: 105px }
.crec-form .crec-hint { margin-top: 3px; font-size: 0.9em; color: var(--red-ui-secondary-text-color) }
.crec-form .crec-result { margin-top: 6px }
.crec-form .crec-hint, .crec-form .crec-result { max-width: 70% }
.crec-form .crec-section-state { color: var(--red-ui-secondary-text-color) }
.crec-form .crec-problem { color: var(--red-ui-text-color-error) }
.crec-form .form-tips { box-sizing: border-box; max-width: calc(105px + 70%); margin-bottom: 12px }
.crec-form details { margin-bottom: 8px }
.crec-form summary { cursor: pointer }
.crec-form details[open] > summary { margin-bottom: 12px }
.crec-copy { position: relative }
/* Beside the button there may be no room, and nothing may move when it is pressed. */
.crec-copy [role=status]:not(:empty) {
  position: absolute; top: calc(100% + 6px); right: 0; z-index: 1;
  width: max-content; max-width: 300px; padding: 2px 6px; white-space: normal;
  background: var(--red-ui-form-background); border: 1px solid var(--red-ui-form-input-border-color); border-radius: 4px;
}
/* So that an address fits into a field of a list, too. */
.crec-form .red-ui-editableList .red-ui-typedInput-input { font-size: 0.92em }
.crec-form .crec-conditions { margin-bottom: 12px }
.crec-form .crec-condition-head { display: flex; align-items: center; gap: 4px }
.crec-form .crec-condition-head button { flex: none }
.crec-form .crec-condition-body .form-row { margin: 4px 0 0 }
/* The label of a value stands in what comes before it; it is read out. */
.crec-form .crec-condition-body .form-row > label {
  position: absolute; width: max-content; clip-path: inset(50%); pointer-events: none;
}
.crec-form .crec-conditions .crec-hint { margin-left: 0; max-width: none }
.crec-form .crec-check-buttons { display: flex; flex-wrap: wrap; gap: 6px; margin: 0 0 6px 105px }
.crec-form input[readonly] { color: var(--red-ui-form-text-color) }
`;

const ID = "crec-style";

/** Each node type has its own script: the first form that opens adds the rules. */
export function addStyle(): void {
  if (document.getElementById(ID)) return;
  $("<style>").attr("id", ID).text(STYLE).appendTo("head");
  openListsUpwards();
}
