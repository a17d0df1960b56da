import type { ShownCall } from "../../../../nodes/common/approvals/types.ts";
import type { Row } from "../../types.ts";
import { nodeName } from "../node-red.ts";
import { by, type PanelKind } from "../panel.ts";
import { decide } from "../toolbar.ts";
import { joined, networkName, numberText, word } from "../words.ts";

type Draft = Row<"approvals">;

const SECOND_MS = 1_000;

/** The drafts that people decide about here, the oldest first. */
export const approvals: PanelKind<"approvals"> = {
  id: "approvals",
  section: "approvals",
  order: by(
    ({ madeAt }) => madeAt,
    ({ key }) => key,
  ),
  view: (draft) => ({
    key: draft.key,
    tone: "busy",
    title: nodeName(draft.node, draft.label),
    state: draft.isBusy ? word("state.deciding") : approvedWords(draft),
    since: draft.madeAt,
    lines: [
      ...draft.calls.flatMap(wordsOf),
      joined([networkName(draft.chainSelector), word("line.wallet", { wallet: draft.wallet })]),
      joined([makerOf(draft), untilOf(draft)]),
      draft.approvedBy.length === 0 ? "" : word("line.approved-by", { names: draft.approvedBy.join(", ") }),
    ],
    problem: problemOf(draft),
    opens: draft.node,
    buttons: buttonsOf(draft),
  }),
  summary: (rows) => numberText(rows.length),
};

function approvedWords({ needed, approvedBy }: Draft): string {
  return needed === 1 ? "" : word("state.approved", { count: approvedBy.length, needed });
}

/** `Pay 5 tokens of demo token (0x…) to 0x…`, or `transfer(address,uint256) of demo token (0x…)` and its values. */
function wordsOf(call: ShownCall): string[] {
  const { contract, function: name, to, ether, data, implementation, values } = call;
  const at = contract === undefined || contract === to ? to : `${contract} (${to})`;
  const more = joined([
    ether === undefined ? "" : word("line.call-ether", { amount: ether }),
    implementation === undefined ? "" : word("line.call-behind", { address: implementation }),
    data,
  ]);
  const [recipient, amount] = values;
  if (name === "transfer(address,uint256)" && amount?.isTokens && recipient)
    return [word("line.call-transfer", { amount: amount.text, at, recipient: recipient.text }), more];
  const isPayment = name === undefined && data === undefined;
  const words = word(isPayment ? "line.call-payment" : "line.call", {
    name: name ?? word("line.call-data"),
    at,
  });
  return [joined([words, more]), ...values.map(valueWords)];
}

function valueWords({ name, text, isTokens }: ShownCall["values"][number]): string {
  return isTokens ? word("line.value-tokens", { name, amount: text }) : `${name}: ${text}`;
}

function makerOf({ flow, operationKey }: Draft): string {
  const tab = RED.nodes.workspace(flow)?.label;
  return joined([
    tab ? word("line.made-in", { flow: tab }) : "",
    operationKey === undefined ? "" : word("line.made-for", { key: operationKey }),
  ]);
}

function untilOf({ deadline }: Draft): string {
  if (deadline === 0) return word("line.no-deadline");
  return word("line.until", { time: new Date(deadline * SECOND_MS).toLocaleString() });
}

function problemOf({ isOff, isWhole }: Draft): string | undefined {
  if (isOff) return word("hint.approval-off");
  return isWhole ? undefined : word("hint.approval-cut");
}

function buttonsOf({ key, digest, isOff, isBusy, isWhole }: Draft) {
  if (isOff || isBusy) return [];
  const button = (isApproved: boolean) => ({
    label: word(isApproved ? "label.approve" : "label.decline"),
    act: () => void decide({ key, digest, isApproved }),
  });
  return isWhole ? [button(true), button(false)] : [button(false)];
}
