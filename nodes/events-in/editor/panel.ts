import type { EditedNode } from "../../common/editor/api.ts";
import { askInDialog } from "../../common/editor/dialog.ts";
import { getJson, postJson, requestFailure } from "../../common/editor/lookups/admin-requests.ts";
import type { FleetReport, PanelReport, SentLast, UnitsReport } from "../../common/shared/form-types.ts";
import { isChosen } from "../../common/shared/variables.ts";
import { startText } from "../start-text.ts";
import { askWhereTo } from "./move.ts";

export type Panel = { close(): void };

const REFRESH_MS = 2000;
const NO_UNITS: UnitsReport = { noDecimals: [], differing: [] };

/** Shows the state of the deployed node while its form is open, and lets a person move its cursor. */
export function showPanel(node: EditedNode, container: JQuery): Panel {
  const parts = build(node, container);
  const url = `crec/events-in/${encodeURIComponent(node.id)}`;
  const say = (text: string) => void parts.result.text(text);
  /** The first offset that the node has not delivered. */
  let next: number | undefined;
  let isMoved = false;
  const refresh = () => {
    getJson<PanelReport>(url).then(
      (report) => {
        const isDeployed = report.problem === undefined && report.deployed;
        // On a copy that stands by, they say which copy to open.
        const isShared = report.problem === undefined && report.fleet !== undefined;
        parts.report.text(report.problem ?? describe(node, report));
        if (isDeployed) showUnits(node, parts.units, report.units);
        if (isDeployed && report.cursor !== undefined) next = report.cursor + 1;
        isMoved = isDeployed && report.isMoved === true;
        parts.buttons.prop("disabled", !isDeployed && !isShared);
      },
      // The next refresh tries again.
      () => undefined,
    );
  };
  const change = (path: string, body: object) => {
    postJson<object>(`${url}/${path}`, body).then(
      ({ problem }) => {
        say(problem ?? node._("events-in.panel.done"));
        refresh();
      },
      (failure: unknown) => say(requestFailure(node, failure, "crec.write")),
    );
  };

  parts.reset.on("click", () => askWhereTo(node, { next, isMoved }, (to) => change("seek", { to })));
  parts.exported.on("click", () => {
    getJson<object>(`${url}/cursor`).then(
      (cursor) => {
        if (cursor?.problem !== undefined) return say(String(cursor.problem));
        save(cursor, `${String(node.consumer)}.cursor.json`);
      },
      (failure: unknown) => say(requestFailure(node, failure, "crec.read")),
    );
  });
  parts.imported.on("click", () => parts.file.trigger("click"));
  parts.file.on("change", async (event) => {
    const [file] = (event.target as HTMLInputElement).files ?? [];
    if (!file) return;
    try {
      change("cursor", JSON.parse(await file.text()));
    } catch (error) {
      say(String(error));
    }
  });
  warnOfOtherChannel(node, say);
  refresh();
  const timer = window.setInterval(refresh, REFRESH_MS);
  return { close: () => window.clearInterval(timer) };
}

type Parts = Record<
  "report" | "units" | "reset" | "exported" | "imported" | "buttons" | "file" | "result",
  JQuery
>;

function build(node: EditedNode, container: JQuery): Parts {
  const report = $('<div class="form-tips" id="crec-events-in-report" role="status">');
  report.appendTo(container);
  const units = $('<div class="form-tips" id="crec-events-in-units" role="status">').hide();
  units.appendTo(container);
  const row = $('<div class="form-row">').appendTo(container);
  const button = (name: string) => {
    const made = $('<button type="button" class="red-ui-button">').attr("id", `crec-events-in-${name}`);
    return made
      .text(node._(`events-in.panel.${name}`))
      .css("margin-right", "4px")
      .appendTo(row);
  };
  const [reset, exported, imported] = [button("reset"), button("export"), button("import")];
  const file = $('<input type="file" id="crec-events-in-file" accept="application/json">');
  file.hide().appendTo(row);
  const result = $('<div id="crec-events-in-result" role="alert">').appendTo(container);
  return {
    report,
    units,
    reset,
    exported,
    imported,
    buttons: reset.add(exported).add(imported),
    file,
    result,
  };
}

/** The cursor belongs to the channel that was chosen before. */
function warnOfOtherChannel(node: EditedNode, say: (text: string) => void): void {
  const channel = $("#node-input-channel");
  const before = String(channel.val() ?? "");
  channel.on("change", () => {
    const isOther = isChosen(before) && String(channel.val() ?? "") !== before;
    say(isOther ? node._("events-in.panel.moved") : "");
  });
}

