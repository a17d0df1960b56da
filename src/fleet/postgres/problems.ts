import type { DriverProblem } from "../driver.ts";
import { codeOf, networkProblem } from "../network-reason.ts";
import { isWithoutSchema, NewerSchema } from "./schema.ts";

/** Error codes of PostgreSQL that mean that a setting is wrong. */
const REFUSALS: Readonly<Record<string, string | undefined>> = {
  "no-tls":
    "it has no TLS, which the URL asks for; add a certificate to the server, or change sslmode in the URL",
  "28P01": "the user or password is wrong (28P01); correct them in the URL",
  "28000":
    "this user may not log in from here (28000); check pg_hba.conf, add ?sslmode=require to the URL, or give a client certificate as the option tls",
  "3D000": "the database does not exist (3D000); correct its name in the URL, or create it",
  "42501":
    "the user has too few rights (42501); let it create a schema in the database, or create the schema for it and make it the owner",
};

/** The connection is as good as before. */
const BUSY: Readonly<Record<string, string | undefined>> = {
  "40001": "another call changed the same rows (40001)",
  "40P01": "another call locked the same rows (40P01)",
  "53100": "its disk is full (53100)",
  "55P03": "the rows are locked (55P03)",
  "57014": "it canceled the call (57014)",
};

const LOSSES: Readonly<Record<string, string | undefined>> = {
  closed: "the connection was closed",
  CONNECTION_CLOSED: "the connection was closed",
  CONNECTION_DESTROYED: "the connection was closed",
  CONNECTION_ENDED: "the connection was closed",
  "not-postgresql": "its answer is not one of PostgreSQL; check the host and port in the URL",
  CONNECT_TIMEOUT: "it cannot be connected to",
  SASL_SIGNATURE_MISMATCH: "it does not prove that it knows the password",
  "25006": "it is a replica, or read only (25006)",
  "53300": "it has too many connections (53300)",
  "57P01": "it is being shut down (57P01)",
  "57P02": "it crashed (57P02)",
  "57P03": "it is starting or being shut down (57P03)",
};

export function problemOf(error: unknown): DriverProblem {
  if (error instanceof NewerSchema) return { kind: "newer", reason: error.message };
  const code = codeOf(error);
  const [refusal, busy, loss] = [REFUSALS[code], BUSY[code], LOSSES[code]];
  if (refusal !== undefined) return { kind: "refused", reason: refusal };
  if (busy !== undefined) return { kind: "busy", reason: busy };
  if (loss !== undefined) return { kind: "lost", reason: loss };
  // Opening again creates them.
  if (isWithoutSchema(code)) return { kind: "lost", reason: `its tables were removed (${code})` };
  return networkProblem(code) ?? { kind: "lost", reason: `it answered with an error (${code || "unknown"})` };
}
