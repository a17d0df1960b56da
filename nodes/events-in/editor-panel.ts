import type { EditedNode } from "../lib/editor/api.ts";
import type { PanelReport } from "../lib/form-types.ts";

export type Panel = { close(): void };

const LOOK_EVERY_MS = 2000;

/** Shows how the deployed node stands while its form is open, and lets a person move its place. */
export function showPanel(node: EditedNode): Panel {
  const address = `crec/events-in/${encodeURIComponent(node.id)}`;
  const look = () => {
    $.getJSON(address).then((report: PanelReport) => {
      $("#crec-events-in-report").text(describe(node, report));
      $("#crec-events-in-reset, #crec-events-in-export, #crec-events-in-import").prop(
        "disabled",
        !report.deployed,
      );
    });
  };
  const change = (path: string, body: unknown) => {
    $.ajax({
      url: `${address}/${path}`,
      method: "POST",
      contentType: "application/json",
      data: JSON.stringify(body),
    }).then(
      () => {
        say(node._("events-in.panel.done"));
        look();
      },
      (failure: JQuery.jqXHR) => say(refusal(node, failure)),
    );
  };

  $("#crec-events-in-reset").on("click", () => {
    const to = window.prompt(node._("events-in.panel.reset-to"), "now");
    if (to !== null) change("seek", { to });
  });
  $("#crec-events-in-export").on("click", () => {
    $.getJSON(`${address}/cursor`).then((cursor: unknown) =>
      save(cursor, `${String(node.consumer)}.cursor.json`),
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
    dropped: shown(report.dropped),
  });
  const error = report.lastError
    ? ` · ${node._("events-in.panel.last-error", { error: report.lastError })}`
    : "";
  return `${line}${error}`;
}

function refusal(node: EditedNode, { status, responseJSON }: JQuery.jqXHR): string {
  if (status === 401 || status === 403) return node._("events-in.panel.forbidden");
  return responseJSON?.message ?? node._("events-in.panel.failed");
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
