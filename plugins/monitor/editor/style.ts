/** Colors are those of Node-RED's theme. Texts keep its two text colors; only icons and problems have others. */
export const STYLE = `
.crec-sidebar {
  --crec-ok: var(--red-ui-text-color-success, #218358);
  --crec-warning: var(--red-ui-text-color-warning, #ab6400);
  --crec-error: var(--red-ui-text-color-error, #ad1625);
  height: 100%; overflow-y: auto; overflow-x: hidden; box-sizing: border-box;
  background: var(--red-ui-secondary-background); color: var(--red-ui-primary-text-color);
  font-size: 13px; line-height: 1.4; overflow-wrap: anywhere; container-type: size;
}
.crec-sidebar [hidden] { display: none !important }
.crec-sidebar p { margin: 0 }
.crec-spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }

.crec-live { padding: 8px 12px; color: var(--red-ui-secondary-text-color) }
.crec-live[data-state=live] { display: none }
.crec-live[data-state=lost], .crec-live[data-state=cut], .crec-live[data-state=stopped], .crec-live[data-state=forbidden], .crec-live[data-state=logged-out], .crec-live[data-state=unsupported] {
  color: var(--red-ui-primary-text-color); border-left: 3px solid var(--crec-warning); margin: 8px 12px; padding: 4px 8px;
}

.crec-tools { display: flex; flex-wrap: wrap; gap: 6px; padding: 10px 12px }
.crec-sidebar .crec-filter { flex: 1 1 100%; width: 100%; min-width: 0; margin: 0; font-size: 13px; text-overflow: ellipsis }
@container (min-width: 420px) { .crec-sidebar .crec-filter { flex: 1 1 140px; width: auto } }
.crec-sidebar .red-ui-button { font-size: 12px; max-width: 100%; height: auto; min-height: 24px; line-height: 1.4; padding: 3px 8px; white-space: normal }
.crec-sidebar .red-ui-button[aria-disabled=true] { opacity: 0.6; cursor: progress }

/* Where several tabs share a sidebar, the tools take one line. */
@container (max-height: 420px) {
  .crec-tools { flex-wrap: nowrap; padding: 6px 12px }
  .crec-sidebar .crec-filter { flex: 1 1 0; width: auto }
  .crec-tools > .red-ui-button { flex: none }
  .crec-tools > .red-ui-button span { display: none }
  .crec-sidebar .crec-empty { padding-bottom: 6px }
}

.crec-panel { border-top: 1px solid var(--red-ui-secondary-border-color) }
.crec-panel-head {
  position: sticky; top: 0; z-index: 1; display: flex; align-items: center; gap: 8px; padding: 6px 12px 6px 6px;
  background: var(--red-ui-secondary-background);
}
.crec-panel-head h3 { flex: none; margin: 0; font-size: 13px; font-weight: 600; line-height: 1.4 }
.crec-sidebar .crec-panel-head h3 button {
  display: flex; align-items: center; gap: 2px; margin: 0; padding: 3px 6px; border: none; border-radius: 4px;
  background: none; color: inherit; font: inherit; cursor: pointer;
}
.crec-chevron { width: 14px; text-align: center; transition: transform 0.1s }
.crec-panel-head [aria-expanded=false] .crec-chevron { transform: rotate(-90deg) }
.crec-panel-count {
  flex: 1 1 0; min-width: 0; text-align: right; font-size: 12px; color: var(--red-ui-secondary-text-color);
  font-variant-numeric: tabular-nums;
}
.crec-panel-head > .red-ui-button { flex: none }
@container (max-width: 359px) { .crec-panel-head > .red-ui-button span { display: none } }
.crec-empty { padding: 0 12px 12px 34px; color: var(--red-ui-secondary-text-color) }
.crec-sidebar .crec-more { margin: 4px 12px 12px 34px }

.crec-sidebar ul.crec-rows { margin: 0; padding: 0 0 6px; list-style: none }
.crec-row { position: relative; display: grid; grid-template-columns: minmax(0, 1fr) 28px; margin: 0 6px; line-height: 18px }
.crec-sidebar .crec-row-main {
  display: grid; grid-template-columns: 14px minmax(0, 1fr); column-gap: 8px; align-items: baseline;
  width: 100%; margin: 0; padding: 5px 6px; border: none; border-radius: 4px;
  background: none; color: inherit; font: inherit; text-align: left; cursor: pointer;
}
.crec-row-main > span { grid-column: 2 }
.crec-row-main > .crec-row-head { grid-row: 1; display: flex; flex-wrap: wrap; column-gap: 8px; align-items: baseline }
.crec-row-icon { grid-row: 1; grid-column: 1; text-align: center; font-size: 14px }
.crec-row-title { flex: 1 1 90px; min-width: 0; font-weight: 500; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.crec-row-title.crec-row-sentence { flex-basis: 100%; white-space: normal; overflow: visible }
.crec-row-side { flex: none; max-width: 100%; font-size: 12px; color: var(--red-ui-secondary-text-color) }
.crec-row-age { font-variant-numeric: tabular-nums }
.crec-row-lines, .crec-row-line { display: block }
.crec-row-lines { font-size: 12px; line-height: 17px; color: var(--red-ui-secondary-text-color) }
.crec-row-problem { display: block; font-size: 12px; line-height: 17px; color: var(--crec-error) }
.crec-sidebar .crec-row-edit {
  align-self: start; width: 28px; height: 28px; margin: 0; padding: 0; border: none; border-radius: 4px;
  background: none; color: var(--red-ui-secondary-text-color); font-size: 13px; cursor: pointer;
}
/* Seen where it can be used: with the pointer or the keyboard on the row, or on a screen that is touched. */
@media (hover: hover) { .crec-sidebar .crec-row:not(:hover, :focus-within) .crec-row-edit { opacity: 0 } }
.crec-row-buttons { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: 6px; padding: 2px 6px 8px 28px }
.crec-sidebar :is(.crec-row-main, .crec-row-edit, .crec-panel-head h3 button):hover { background: var(--red-ui-tertiary-background) }
.crec-sidebar :is(button, select):focus-visible { outline: 2px solid var(--red-ui-form-input-focus-color, currentColor); outline-offset: -1px }

.crec-row-icon.crec-ok { color: var(--crec-ok) }
.crec-row-icon.crec-warning { color: var(--crec-warning) }
.crec-row-icon.crec-error { color: var(--crec-error) }
.crec-row-icon.crec-busy, .crec-row-icon.crec-quiet { color: var(--red-ui-secondary-text-color) }

/* The time line. */
.crec-panel[data-panel=events] .crec-row::before {
  content: ""; position: absolute; left: 12px; top: 24px; bottom: -6px; width: 1px;
  background: var(--red-ui-form-input-border-color, currentColor);
}
.crec-panel[data-panel=events] .crec-row:last-child::before { display: none }
`;
