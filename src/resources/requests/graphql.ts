import {
  type Answer,
  answerDetails,
  excerpt,
  HttpError,
  type HttpErrorDetails,
  keyRefusal,
  readAnswer,
  tryParse,
} from "../../http/index.ts";
import { isObject } from "./checks.ts";

/** One error of a GraphQL service. */
export type GraphqlProblem = {
  /** A sentence of the service. It never contains a variable or the key. */
  message: string;
  /** The field of the answer it is about. */
  path?: Array<string | number>;
  /** The kind of error, where the service names it. */
  code?: string;
};

/** The answer to a query. */
export type GraphqlAnswer<T> = {
  /** The fields that were answered. */
  data: T;
  /** Which fields are missing and why; empty when none is. */
  errors: GraphqlProblem[];
};

/** `GRAPHQL_ERROR`: the query was refused, or its answer has errors. */
export class GraphqlError extends HttpError {
  override readonly name = "GraphqlError";
  /** What went wrong. */
  readonly errors: readonly GraphqlProblem[];
  /** The part that was answered; absent when nothing was. */
  declare readonly data?: unknown;

  constructor(
    errors: readonly GraphqlProblem[],
    { data, ...details }: HttpErrorDetails & { data?: unknown },
  ) {
    const [first] = errors;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
    const said = `It said: ${first ? describe(first) : "nothing."}${more}`;
    const isFault =
      errors.length > 0 && errors.every(({ code }) => /^(INTERNAL|SERVICE_UNAVAILABLE)/.test(code ?? ""));
    const message =
      data === undefined
        ? `The GraphQL service could not answer the query. ${isFault ? "It says that the fault is its own: try again later, and then ask its operator." : "Correct the query or its variables."} ${said}`
        : `The GraphQL service answered only a part of the query. Correct the query, or use that part. ${said}`;
    super("GRAPHQL_ERROR", message, details);
    this.errors = errors;
    if (data !== undefined) this.data = data;
  }
}

/**
 * Reads an answer of the GraphQL service: data, perhaps with errors.
 * @throws {GraphqlError} `GRAPHQL_ERROR` for a refused query; {HttpError} as every call.
 */
export function readGraphql(answer: Answer, variables: Record<string, unknown> = {}): GraphqlAnswer<unknown> {
  const body = tryParse(answer.text);
  const { data, errors } = isObject(body) ? body : {};
  const failures = Array.isArray(errors) ? errors.filter(isObject) : [];
  // When no field was answered, a refusal of one field is a refusal of the key.
  const empty = !isObject(data) || Object.values(data).every((value) => value === null);
  const refused = empty && failures.some((failure) => isRefusal(failure, answer.status));
  // The values of variables are removed from every quoted text, also from error pages.
  const discreet = { ...answer, mask: (text: string) => withoutValues(answer.mask(text), variables) };
  const isRefused = answer.status === 401 || answer.status === 403;
  // A page is not from the service: of a login, a proxy or a firewall.
  if (isRefused && body === undefined && answer.text.trim() !== "") return readAnswer(discreet) as never;
  if (isRefused || refused) throw keyRefusal(answerDetails(answer));
  if (answer.status === 429 || answer.status >= 500) return readAnswer(discreet) as never;
  const problems = failures.slice(0, MOST_PROBLEMS).map((failure) => problemOf(failure, discreet));
  if (data !== undefined && data !== null) return { data, errors: problems };
  if (problems.length > 0) throw new GraphqlError(problems, answerDetails(answer));
  // JSON without data counts as no answer.
  return readAnswer(body === undefined ? discreet : { ...discreet, text: "" }) as never;
}

type Failure = Record<string, unknown>;

const MOST_PROBLEMS = 20;
/** The form of a code: a constant, never free text. */
const CODE = /^[A-Za-z][A-Za-z0-9_]{1,63}$/;

function problemOf(failure: Failure, answer: Answer): GraphqlProblem {
  const { path } = failure;
  const code = codeOf(failure);
  return {
    message: excerpt(answer, String(failure.message ?? "no message")),
    ...(Array.isArray(path) ? { path: path.filter(isStep).slice(0, 20).map(shown) } : {}),
    ...(CODE.test(code) && answer.mask(code) === code ? { code } : {}),
  };

  function shown(step: string | number): string | number {
    return typeof step === "string" ? excerpt(answer, step) : step;
  }
}

function isStep(step: unknown): step is string | number {
  return typeof step === "string" || typeof step === "number";
}

/** Services often quote the variable that they refuse. */
function withoutValues(text: string, variables: unknown): string {
  const values = leavesOf(variables).sort((a, b) => b.length - a.length);
  return values.reduce((clean, value) => {
    // A short value is part of many words: it is removed only as a whole word.
    if (value.length > 3) return clean.replaceAll(value, "***");
    const alone = value.replace(/[^\w]/g, "\\$&");
    return clean.replace(new RegExp(`(?<![\\w$.])${alone}(?![\\w.])`, "g"), "***");
  }, text);
}

function leavesOf(value: unknown): string[] {
  if (typeof value === "number" || typeof value === "bigint") return [String(value)];
  if (typeof value === "string") {
    const quoted = JSON.stringify(value).slice(1, -1);
    return value === "" ? [] : [...new Set([value, quoted])];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

function describe({ message, path }: GraphqlProblem): string {
  return path && path.length > 0 ? `${message} (at ${path.join(".")})` : message;
}

const REFUSAL_CODE = /^(UNAUTHENTICATED|UNAUTHORIZED|FORBIDDEN|INVALID_API_KEY|AUTHENTICATION_\w+)$/i;
const REFUSAL_WORDS =
  /\b(unauthenticated|unauthori[sz]ed|not authenticated|authentication (is )?(failed|required)|(invalid|missing|expired|unknown) api key|api key (is )?(invalid|missing|expired|unknown|required|not valid))\b/i;
/** Names that a server quotes from the query: a field may be called `unauthorized`. */
const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;

function isRefusal(failure: Failure, status: number): boolean {
  const code = codeOf(failure);
  if (code !== "") return REFUSAL_CODE.test(code);
  // Not every server sends a code. A 400 is about the query itself.
  return status !== 400 && REFUSAL_WORDS.test(String(failure.message).replace(QUOTED, ""));
}

function codeOf({ extensions }: Failure): string {
  return isObject(extensions) ? String(extensions.code ?? "") : "";
}
