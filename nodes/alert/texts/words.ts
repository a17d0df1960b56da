import type { AlertOutcome, AlertWhen, RaisedAlert } from "../../../src/index.ts";
import type { Translate } from "../../common/context.ts";
import { isObject } from "../../common/shared/collections.ts";
import type { ConditionDef } from "../../common/shared/stored-values.ts";
import { cutAtWord } from "../../common/shared/text.ts";
import { utcText } from "../../common/shared/times.ts";
import { type Facts, fieldText, replaceFields, valueText } from "./template.ts";
import { oneLine, ownProperty } from "./values.ts";

/** What the form says, as the sentences of an alert need it. */
export type Worded = {
  /** Of the node; empty for none. */
  name: string;
  when: AlertWhen["kind"];
  within: string;
  compared: string;
  absentFor: string;
  /** What is added up, in a word or an expression. */
  sumField: string;
  rows: readonly ConditionDef[];
  match: "all" | "any";
};

const MOST_PARAMETERS = 6;
const MOST_ROWS = 3;
const LONGEST_ROW = 100;

/** A title where the form has none: the node's name, else what happened. */
export function defaultTitle(t: Translate, worded: Worded, facts: Facts): string {
  if (worded.name !== "") return worded.name;
  const { when } = worded;
  if (when === "absence") return say(t, "alert.words.title-absence", { time: worded.absentFor });
  if (isByTime(worded, facts)) return defaultText(t, worded, facts);
  return subject(t, facts);
}

/** A sentence where the form has none. */
export function defaultText(t: Translate, worded: Worded, facts: Facts): string {
  const { alert } = facts;
  const words = {
    subject: subject(t, facts),
    values: valuesOf(facts),
    count: String(alert.count),
    usual: fieldText("usual", facts),
    sum: facts.sum ?? "",
    sumField: worded.sumField,
    within: worded.within,
    compared: worded.compared,
    time: worded.absentFor,
  };
  const parts = [
    say(t, `alert.words.${worded.when}${variantOf(worded, facts)}`, words),
    ...(alert.key === "" ? [] : [say(t, "alert.words.key", { key: fieldText("key", facts) })]),
    ...(alert.suppressed > 0 ? [say(t, "alert.words.suppressed", { count: String(alert.suppressed) })] : []),
    ...conditionWords(t, worded),
  ];
  return parts.map((part) => part.trim().replace(/[:,：，]$/, "")).join(" · ");
}

function variantOf(worded: Worded, facts: Facts): string {
  if (isByTime(worded, facts)) return "-alone";
  return isFirstSeen(worded, facts) ? "-first" : "";
}

/** Whether a sum came to its limit by what left its window: there is no event to tell of. */
function isByTime({ when }: Worded, { payload }: Facts): boolean {
  return when === "sum" && payload === undefined;
}

/** Whether a rate has nothing to compare a key with: it had no event in the whole compared time. */
function isFirstSeen({ when }: Worded, { alert }: Facts): boolean {
  return when === "rate" && alert.key !== "" && alert.usual === 0;
}

/** The title and the sentence of an alert about the rule itself. */
export function limitWords(
  t: Translate,
  { name, maxKeys, count }: { name: string; maxKeys: number; count: number },
): { title: string; text: string } {
  const words = { name, keys: String(maxKeys), count: String(count) };
  return {
    title: say(t, `alert.words.title-limit${name === "" ? "" : "-named"}`, words),
    text: say(t, "alert.words.limit", words),
  };
}

/** The text of an outcome, with the text of the alert that it is about. `isOwn`: of the event that arrived. */
export function outcomeText(
  t: Translate,
  outcome: AlertOutcome,
  { text, isOwn }: { text: string; isOwn: boolean },
): string {
  switch (outcome.kind) {
    case "alert":
      if (outcome.endedAt !== undefined) return say(t, "alert.words.over", { text });
      return isOwn || outcome.alert.reminder === undefined ? text : reminderText(t, outcome.alert, text);
    case "recovered": {
      const { changes } = outcome;
      if (changes === undefined) return say(t, "alert.words.recovered", { text });
      return say(t, "alert.words.recovered-changes", { text, changes: String(changes) });
    }
    case "takenBack": {
      const stands = outcome.stands ? "-stands" : "";
      const taken = say(t, `alert.words.takenBack-${outcome.reason}${stands}`, { text });
      return outcome.isOpen ? say(t, "alert.words.open", { text: taken }) : taken;
    }
    case "notConfirmed":
    case "ended":
      return say(t, `alert.words.${outcome.kind}`, { text });
  }
}

