import { toSmallestUnit } from "../../abi/index.ts";
import { ArgumentError } from "../../errors.ts";
import type { AlertSettings } from "../types.ts";

/** @throws {ArgumentError} for settings with which no alert could be raised as meant. */
export function checkAlertSettings(settings: AlertSettings): void {
  const { when, maxKeys, maxMarks } = settings;
  checkTime("slackMs", settings.slackMs, 0);
  checkTime("quietMs", settings.quietMs, 0);
  if (settings.confirmWithinMs !== undefined) checkTime("confirmWithinMs", settings.confirmWithinMs, 1);
  checkCount("maxKeys", maxKeys);
  checkCount("maxMarks", maxMarks);
  if (when.kind === "absence") checkTime("when.forMs", when.forMs, 1);
  if ("withinMs" in when) checkTime("when.withinMs", when.withinMs, 1);
  if (when.kind === "count") {
    checkCount("when.times", when.times);
    if (when.times > maxMarks)
      fail("when.times", `when.times must be at most maxMarks, which is ${maxMarks}.`);
  }
  if (when.kind === "sum") toSmallestUnit(when.limit, 77, "when.limit");
  if (when.kind !== "rate") return;
  checkCount("when.least", when.least);
  checkTime("when.comparedMs", when.comparedMs, 1);
  if (!Number.isFinite(when.factor) || when.factor <= 0)
    fail("when.factor", "when.factor must be a number above 0.");
  if (when.comparedMs < when.withinMs) {
    fail(
      "when.comparedMs",
      "when.comparedMs must be at least when.withinMs: it is the time before the window.",
    );
  }
}

/** Longer times than a thousand years are mistakes. */
const LONGEST_MS = 1_000 * 366 * 24 * 60 * 60_000;

/** @throws {ArgumentError} for what is not a time in milliseconds. */
export function checkTime(path: string, value: number, least: number): void {
  if (Number.isFinite(value) && value >= least && value <= LONGEST_MS) return;
  fail(path, `${path} must be a time in milliseconds, ${least === 0 ? "0 or more" : "above 0"}.`);
}

function checkCount(path: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) fail(path, `${path} must be a whole number above 0.`);
}

function fail(path: string, message: string): never {
  throw new ArgumentError(path, message);
}
