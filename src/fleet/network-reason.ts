import type { EngineProblem } from "./engine.ts";

const NETWORK_REASONS: Readonly<Record<string, string | undefined>> = {
  ECONNREFUSED: "nothing listens at its port (ECONNREFUSED)",
  ENOTFOUND: "its host name is unknown (ENOTFOUND)",
  EAI_AGAIN: "its host name cannot be looked up now (EAI_AGAIN)",
  ECONNRESET: "the connection was closed (ECONNRESET)",
  EPIPE: "the connection was closed (EPIPE)",
};

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;

/** What the code of an error of a socket says; undefined for a code that is not of a socket. */
export function networkProblem(code: string): EngineProblem | undefined {
  if (CERTIFICATE.test(code)) {
    return {
      kind: "refused",
      reason: `its certificate is not trusted (${code}); give the certificate of its authority as the option ca`,
    };
  }
  const known = NETWORK_REASONS[code];
  if (known !== undefined) return { kind: "lost", reason: known };
  return /^E[A-Z]+$|^ERR_/.test(code)
    ? { kind: "lost", reason: `the connection failed (${code})` }
    : undefined;
}

/** Codes of servers are shorter. Another program may answer with anything. */
const LONGEST = 40;

/** The `code` of an error, or of the first one of several; cut. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code.slice(0, LONGEST);
  return error instanceof AggregateError ? codeOf(error.errors[0]) : "";
}
