/** Colors are those of Node-RED's theme. */
export const STYLE = `
/* Above the buttons at the bottom, and beside a sidebar that lies over the flow: see place.ts. */
.crec-with-rehearsal { --crec-below: calc(clamp(220px, 44%, 460px) + var(--crec-footer, 26px)) }
.crec-with-rehearsal > #red-ui-workspace-chart { bottom: var(--crec-below) }
.crec-with-rehearsal > #red-ui-workspace-scroll-v { bottom: calc(var(--crec-below) + 14px) }
.crec-with-rehearsal > #red-ui-workspace-scroll-h { bottom: var(--crec-below) }

.crec-rehearsal, .crec-rehearsal-marks {
  --crec-alert: var(--red-ui-text-color-error, #ad1625);
  --crec-resolved: var(--red-ui-text-color-success, #218358);
  --crec-suppressed: var(--red-ui-secondary-text-color, #666);
  --crec-error: var(--red-ui-text-color-warning, #ab6400);
  --crec-act: var(--red-ui-diff-state-moved, #2d6a9f);
}
.crec-rehearsal {
  position: absolute; left: 0; right: var(--crec-beside, 0); bottom: var(--crec-footer, 26px); height: clamp(220px, 44%, 460px);
  box-sizing: border-box; z-index: 2; border-bottom: 1px solid var(--red-ui-primary-border-color);
  display: flex; flex-direction: column; border-top: 1px solid var(--red-ui-primary-border-color);
  background: var(--red-ui-secondary-background); color: var(--red-ui-primary-text-color);
  font-size: 13px; line-height: 1.4; overflow-wrap: anywhere; container-type: inline-size;
}
.crec-rehearsal [hidden] { display: none !important }
.crec-rehearsal :is(p, ul, ol, dl, dd, h3, h4, h5, pre) { margin: 0 }
.crec-rehearsal :is(h3, h4, h5) { font-size: 13px; font-weight: 600; line-height: 1.4 }
.crec-rehearsal ul, .crec-rehearsal ol { padding: 0; list-style: none }
.crec-rehearsal-head {
  display: flex; align-items: flex-start; gap: 6px 10px; padding: 6px 10px;
  border-bottom: 1px solid var(--red-ui-secondary-border-color);
}
.crec-rehearsal-head h3, .crec-rehearsal-status { padding: 3px 0 }
.crec-rehearsal-status { flex: 1 1 120px; color: var(--red-ui-secondary-text-color); font-variant-numeric: tabular-nums }
.crec-rehearsal-head { flex-wrap: wrap }
.crec-rehearsal-tools { display: flex; flex-wrap: wrap; flex: 1 1 100%; gap: 4px }
@container (min-width: 1000px) {
  .crec-rehearsal-tools { flex: none }
  .crec-rehearsal-clear { order: 1 }
}
.crec-rehearsal .red-ui-button { font-size: 12px; height: auto; min-height: 24px; line-height: 1.4; padding: 3px 8px; white-space: normal }
.crec-rehearsal :is(button, select, pre, .crec-bar):focus-visible { outline: 2px solid var(--red-ui-form-input-focus-color, currentColor); outline-offset: -1px }

.crec-rehearsal-body { flex: 1 1 0; min-height: 0; display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr) }
.crec-rehearsal-body.crec-is-running { display: block; padding: 16px 12px }
.crec-rehearsal progress { width: min(420px, 100%) }
.crec-progress { font-variant-numeric: tabular-nums }
.crec-problem { border-left: 3px solid var(--crec-alert); padding: 4px 8px }
.crec-rehearsal-list, .crec-rehearsal-details { overflow-y: auto; padding: 8px 10px }
.crec-rehearsal-details { border-left: 1px solid var(--red-ui-secondary-border-color) }
.crec-rehearsal-details > .red-ui-button { float: right }
.crec-rehearsal-details h5 { margin-top: 8px }
.crec-rehearsal-details pre {
  padding: 6px; border: 1px solid var(--red-ui-form-input-border-color); border-radius: 4px; white-space: pre-wrap;
  background: var(--red-ui-form-input-background); color: inherit; font: 12px/1.4 var(--red-ui-monospace-font, monospace);
}
.crec-rehearsal select { width: 100%; margin: 6px 0; font-size: 12px; height: 28px }
.crec-hint { color: var(--red-ui-secondary-text-color) }
.crec-notes li { margin-top: 4px }
.crec-facts { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 2px 10px; margin: 4px 0 }
.crec-facts :is(dt, dd) { font-weight: 400 }
.crec-facts dt { color: var(--red-ui-secondary-text-color) }
.crec-path { display: flex; flex-wrap: wrap; gap: 2px }
.crec-path li + li::before { content: "→ "; color: var(--red-ui-secondary-text-color) }
.crec-rehearsal .crec-link { border: none; padding: 0; background: none; color: inherit; font: inherit; text-align: left; text-decoration: underline; cursor: pointer }

.crec-time-row, .crec-time-ends { display: grid; grid-template-columns: 170px minmax(0, 1fr); align-items: center; gap: 8px }
.crec-time-row svg { width: 100%; height: 18px; display: block }
.crec-time-ends { grid-template-columns: 170px auto auto; font-size: 11px; color: var(--red-ui-secondary-text-color); font-variant-numeric: tabular-nums }
.crec-time-ends :last-child { text-align: right }
.crec-time-base { stroke: var(--red-ui-form-input-border-color); stroke-width: 1 }
.crec-bar { cursor: pointer }
.crec-bar-area { fill: transparent }
.crec-bar:is(:hover, [aria-pressed=true]) .crec-bar-area { fill: var(--red-ui-tertiary-background) }
.crec-rehearsal .crec-kind {
  display: flex; align-items: center; gap: 6px; width: 100%; padding: 2px 6px; border: none; border-radius: 4px;
  background: none; color: inherit; font: inherit; font-size: 12px; text-align: left; cursor: pointer;
}
.crec-kind[aria-pressed=false] { opacity: 0.6 }
.crec-rehearsal :is(.crec-kind, .crec-outcome):hover { background: var(--red-ui-tertiary-background) }

.crec-dot { flex: none; display: inline-block; width: 8px; height: 8px; border-radius: 50%; background: var(--crec-act) }
.crec-rehearsal :is(rect, circle)[data-kind], .crec-rehearsal-marks [data-kind] { fill: var(--crec-act) }
.crec-dot[data-kind=alert] { background: var(--crec-alert) }
.crec-dot[data-kind=resolved] { background: var(--crec-resolved) }
.crec-dot[data-kind=suppressed] { background: var(--crec-suppressed) }
.crec-dot[data-kind=error] { background: var(--crec-error) }
:is(rect, circle)[data-kind=alert] { fill: var(--crec-alert) !important }
:is(rect, circle)[data-kind=resolved] { fill: var(--crec-resolved) !important }
:is(rect, circle)[data-kind=suppressed] { fill: var(--crec-suppressed) !important }
:is(rect, circle)[data-kind=error] { fill: var(--crec-error) !important }

.crec-outcome-count { font-size: 12px; color: var(--red-ui-secondary-text-color) }
.crec-rehearsal .crec-outcome {
  display: grid; grid-template-columns: 8px auto minmax(0, 1fr); column-gap: 8px; align-items: baseline; width: 100%;
  padding: 3px 6px; border: none; border-radius: 4px; background: none; color: inherit; font: inherit; text-align: left; cursor: pointer;
}
.crec-outcome-time { font-size: 12px; font-variant-numeric: tabular-nums; color: var(--red-ui-secondary-text-color) }
.crec-outcome-node { grid-column: 3; font-size: 12px; color: var(--red-ui-secondary-text-color) }
.crec-rehearsal .crec-outcome[aria-current] { background: var(--red-ui-list-item-background-selected) }
@container (max-width: 620px) {
  .crec-time-row { grid-template-columns: 120px minmax(0, 1fr) }
  .crec-rehearsal-body { grid-template-columns: minmax(0, 1fr); overflow-y: auto }
  .crec-rehearsal-list, .crec-rehearsal-details { overflow: visible }
  .crec-rehearsal-details { border-left: none; border-top: 1px solid var(--red-ui-secondary-border-color) }
}

.crec-rehearsal-marks { pointer-events: none }
.crec-mark-chip rect { fill: var(--red-ui-secondary-background); stroke: var(--red-ui-secondary-text-color); stroke-width: 1 }
.crec-mark-chip text { fill: var(--red-ui-primary-text-color); font-size: 10px; font-variant-numeric: tabular-nums }
.crec-mark-chip:not(.crec-mark-wire) { pointer-events: all; cursor: pointer }
.crec-mark-path { fill: none; stroke: var(--red-ui-node-selected-color); stroke-width: 3 }
.crec-mark-jump { stroke-dasharray: 3 6 }

.ui-dialog:has(.crec-rehearse-form) { top: 6vh !important }
.crec-rehearse-form { max-height: calc(88vh - 170px); overflow-y: auto; margin: 0 }
.crec-rehearse-form .form-row label { width: 130px }
.crec-rehearse-form .form-row :is(textarea, input[type=text], input[type=number], input[type=datetime-local], select, input[type=file]) { width: calc(70% - 30px) }
.crec-rehearse-form fieldset { border: none; margin: 0 0 10px; padding: 0; min-width: 0 }
.crec-rehearse-form legend { margin: 0 0 4px; padding: 0; border: none; width: auto; font-size: 14px; line-height: 20px; font-weight: 600; color: inherit }
.crec-rehearse-form :is(label.crec-check, .crec-hint) { display: block; width: auto; margin: 0 0 4px; overflow-wrap: anywhere }
.crec-rehearse-form label.crec-check input { margin: 0 6px 0 0; width: auto; vertical-align: baseline }
.crec-rehearse-form .crec-tabs { max-height: 130px; overflow-y: auto }
.crec-rehearse-form .crec-hint { color: var(--red-ui-secondary-text-color) }
.crec-rehearse-form .crec-problem { border-left: 3px solid var(--red-ui-text-color-error, #ad1625); padding: 4px 8px; margin: 0 0 8px }
.crec-rehearse-form summary { cursor: pointer; margin-bottom: 6px }
`;
