import type { NodeAPI } from "node-red";
import { errorText, inLanguage } from "../messages/error-texts.ts";
import { nodeError, toCodedError } from "../shared/errors.ts";
import type { Problem } from "../shared/form-types.ts";
import { asReadOnlyUser, retryAfterOf } from "../status/read-limit.ts";

/** A request from the network. Its body is not checked yet. */
export type Question = {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  /** The name of the user of the editor; undefined without a login, and for its default user. */
  user: string | undefined;
};

/** What Node-RED adds to a request where it asks who is there. */
type Authenticated = {
  authInfo?: { scope?: unknown };
  user?: { username?: unknown; anonymous?: unknown };
};

const NOT_JSON: Problem = {
  problem: "This address takes JSON only. Send it with the header Content-Type: application/json.",
  code: "INVALID_REQUEST",
};

/**
 * Registers an address that forms ask; a `post` takes JSON only. What goes wrong is an answer like any other, a
 * `Problem`: many a question is about what is still being typed, and a browser notes everything else than success as
 * an error. Only who asks too often gets a 429.
 */
export function answerForms<T>(
  RED: NodeAPI,
  method: "get" | "post",
  path: `/crec/${string}`,
  permission: "crec.read" | "crec.write" | "flows.write",
  work: (question: Question) => T | Promise<T>,
): void {
  RED.httpAdmin[method](path, RED.auth.needsPermission(permission), (request, response) => {
    // Without a look at the type, a form on any other site could ask in the name of the user who is logged in.
    if (method === "post" && !request.is("application/json")) {
      response.status(415).json(NOT_JSON);
      return;
    }
    const { params, query, body, authInfo, user } = request as unknown as Omit<Question, "user"> &
      Authenticated;
    const isReadOnly = permission === "crec.read" && authInfo !== undefined && !mayWrite(authInfo.scope);
    // The editor's language, which its forms send; another one where the address is asked for in another way.
    const [language] = request.acceptsLanguages();
    inLanguage(language === "*" ? undefined : language, () =>
      Promise.resolve()
        .then(() => {
          const answer = () => work({ params, query, body, user: nameOf(user) });
          return isReadOnly ? asReadOnlyUser(answer) : answer();
        })
        .catch((thrown: unknown) => {
          const seconds = retryAfterOf(thrown);
          if (seconds !== undefined) response.status(429).set("Retry-After", String(seconds));
          return problemOf(RED.log, thrown);
        }),
    ).then((answer) => response.json(answer));
  });
}

function nameOf(user: Authenticated["user"]): string | undefined {
  const name = user?.anonymous ? undefined : user?.username;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** As Node-RED reads the permissions of a user. */
function mayWrite(scope: unknown): boolean {
  if (Array.isArray(scope)) return scope.some(mayWrite);
  return typeof scope === "string" && ["*", "write", "*.write", "crec.write"].includes(scope);
}

/** What a person is told about an error; one of ours goes to the log. */
export function problemOf(log: NodeAPI["log"], thrown: unknown): Problem {
  const { code, stack } = toCodedError(thrown);
  if (code !== "INTERNAL_ERROR" && !(thrown instanceof TypeError))
    return { problem: errorText(thrown), code };
  // JavaScript's message about a bug of ours does not help a person in a form.
  log.error(`A form's question could not be answered: ${stack}`);
  const told = nodeError("INTERNAL_ERROR", "This failed within the nodes. The log of Node-RED says more.");
  return { problem: errorText(told), code: told.code };
}

/** The fields of what should be an object; none of anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The trimmed text of what should be text or a number; empty for anything else. */
export function textIn(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

/** @throws INVALID_REQUEST */
export function invalidRequest(sentence: string): never {
  throw nodeError("INVALID_REQUEST", sentence);
}
