import { toSmallestUnit } from "../../abi/index.ts";
import { ArgumentError } from "../../errors.ts";
import {
  aNumber,
  checkedBy,
  flag,
  type Kind,
  like,
  oneOf,
  optional,
  options,
  positiveWhole,
  text,
  whole,
} from "../../options/index.ts";
import type { AlertSettings, AlertWhen } from "../types.ts";

/** Longer times than a thousand years are mistakes. */
const LONGEST_MS = 1_000 * 366 * 24 * 60 * 60_000;

export const time = aNumber("a time in milliseconds, 0 or more", (ms) => ms >= 0 && ms <= LONGEST_MS);
export const someTime = aNumber("a time in milliseconds, above 0", (ms) => ms > 0 && ms <= LONGEST_MS);
/** Of a token. */
export const decimalsKind = whole(0, 77);

type When<Kind extends AlertWhen["kind"]> = AlertWhen & { kind: Kind };

const WHEN: { readonly [Name in AlertWhen["kind"]]: Kind<When<Name>> } = {
  each: like<When<"each">>({}),
  count: like<When<"count">>({ times: positiveWhole, withinMs: someTime }),
  sum: like<When<"sum">>({
    withinMs: someTime,
    field: text,
    limit: checkedBy((limit: string, path) => toSmallestUnit(limit, 77, path)),
    is: optional(oneOf("atLeast", "atMost")),
    unit: optional(oneOf("token")),
    decimals: optional(decimalsKind),
  }),
  rate: like<When<"rate">>({
    factor: aNumber("a number above 0", (factor) => Number.isFinite(factor) && factor > 0),
    withinMs: someTime,
    comparedMs: someTime,
    least: positiveWhole,
  }),
  absence: like<When<"absence">>({ forMs: someTime }),
};

const kindOfWhen = like<{ kind: AlertWhen["kind"] }>({
  kind: oneOf("each", "count", "sum", "rate", "absence"),
});

export const whenKind: Kind<AlertWhen> = (value, path) => WHEN[kindOfWhen(value, path).kind](value, path);

/** @throws {ArgumentError} for settings with which no alert could be raised as meant. */
export const settingsKind: Kind<AlertSettings> = checkedBy((given: AlertSettings, path) => {
  const { when, maxMarks } = members(given, path);
  if (when.kind === "count" && when.times > maxMarks)
    fail("when.times", `when.times must be at most maxMarks, which is ${maxMarks}.`);
  if (when.kind === "rate" && when.comparedMs < when.withinMs) {
    fail(
      "when.comparedMs",
      "when.comparedMs must be at least when.withinMs: it is the time before the window.",
    );
  }
});

const members = options<AlertSettings>({
  when: whenKind,
  quietMs: time,
  recovers: flag,
  summarizes: optional(flag),
  slackMs: time,
  confirmWithinMs: optional(someTime),
  maxKeys: positiveWhole,
  maxMarks: positiveWhole,
});

function fail(path: string, message: string): never {
  throw new ArgumentError(path, message);
}
