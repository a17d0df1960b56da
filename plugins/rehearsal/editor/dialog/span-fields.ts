import { make } from "../../../../nodes/common/editor/elements.ts";
import { type AskedSpan, GO_ON, GO_ON_MOST, UPLOAD } from "../../types.ts";
import { word } from "../words.ts";
import { group, input, row, select } from "./fields.ts";

/** A span as it is entered. A file is not uploaded yet. */
export type EnteredSpan = Exclude<AskedSpan, { upload: string }> | { file: File };

const KINDS = ["last", "times", "offsets", "file"] as const;
type Kind = (typeof KINDS)[number];

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Which events. `read` returns a sentence where something is missing. */
type SpanFields = {
  element: HTMLElement;
  read(): EnteredSpan | string;
  /** Minutes after the last event. */
  goOn(): number | string;
};

export function spanFields(before: EnteredSpan | undefined, goOnBefore = GO_ON): SpanFields {
  const now = Date.now();
  const kind = select(KINDS.map((value) => ({ value, label: word(`span.${value}`) })));
  const last = input("number", before && "last" in before ? String(before.last) : "24");
  last.min = "1";
  const [from, to] = [
    input("datetime-local", localTime(now - 24 * HOUR_MS)),
    input("datetime-local", localTime(now)),
  ];
  const [first, end] = [input("number", "0"), input("number", "")];
  const file = input("file", "");
  file.accept = ".json,application/json";
  if (before && "from" in before) [from.value, to.value] = [localTime(before.from), localTime(before.to)];
  if (before && "offsets" in before)
    [first.value, end.value] = before.offsets.map(String) as [string, string];
  if (before) kind.value = kindOf(before);

  const parts: Record<Kind, HTMLElement> = {
    last: row(word("label.hours"), last),
    times: make("div", "", row(word("label.from"), from), row(word("label.to"), to)),
    offsets: make("div", "", row(word("label.first"), first), row(word("label.last"), end)),
    file: make("div", "", row(word("label.file"), file), make("p", "crec-hint", word("hint.file"))),
  };
  const after = input("number", String(goOnBefore));
  after.min = "0";
  const goOn = make("div", "", row(word("label.go-on"), after), make("p", "crec-hint", word("hint.go-on")));
  const show = (): void => {
    goOn.hidden = kind.value !== "offsets" && kind.value !== "file";
    for (const name of KINDS) parts[name].hidden = name !== kind.value;
  };
  kind.addEventListener("change", show);
  show();
  const read: Record<Kind, () => EnteredSpan | string> = {
    last: () => (last.valueAsNumber > 0 ? { last: last.valueAsNumber } : word("error.hours")),
    times: () => {
      const [start, stop] = [Date.parse(from.value), Date.parse(to.value)];
      return start <= stop ? { from: start, to: stop } : word("error.times");
    },
    offsets: () => {
      const [one, other] = [first.valueAsNumber, end.valueAsNumber];
      const isRange = Number.isSafeInteger(one) && Number.isSafeInteger(other) && one >= 0 && one <= other;
      return isRange ? { offsets: [one, other] } : word("error.offsets");
    },
    file: () => {
      const chosen = file.files?.[0] ?? (before && "file" in before ? before.file : undefined);
      if (!chosen) return word("error.no-file");
      return chosen.size > UPLOAD.most ? word("error.too-large") : { file: chosen };
    },
  };
  const rows = KINDS.map((name) => parts[name]);
  return {
    element: group(word("label.span"), row(word("label.events"), kind), ...rows, goOn),
    read: () => read[kind.value as Kind](),
    goOn: () => {
      const minutes = after.valueAsNumber;
      return minutes >= 0 && minutes <= GO_ON_MOST ? minutes : word("error.go-on");
    },
  };
}

function kindOf(span: EnteredSpan): Kind {
  if ("last" in span) return "last";
  if ("from" in span) return "times";
  return "offsets" in span ? "offsets" : "file";
}

/** As the field has it: without a time zone, in that of the browser. */
function localTime(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}
