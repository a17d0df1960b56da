import { addStyle, make } from "../../../nodes/common/editor/elements.ts";
import type { Origin } from "../../../nodes/common/telemetry/types.ts";
import type { Row, SectionName } from "../types.ts";
import { FlowFilter } from "./filter.ts";
import { type LiveState, LiveUpdates, RuntimeClock, Store } from "./live-updates.ts";
import { onFlowsStopped, whenShown } from "./node-red.ts";
import { Panel, type PanelKind } from "./panel.ts";
import { approvals } from "./panels/approvals.ts";
import { connections } from "./panels/connections.ts";
import { events } from "./panels/events.ts";
import { issues } from "./panels/issues.ts";
import { ended, underWay } from "./panels/operations.ts";
import { readers } from "./panels/readers.ts";
import { wallets, watchers } from "./panels/resources.ts";
import { setText } from "./row.ts";
import { useArrowKeys } from "./row-list.ts";
import { STYLE } from "./style.ts";
import { copyDiagnostics, refresh, rehearse, runChecks, workButton } from "./toolbar.ts";
import { word } from "./words.ts";

const TICK_MS = 1_000;

/** The content of the tab. It works only while it can be seen. */
export function makeSidebar(): HTMLElement {
  addStyle("crec-sidebar-style", STYLE);
  const content = make("div", "crec-sidebar");
  const state = make("p", "crec-live");
  const spoken = make("p", "crec-spoken");
  spoken.setAttribute("role", "status");
  const body = make("div", "crec-body");
  const store = new Store();
  const clock = new RuntimeClock();
  let isStopped = false;
  let live: LiveState = "connecting";

  const shownPanels = [
    panelOf(issues),
    panelOf(approvals),
    panelOf(connections),
    panelOf(readers),
    panelOf(underWay),
    panelOf(ended),
    panelOf(watchers),
    panelOf(wallets),
    panelOf(events),
  ];
  const showAll = (changed?: ReadonlySet<SectionName>): void => {
    for (const { section, show } of shownPanels) if (!changed || changed.has(section)) show();
    if (!changed || changed.has("issues")) tellIssues();
  };
  const filter = new FlowFilter(() => showAll());

  function panelOf<S extends SectionName>(kind: PanelKind<S>) {
    const panel = new Panel(kind);
    const { section, has = () => true } = kind;
    const show = (): void => {
      const rows = store.rows(section).filter((row) => has(row) && filter.shows(originOf(row)));
      const empty = isStopped ? "live.stopped" : undefined;
      panel.show(rows, clock.now(), store.isComplete ? empty : "empty.loading");
    };
    return {
      section,
      show,
      panel: panel as { element: HTMLElement; head: HTMLElement; tick(now: number): void },
    };
  }

  function tellIssues(): void {
    const open = store.rows("issues").filter(({ isIgnored }) => !isIgnored);
    if (store.isComplete) setText(spoken, word("hint.issues", { count: open.length }));
  }

  function showState(): void {
    const shown = live === "live" && isStopped ? "stopped" : live;
    state.dataset.state = shown;
    setText(state, word(shown === "logged-out" ? "error.logged-out" : `live.${shown}`));
    body.hidden = ["forbidden", "logged-out", "unsupported"].includes(live);
  }

  const noteState = (now: LiveState): void => {
    live = now;
    showState();
  };
  const updates = new LiveUpdates(noteState, (update) => {
    clock.set(update.now);
    showAll(store.take(update));
  });
  onFlowsStopped((areStopped) => {
    isStopped = areStopped;
    showState();
    showAll();
  });
  let ticking: ReturnType<typeof setInterval> | undefined;
  whenShown(content, (isShown) => {
    clearInterval(ticking);
    if (!isShown) return updates.stop();
    filter.refresh();
    updates.start();
    ticking = setInterval(() => {
      for (const { panel } of shownPanels) panel.tick(clock.now());
    }, TICK_MS);
  });

  const tools = make("div", "crec-tools");
  tools.append(
    filter.element,
    workButton("refresh", "fa-refresh", refresh),
    workButton("diagnostics", "fa-copy", copyDiagnostics),
    workButton("rehearse", "fa-history", rehearse),
  );
  shownPanels[0]?.panel.head.append(workButton("check", "fa-play", runChecks));
  body.append(tools, ...shownPanels.map(({ panel }) => panel.element));
  content.append(state, spoken, body);
  useArrowKeys(content);
  return content;
}

/** The node that a row is about. */
function originOf(row: Row<SectionName>): Origin | undefined {
  if ("flow" in row) return row;
  return row.origin;
}
