import type { DriverProblem } from "../driver.ts";
import { codeOf, networkProblem } from "../network-reason.ts";
import { EvictsLeases, NewerSchema } from "./checks.ts";
import { NO_SENTINEL } from "./client.ts";

/** What an answer of Redis begins with, where a setting is wrong. */
const REFUSALS: Readonly<Record<string, string | undefined>> = {
  WRONGPASS: "the user or password is wrong (WRONGPASS); correct them in the URL",
  NOAUTH: "it needs a password (NOAUTH); add it to the URL",
  NOPERM:
    "the user has too few rights (NOPERM); allow it INFO, TIME and scripts, and hash, string, sorted set and key commands on keys that begin with the namespace in braces",
  MOVED:
    "it is part of a Redis Cluster (MOVED), which is not supported; use a single Redis, or one with Sentinel",
  CROSSSLOT:
    "it is part of a Redis Cluster (CROSSSLOT), which is not supported; use a single Redis, or one with Sentinel",
  DENIED: "it takes calls from its own machine only (DENIED); set a password in its configuration",
};

/** The connection is as good as before. */
const BUSY: Readonly<Record<string, string | undefined>> = {
  OOM: "its memory is full (OOM)",
  BUSY: "it runs another script (BUSY)",
  MISCONF: "it cannot write to its disk (MISCONF)",
  NOREPLICAS: "it has too few replicas (NOREPLICAS)",
};

const LOSSES: Readonly<Record<string, string | undefined>> = {
  READONLY: "it is a replica (READONLY)",
  LOADING: "it is starting (LOADING)",
  MASTERDOWN: "it is a replica without its primary (MASTERDOWN)",
  UNBLOCKED: "it became a replica (UNBLOCKED)",
};

/** What a script is told, instead of `NOPERM`, that calls a command which its user may not call. */
const FORBIDDEN = /^ERR The user executing the script can't /;

export function problemOf(error: unknown): DriverProblem {
  const message = error instanceof Error ? error.message : "";
  if (error instanceof NewerSchema) return { kind: "newer", reason: message };
  if (error instanceof EvictsLeases) return { kind: "refused", reason: message };
  const word = FORBIDDEN.test(message) ? "NOPERM" : (/^[A-Z]{1,40}(?= )/.exec(message)?.[0] ?? "");
  const [refusal, busy, loss] = [REFUSALS[word], BUSY[word], LOSSES[word]];
  if (refusal !== undefined) return { kind: "refused", reason: refusal };
  if (busy !== undefined) return { kind: "busy", reason: busy };
  if (loss !== undefined) return { kind: "lost", reason: loss };
  if (NO_SENTINEL.test(message)) {
    return {
      kind: "lost",
      reason: "no sentinel answers, or none knows a running server under this master name",
    };
  }
  const reason = word === "" ? "the connection was closed" : `it answered with an error (${word})`;
  return networkProblem(codeOf(error)) ?? { kind: "lost", reason };
}
