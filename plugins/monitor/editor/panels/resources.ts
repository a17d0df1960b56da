import type { Row } from "../../types.ts";
import { nodeName } from "../node-red.ts";
import { by, type PanelKind } from "../panel.ts";
import type { Tone } from "../row.ts";
import { joined, networkName, shortId, wordOf } from "../words.ts";

type Resource = Row<"watchers" | "wallets">;

const TONES: Readonly<Record<string, Tone>> = {
  active: "ok",
  deployed: "ok",
  pending: "busy",
  deploying: "busy",
  archiving: "busy",
  archived: "quiet",
  failed: "error",
  archive_failed: "error",
};
const ORDER: readonly Tone[] = ["error", "warning", "busy", "ok", "quiet"];

export const watchers: PanelKind<"watchers"> = { id: "watchers", section: "watchers", ...shared() };
export const wallets: PanelKind<"wallets"> = { id: "wallets", section: "wallets", ...shared() };

function shared(): Pick<PanelKind<"watchers">, "order" | "view" | "summary"> {
  return {
    order: by<Resource>(
      ({ status }) => ORDER.indexOf(toneOf(status)),
      ({ name }) => name,
      ({ key }) => key,
    ),
    view: (row: Resource) => ({
      key: row.key,
      tone: toneOf(row.status),
      title: row.name || shortId(row.id),
      state: wordOf("status", row.status),
      lines: [joined([networkName(row.chainSelector), row.address && shortId(row.address), usedBy(row)])],
      problem: row.reason,
      opens: row.origin?.node,
    }),
    summary: byStatus,
  };
}

function usedBy({ origin }: Resource): string {
  return origin === undefined ? "" : nodeName(origin.node, origin.label);
}

/** A status that this version does not know asks for a look. */
function toneOf(status: string): Tone {
  return TONES[status] ?? "warning";
}

/** `3 active · 1 failed`. */
function byStatus(rows: readonly Resource[]): string {
  const counts = new Map<string, number>();
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
  const statuses = [...counts].sort(
    ([one], [other]) => ORDER.indexOf(toneOf(one)) - ORDER.indexOf(toneOf(other)),
  );
  return joined(statuses.map(([status, count]) => `${count} ${wordOf("status", status)}`));
}
