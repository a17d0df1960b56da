import {
  anyText,
  callable,
  flag,
  type Kind,
  kindOf,
  like,
  listOf,
  oneOf,
  optional,
  text,
} from "../options/index.ts";
import { decimalsKind } from "./rule/check-settings.ts";
import type { AlertEvidence, AlertInput, AlertOutcome, AlertStore, LogPlace, RaisedAlert } from "./types.ts";

// What is given to a rule for each event: the types of what is not from the event itself.

export const storeKind = like<AlertStore>({
  isShared: optional(flag),
  read: callable(),
  write: callable(),
  keys: callable(),
  flush: optional(callable()),
  close: callable(),
});

/** Also `NaN`, for what has no time. */
const time = kindOf<number>("a number of milliseconds", (value) => typeof value === "number");

const logKind = like<LogPlace>({
  chainSelector: text,
  transactionHash: text,
  blockNumber: text,
  logIndex: text,
  confidence: anyText(),
  contract: text,
  content: text,
  source: text,
});

export const inputKind = like<AlertInput>({
  id: optional(text),
  key: text,
  at: time,
  matches: flag,
  ends: optional(flag),
  subject: optional(text),
  amount: optional(text),
  decimals: optional(decimalsKind),
  redelivered: optional(flag),
  log: optional(logKind),
  source: optional(text),
  reportedAt: optional(time),
  isHighest: optional(flag),
  details: optional(callable()),
});

type Evidence<Name extends AlertEvidence["kind"]> = AlertEvidence & { kind: Name };

const EVIDENCE: { readonly [Name in AlertEvidence["kind"]]: Kind<Evidence<Name>> } = {
  log: like<Evidence<"log">>({
    log: logKind,
    at: optional(time),
    isHighest: optional(flag),
    redelivered: optional(flag),
  }),
  block: like<Evidence<"block">>({ chainSelector: text, blockNumber: text, confidence: anyText() }),
  transaction: like<Evidence<"transaction">>({
    chainSelector: text,
    transactionHash: text,
    blockNumber: optional(text),
    confidence: anyText(),
    failed: flag,
    redelivered: optional(flag),
  }),
};

const kindOfEvidence = like<{ kind: AlertEvidence["kind"] }>({ kind: oneOf("log", "block", "transaction") });

export const evidenceKind: Kind<AlertEvidence> = (value, path) =>
  EVIDENCE[kindOfEvidence(value, path).kind](value, path);

export const outcomeKind = like<Pick<AlertOutcome, "kind" | "alert">>({
  kind: oneOf("alert", "recovered", "takenBack", "notConfirmed", "ended"),
  alert: like<RaisedAlert>({ id: text, key: text }),
});

export const outcomesKind = listOf(outcomeKind);