/** What a reminder without an event says. */
function reminderText(t: Translate, { changes, suppressed, lastAt }: RaisedAlert, text: string): string {
  if (changes !== undefined) return say(t, "alert.words.changes", { text, changes: String(changes) });
  if (suppressed === 0 || lastAt === undefined) return say(t, "alert.words.still", { text });
  const count = String(suppressed);
  return say(t, "alert.words.more", { text, count, time: utcText(lastAt) });
}

export function outcomeTitle(
  t: Translate,
  outcome: AlertOutcome,
  { title, isOwn }: { title: string; isOwn: boolean },
): string {
  if (outcome.kind === "alert") {
    const { reminder, changes, suppressed } = outcome.alert;
    if (outcome.endedAt !== undefined) return say(t, "alert.words.title-over", { title });
    if (reminder === undefined) return title;
    if (changes !== undefined) return say(t, "alert.words.title-changes", { title });
    if (isOwn || suppressed === 0) return say(t, "alert.words.title-still", { title });
    return say(t, "alert.words.title-more", { title, count: String(suppressed) });
  }
  const stands = outcome.kind === "takenBack" && outcome.stands ? "-stands" : "";
  return say(t, `alert.words.title-${outcome.kind}${stands}`, { title });
}

/** What the message is about, such as `Transfer of demo token`. */
function subject(t: Translate, facts: Facts): string {
  const { payload, contract } = facts;
  if (!isObject(payload)) {
    const value = valueText(payload, facts);
    return say(t, `alert.words.value${contract === "" ? "" : "-of"}`, { value, contract });
  }
  if (typeof payload.name === "string" && payload.name !== "") {
    const name = oneLine(payload.name, 60);
    const of = fieldText("contract", facts);
    return say(t, `alert.words.event${of === "–" ? "" : "-of"}`, { name, contract: of });
  }
  if (typeof payload.status === "string") {
    return say(t, "alert.words.status", { status: oneLine(payload.status, 40) });
  }
  return say(t, "alert.words.message");
}

/** `value 1500, from treasury (0x12ab…9f01)`: amounts in tokens, in the order of the ABI. */
function valuesOf(facts: Facts): string {
  const { payload } = facts;
  const params = ownProperty(payload, "params");
  if (!isObject(params)) return "";
  const names = Object.keys(params);
  const shown = names.slice(0, MOST_PARAMETERS).map((name) => {
    // A name may have a dot, so no path is made of it.
    const tokens = ownProperty(payload, "tokens");
    const inTokens = isObject(tokens) && Object.hasOwn(tokens, name) ? tokens[name] : undefined;
    return `${oneLine(name, 40)} ${valueText(inTokens ?? params[name], facts)}`;
  });
  return [...shown, ...(names.length > MOST_PARAMETERS ? ["…"] : [])].join(", ");
}

/** The rows that can be said in words: not values that come from elsewhere. */
function conditionWords(t: Translate, { rows, match }: Worded): string[] {
  const said = rows.slice(0, MOST_ROWS).map((row) => rowWords(t, row));
  if (said.length === 0) return [];
  const joined = said.join(say(t, `alert.words.join-${match}`));
  return [say(t, "alert.words.condition", { conditions: rows.length > MOST_ROWS ? `${joined}, …` : joined })];
}

function rowWords(t: Translate, row: ConditionDef): string {
  const not = row.not ? say(t, "alert.words.not") : "";
  if (row.kind === "expression") return cutAtWord(`${not}${oneLine(row.value, LONGEST_ROW)}`, LONGEST_ROW);
  const isText = row.type === undefined || row.type === "str";
  const value = isText ? (row.value ?? "") : `${row.type}.${row.value ?? ""}`;
  const field = row.field === "" ? say(t, "alert.words.payload") : row.field.replace(/^params\./, "");
  const unit = row.unit === "token" ? say(t, "alert.words.tokens") : "";
  const to = row.to ?? "";
  // Behind the last value, not at the end: in some languages the verb follows.
  const values = row.is === "between" ? { value, to: `${to}${unit}` } : { value: `${value}${unit}`, to };
  const words = say(t, `alert.words.is.${row.is}`, { field, ...values });
  return oneLine(`${not}${words}`, LONGEST_ROW);
}

/** Values are put in here and not by Node-RED's translation, which could find its own marks in what an event says. */
function say(t: Translate, key: string, words: Readonly<Record<string, string>> = {}): string {
  return replaceFields(t(key), (name) => words[name] ?? "");
}
