import type { Row } from "../../types.ts";
import { nodeName } from "../node-red.ts";
import { by, type PanelKind } from "../panel.ts";
import type { Tone } from "../row.ts";
import { joined, networkName, numberText, shortId, word, wordOf } from "../words.ts";

type Operation = Row<"operations">;

const TONES: Readonly<Record<Operation["outcome"], Tone>> = {
  waiting: "busy",
  reached: "ok",
  failed: "error",
  interrupted: "warning",
  draft: "quiet",
};

export const underWay: PanelKind<"operations"> = {
  id: "under-way",
  section: "operations",
  has: ({ outcome }) => outcome === "waiting",
  order: by(
    ({ startedAt }) => -startedAt,
    ({ key }) => key,
  ),
  view: (row) => ({ ...viewOf(row), state: wordOf("status", row.status), since: row.startedAt }),
  summary: (rows) => numberText(rows.length),
};

export const ended: PanelKind<"operations"> = {
  id: "ended",
  section: "operations",
  has: ({ outcome }) => outcome !== "waiting",
  order: by(
    ({ changedAt }) => -changedAt,
    ({ key }) => key,
  ),
  view: (row) => ({
    ...viewOf(row),
    // A wait is over at the level that the node was to wait for.
    state: row.outcome === "reached" ? wordOf("status", row.status) : wordOf("outcome", row.outcome),
    since: row.changedAt,
  }),
  summary: (rows) => {
    const failed = rows.filter(({ outcome }) => outcome === "failed").length;
    return joined([numberText(rows.length), failed > 0 ? word("count.failed", { count: failed }) : ""]);
  },
};

function viewOf(row: Operation) {
  const { outcome, label, chainSelector, wallet, reason, node, isProven, status } = row;
  const id = row.walletOperationId ?? row.operationId;
  const proof = isProven === undefined ? "" : word(isProven ? "line.proven" : "line.unproven");
  return {
    key: row.key,
    tone: TONES[outcome],
    title: nodeName(node, label),
    lines: [
      joined([networkName(chainSelector), wallet && word("line.wallet", { wallet: shortId(wallet) }), proof]),
      joined([
        outcome === "failed" || outcome === "interrupted" ? wordOf("status", status) : "",
        id && word("line.operation", { id: shortId(id) }),
      ]),
    ],
    problem: reason,
    opens: node,
  };
}
