import type { Node } from "node-red";
import type { AlertInput, AlertSettings, PassedReason } from "../../src/index.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { activity } from "../common/telemetry/activity.ts";
import { originOf } from "../common/telemetry/origin.ts";
import type { AlertSumReport } from "../common/telemetry/types.ts";
import { contractKey } from "./alert-input.ts";

/** Keys come from messages, so their number is limited. */
const MOST_KEYS = 1_000;

/** Lists in Issues what makes a sum in tokens wrong, or smaller than it is. */
export class SumProblems {
  readonly #node: Node;
  readonly #isOfTokens: boolean;
  /** The contract whose amounts a key adds up. */
  readonly #contracts = new Map<string, string>();

  constructor(node: Node, when: AlertSettings["when"]) {
    this.#node = node;
    this.#isOfTokens = when.kind === "sum" && when.unit === "token";
  }

  note(
    { payload }: CrecMessage,
    { key, matches, amount }: AlertInput,
    passed: PassedReason | undefined,
  ): void {
    if (!this.#isOfTokens || !matches) return;
    if (passed === "undecided") {
      if (amount !== undefined) noteAlertSum(this.#node, "no-decimals");
      return;
    }
    const contract = contractKey(payload);
    if (contract === undefined) return;
    const known = this.#contracts.get(key);
    if (known !== undefined && known !== contract) noteAlertSum(this.#node, "contracts");
    if (known === undefined && this.#contracts.size < MOST_KEYS) this.#contracts.set(key, contract);
  }

  close(): void {
    forgetAlertSum(this.#node);
  }
}

/** Lists in Issues that a node adds up amounts whose unit is not known, or those of several contracts. */
function noteAlertSum(node: Node, problem: AlertSumReport["problem"]): void {
  const known = activity.alertSums.get(node.id);
  if (known?.problem === "no-decimals" || known?.problem === problem) return;
  activity.note({ kind: "alertSum", alertSum: { ...originOf(node), problem, instance: node.id } });
}

/** The node is closed. */
function forgetAlertSum(node: Node): void {
  activity.alertSums.delete(node.id);
}
