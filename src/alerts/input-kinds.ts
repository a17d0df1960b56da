import {
  anyText,
  callable,
  finite,
  flag,
  type Kind,
  kindOf,
  like,
  listOf,
  oneOf,
  optional,
  text,
} from "../options/index.ts";
import type {
  AlertEvidence,
  AlertInput,
  AlertOutcome,
  AlertStore,
  LogPlace,
  RaisedAlert,
  TakenBackReason,
} from "./types.ts";

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
const anyNumber = kindOf<number>("a number", (value) => typeof value === "number");

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
  at: anyNumber,
  matches: flag,
  ends: optional(flag),
  subject: optional(text),
  amount: optional(text),
  // Of a contract that anybody may have made: whether they can be used is decided later.
  decimals: optional(anyNumber),
  redelivered: optional(flag),
  log: optional(logKind),
  source: optional(text),
  reportedAt: optional(anyNumber),
  isHighest: optional(flag),
  details: optional(callable()),
});

type Evidence<Name extends AlertEvidence["kind"]> = AlertEvidence & { kind: Name };

const EVIDENCE: { readonly [Name in AlertEvidence["kind"]]: Kind<Evidence<Name>> } = {
  log: like<Evidence<"log">>({
    log: logKind,
    at: optional(anyNumber),
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

/** What the outcomes of all kinds have. */
type AnyOutcome = Pick<AlertOutcome, "kind" | "alert"> & {
  at?: number | undefined;
  changes?: number | undefined;
  endedAt?: number | undefined;
  repeated?: boolean | undefined;
  isOpen?: boolean | undefined;
  reason?: TakenBackReason | undefined;
  stands?: boolean | undefined;
};

export const outcomeKind = like<AnyOutcome>({
  kind: oneOf("alert", "recovered", "takenBack", "notConfirmed", "ended"),
  alert: like<RaisedAlert>({ id: text, key: text, reminder: optional(anyNumber) }),
  at: optional(finite),
  changes: optional(finite),
  endedAt: optional(finite),
  repeated: optional(flag),
  isOpen: optional(flag),
  reason: optional(oneOf("other_block", "other_outcome", "level_passed")),
  stands: optional(flag),
});

export const outcomesKind = listOf(outcomeKind);