function describe(node: EditedNode, report: PanelReport): string {
  const copies = report.fleet ? fleetText(node, report.fleet) : "";
  if (!report.deployed) return copies || node._("events-in.panel.not-deployed");
  const shown = (value: number | undefined) => (value === undefined ? "–" : String(value));
  const line = node._("events-in.panel.report", {
    state: node._(`events-in.panel.state.${report.state}`),
    cursor: shown(report.cursor),
    end: shown(report.end),
    behind: shown(report.behind),
    inFlight: shown(report.inFlight),
    skipped: shown(report.skipped),
    filtered: shown(report.filtered),
    lower: String(report.lower ?? 0),
    late: shown(report.late),
    dropped: shown(report.dropped),
    givenUp: shown(report.givenUp),
    notices: shown(report.notices),
  });
  const types = report.unknownTypes
    ? ` · ${node._("events-in.panel.unknown-types", { types: report.unknownTypes.join(", ") })}`
    : "";
  const started = report.started
    ? ` · ${node._("events-in.panel.started", { where: startText((key, values) => node._(key, values), report.started) })}`
    : "";
  const turn = report.turnMs
    ? ` · ${node._("events-in.panel.turn", { seconds: Math.round(report.turnMs / 1000) })}`
    : "";
  const error = report.lastError
    ? ` · ${node._("events-in.panel.last-error", { error: report.lastError })}`
    : "";
  return `${line}${copies && ` · ${copies}`}${types}${started}${turn}${error}`;
}

/** Which copy reads, as this one knows it. */
function fleetText(node: EditedNode, { state, leaseMs, ...report }: FleetReport): string {
  const { reader = "", epoch = 0, secondsAgo = 0, share = 0, wanted = 0, problem = "" } = report;
  return node._(`events-in.panel.fleet-${state}`, {
    ...{ label: report.label, copy: report.copy, lease: leaseMs / 1000 },
    ...{ reader, epoch, seconds: secondsAgo, share, wanted, problem },
  });
}

/** Why amounts come in the smallest unit only. What the chosen contract lacks is said under its field. */
function showUnits(node: EditedNode, line: JQuery, { noDecimals, differing }: UnitsReport = NO_UNITS): void {
  const chosen = $("#node-input-contract").val();
  const names = noDecimals.filter(({ id }) => id !== chosen).map(({ name }) => name);
  const sentences = [
    ...names.map((name) => node._("common.hint.no-decimals", { name })),
    ...differing.map((name) => node._("events-in.panel.differing-decimals", { name })),
  ];
  const text = sentences.join(" ");
  // A text that is set again is read out again.
  if (line.text() !== text) line.text(text).toggle(text !== "");
}

function save(content: unknown, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: "application/json" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** A button that runs the flow with the newest matching event, after a question: other nodes really act on it. */
export function addLastEvent(node: EditedNode, container: JQuery): void {
  const row = $('<div class="form-row">').appendTo(container);
  const button = $('<button type="button" class="red-ui-button" id="crec-events-in-last">')
    .text(node._("events-in.panel.last"))
    .appendTo(row);
  const result = $('<div id="crec-events-in-last-result" role="alert">').appendTo(container);
  const say = (text: string) => {
    result.text(text).css("margin-bottom", text === "" ? "" : "12px");
    if (text !== "") result[0]?.scrollIntoView({ block: "nearest" });
  };
  const send = () => {
    say("");
    button.prop("disabled", true);
    postJson<SentLast>(`crec/events-in/${encodeURIComponent(node.id)}/last`, {})
      .then(
        (answer) => say(answer.problem === undefined ? lastEventText(node, answer) : answer.problem),
        (failure: unknown) => say(requestFailure(node, failure, "crec.write")),
      )
      .finally(() => button.prop("disabled", false));
  };
  button.on("click", () =>
    askInDialog(node, {
      title: node._("events-in.panel.last-title"),
      content: $("<p>").text(node._("events-in.panel.last-explained")),
      action: node._("events-in.panel.last-action"),
      act: () => {
        send();
        return true;
      },
    }),
  );
}

function lastEventText(node: EditedNode, sent: SentLast): string {
  if (sent.none) return node._("events-in.panel.last-none");
  const { output, topic, offset, why = "" } = sent;
  return node._(`events-in.panel.last-${output}`, { topic, offset, why });
}
