import { combineResults } from "../../../src/protocol/index.ts";
import { type ContractRef, contractOf } from "../fields/config-nodes.ts";
import type { Evaluating } from "../fields/evaluate.ts";
import { loadLibrary } from "../library.ts";
import type { CrecMessage } from "../messages/message.ts";
import { translatedError } from "../shared/errors.ts";
import type { ConditionDef } from "../shared/stored-values.ts";
import { type Row, type RowResult, readRow } from "./condition-rows.ts";
import { isAt } from "./contract-registry.ts";

/** The settings of a node that its conditions need. */
type ConditionSettings = {
  match: "all" | "any";
  /** As the form stores them. A flow that was written by hand can have anything. */
  conditions?: unknown;
  /** The id of the chosen contract node; empty for none. */
  contract?: string | undefined;
};

/** Whether the conditions hold for a message; undefined where that cannot be decided. */
type ConditionsResult = {
  matches: boolean | undefined;
  /** Why it cannot be decided, a sentence for each row. Empty unless `matches` is undefined. */
  reasons: readonly string[];
};

/** The conditions of one node. */
export type NodeConditions = {
  /** As the form stores them: an alert describes itself by them. */
  readonly rows: readonly ConditionDef[];
  /**
   * Whether they hold for `msg.payload`; expressions are about the whole message. Values from the message or the context
   * that are missing or do not fit leave the result undecided.
   *
   * @throws INVALID_FIELD for a row that is wrong for each message, VARIABLE_MISSING, CONTRACT_MISSING, ABI_INVALID
   */
  check(msg: CrecMessage): Promise<ConditionsResult>;
  /** Whether it is known that they do not hold: a field that is missing or null shows nothing. Throws as `check`. */
  ends(msg: CrecMessage): Promise<boolean>;
};

type Prepared = { contract: ContractRef | undefined; rows: Promise<NumberedRow[]> };
type NumberedRow = Row & { number: number };

/** The conditions of a node. What does not depend on a message is read once, with the first message. */
export function nodeConditions(context: Evaluating, settings: ConditionSettings): NodeConditions {
  const { match, conditions, contract: contractId } = settings;
  const stored: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  let prepared: Prepared | undefined;

  const prepare = async (contract: ContractRef | undefined): Promise<NumberedRow[]> => {
    if (conditions !== undefined && !Array.isArray(conditions))
      throw wrong(context.t("common.error.conditions"));
    const abi = await contract?.abi();
    const library = await loadLibrary();
    const rows: NumberedRow[] = [];
    for (const [index, row] of stored.entries()) {
      const number = index + 1;
      if (!isRow(row)) throw wrong(context.t("common.error.condition-kind", { number }));
      rows.push({ number, ...(await readRow({ context, library, abi }, row, number)) });
    }
    return rows.sort((a, b) => Number(b.isFixed) - Number(a.isFixed));
  };

  const rowsFor = async ({ payload }: CrecMessage) => {
    const contract = contractId ? contractOf(context.RED.nodes, contractId) : undefined;
    if (prepared === undefined || prepared.contract !== contract) {
      prepared = { contract, rows: prepare(contract) };
    }
    return { rows: await prepared.rows, decimals: decimalsFor(contract, payload) };
  };

  return {
    rows: stored.filter(isRow),
    ends: async (msg) => {
      const { rows, decimals } = await rowsFor(msg);
      const known: Array<boolean | undefined> = [];
      for (const { check } of rows) {
        const { result, isMissing } = await check(msg, decimals);
        known.push(isMissing ? undefined : result);
      }
      return combineResults(match, known) === false;
    },
    check: async (msg) => {
      const { rows, decimals } = await rowsFor(msg);
      const results: Array<RowResult & { number: number }> = [];
      for (const { number, check } of rows) {
        const found = check(msg, decimals);
        const row = found instanceof Promise ? await found : found;
        if (row.result === (match === "any")) return { matches: row.result, reasons: [] };
        results.push({ number, ...row });
      }
      const matches = combineResults(
        match,
        results.map(({ result }) => result),
      );
      if (matches !== undefined) return { matches, reasons: [] };
      const open = results.filter(({ result }) => result === undefined).sort((a, b) => a.number - b.number);
      return { matches, reasons: open.map(({ reason }) => reason ?? "") };
    },
  };
}

/**
 * The decimals of the chosen contract, for what is about it. An event of another contract is compared by its own
 * `tokens`, and so is one whose network is not signed: the same address can be another contract there.
 */
function decimalsFor(contract: ContractRef | undefined, payload: unknown): number | undefined {
  if (contract?.decimals === undefined || typeof payload !== "object" || payload === null) {
    return contract?.decimals;
  }
  const { contract: address, chainSelector, chainSelectorUnsigned } = payload as Record<string, unknown>;
  if (address === undefined) return contract.decimals;
  const isOfContract =
    chainSelectorUnsigned === undefined && isAt(contract, String(chainSelector), String(address));
  return isOfContract ? contract.decimals : undefined;
}

function isRow(row: unknown): row is ConditionDef {
  const { kind, field, value } = (row ?? {}) as Record<string, unknown>;
  return kind === "field" ? typeof field === "string" : kind === "expression" && typeof value === "string";
}

function wrong(sentence: string): Error {
  return translatedError("INVALID_FIELD", sentence);
}
