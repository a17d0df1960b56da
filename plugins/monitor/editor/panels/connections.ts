import { KEY_ENDS_SOON_MS } from "../../../../nodes/common/shared/times.ts";
import type { Row } from "../../types.ts";
import { nodeName } from "../node-red.ts";
import { by, type PanelKind } from "../panel.ts";
import type { Tone } from "../row.ts";
import { durationText, joined, numberText, word, wordOf } from "../words.ts";

const TONES: Readonly<Record<Row<"connections">["state"], Tone>> = {
  unused: "quiet",
  ok: "ok",
  incomplete: "warning",
  unreachable: "error",
  refused: "error",
};

export const connections: PanelKind<"connections"> = {
  id: "connections",
  section: "connections",
  order: by(
    ({ label }) => label,
    ({ key }) => key,
  ),
  view: (row) => {
    const { state, label, since, baseUrl, node, problem } = row;
    return {
      key: row.key,
      tone: TONES[state] === "ok" && endsSoon(row) ? "warning" : TONES[state],
      title: nodeName(node, label),
      state: wordOf("state", state),
      ...(state === "unused" ? {} : { since }),
      lines: [baseUrl, joined([callsText(row), keyText(row)])],
      problem: problem?.message,
      opens: node,
    };
  },
  summary: (rows) => {
    const failing = rows.filter(({ state }) => TONES[state] === "error").length;
    return joined([numberText(rows.length), failing > 0 ? word("count.failing", { count: failing }) : ""]);
  },
};

function callsText({ callsLastMinute, budget }: Row<"connections">): string {
  const count = numberText(callsLastMinute);
  if (budget === undefined) return word("line.calls", { count: callsLastMinute, calls: count });
  return word("line.calls-of", { calls: count, budget: numberText(budget) });
}

function keyText({ keyExpiresAt }: Row<"connections">): string {
  if (keyExpiresAt === undefined) return "";
  const left = keyExpiresAt - Date.now();
  return left <= 0 ? word("line.key-ended") : word("line.key-ends", { time: durationText(left) });
}

function endsSoon({ keyExpiresAt }: Row<"connections">): boolean {
  return keyExpiresAt !== undefined && keyExpiresAt - Date.now() < KEY_ENDS_SOON_MS;
}
