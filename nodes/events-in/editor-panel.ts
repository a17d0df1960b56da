import { getJson, postJson, requestFailure } from "../lib/editor/admin-requests.ts";
import type { EditedNode } from "../lib/editor/api.ts";
import type { PanelReport } from "../lib/shared/form-types.ts";
import { startText } from "./start-text.ts";

export type Panel = { close(): void };

const LOOK_EVERY_MS = 2000;

/** Shows how the deployed node stands while its form is open, and lets a person move its place. */
export function showPanel(node: EditedNode): Panel {
  const address = `crec/events-in/${encodeURIComponent(node.id)}`;
  /** Where it was: the first offset that it has not delivered. */
  let next: number | undefined;
  const look = () => {
    getJson<PanelReport>(address).then(
      (report) => {
        $("#crec-events-in-report").text(report.problem ?? describe(node, report));
        if (report.problem === undefined && report.deployed && report.cursor !== undefined)
          next = report.cursor + 1;
        const isThere = report.problem === undefined && report.deployed;
        $("#crec-events-in-reset, #crec-events-in-export, #crec-events-in-import").prop("disabled", !isThere);
      },
      // It looks again soon.
      () => undefined,
    );
  };
  const change = (path: string, body: object) => {
    postJson<object>(`${address}/${path}`, body).then(
      ({ problem }) => {
        say(problem ?? node._("events-in.panel.done"));
        look();
      },
      (failure: unknown) => say(requestFailure(node, failure, "crec.write")),
    );
  };

  $("#crec-events-in-reset").on("click", () => {
    const to = window.prompt(node._("events-in.panel.reset-to"), String(next ?? "now"));
    if (to !== null) change("seek", { to });
  });
  $("#crec-events-in-export").on("click", () => {
    getJson<object>(`${address}/cursor`).then(
      (cursor) => {
        if (cursor?.problem !== undefined) return say(String(cursor.problem));
        save(cursor, `${String(node.consumer)}.cursor.json`);
      },
      (failure: unknown) => say(requestFailure(node, failure, "crec.read")),
    );
  });
  $("#crec-events-in-import").on("click", () => $("#crec-events-in-file").trigger("click"));
  $("#crec-events-in-file").on("change", async (event) => {
    const [file] = (event.target as HTMLInputElement).files ?? [];
    if (!file) return;
    try {
      change("cursor", JSON.parse(await file.text()));
    } catch (error) {
      say(String(error));
    }
  });
  look();
  const timer = window.setInterval(look, LOOK_EVERY_MS);
  return { close: () => window.clearInterval(timer) };
}

function describe(node: EditedNode, report: PanelReport): string {
  if (!report.deployed) return node._("events-in.panel.not-deployed");
  const shown = (value: number | undefined) => (value === undefined ? "–" : String(value));
  const line = node._("events-in.panel.report", {
    state: report.state,
    cursor: shown(report.cursor),
    end: shown(report.end),
    behind: shown(report.behind),
    inFlight: shown(report.inFlight),
    skipped: shown(report.skipped),
    filtered: shown(report.filtered),
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
  const error = report.lastError
    ? ` · ${node._("events-in.panel.last-error", { error: report.lastError })}`
    : "";
  return `${line}${types}${started}${error}`;
}

function save(content: unknown, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: "application/json" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function say(text: string): void {
  $("#crec-events-in-panel-result").text(text);
}
