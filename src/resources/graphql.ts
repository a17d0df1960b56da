import {
  type Answer,
  answerDetails,
  excerpt,
  HttpError,
  type HttpErrorDetails,
  keyRefusal,
  readAnswer,
  tryParse,
} from "../http/index.ts";
import { isObject } from "./answers.ts";

/** One thing a GraphQL service could not do. Its `message` never repeats a variable or the key. */
export type GraphqlProblem = {
  message: string;
  /** The field of the answer it is about. */
  path?: Array<string | number>;
  code?: string;
};

/** What was answered: `errors` says which fields are missing and why, and is empty when nothing is. */
export type GraphqlAnswer<T> = { data: T; errors: GraphqlProblem[] };

/** `GRAPHQL_ERROR`: the query itself was refused, or its answer came with errors that nobody had allowed for. */
export class GraphqlError extends HttpError {
  override readonly name = "GraphqlError";
  readonly errors: readonly GraphqlProblem[];
  /** What was answered all the same; absent when nothing was. */
  declare readonly data?: unknown;

  constructor(
    errors: readonly GraphqlProblem[],
    { data, ...details }: HttpErrorDetails & { data?: unknown },
  ) {
    const [first] = errors;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
    const said = `It said: ${first ? describe(first) : "nothing more."}${more}`;
    const message =
      data === undefined
        ? `The GraphQL service could not answer the query. Correct the query or its variables. ${said}`
        : `The GraphQL service answered only a part of the query. Correct the query, or take the part. ${said}`;
    super("GRAPHQL_ERROR", message, details);
    this.errors = errors;
    if (data !== undefined) this.data = data;
  }
}

/**
 * Tells the three outcomes of a query apart: no answer of the service (as every call), a refused query
 * (`GRAPHQL_ERROR`), and data, perhaps with errors beside it.
 */
export function readGraphql(answer: Answer, variables: Record<string, unknown> = {}): GraphqlAnswer<unknown> {
  const body = tryParse(answer.text);
  const { data, errors } = isObject(body) ? body : {};
  const failures = Array.isArray(errors) ? errors.filter(isObject) : [];
  // Without a single field nothing was answered, and a refusal of one field is a refusal of the key.
  const empty = !isObject(data) || Object.values(data).every((value) => value === null);
  const refused = empty && failures.some((failure) => isRefusal(failure, answer.status));
  // Whatever quotes what was asked, an error page too.
  const discreet = { ...answer, scrub: (text: string) => withoutValues(answer.scrub(text), variables) };
  if (answer.status === 401 || answer.status === 403 || refused) throw keyRefusal(answerDetails(answer));
  if (answer.status === 429 || answer.status >= 500) return readAnswer(discreet) as never;
  const problems = failures.slice(0, MOST_PROBLEMS).map((failure) => problemOf(failure, discreet));
  if (data !== undefined && data !== null) return { data, errors: problems };
  if (problems.length > 0) throw new GraphqlError(problems, answerDetails(answer));
  // JSON without data is as good as none.
  return readAnswer(body === undefined ? discreet : { ...discreet, text: "" }) as never;
}

type Failure = Record<string, unknown>;

const MOST_PROBLEMS = 20;
/** Words that name a kind of error: constants, never free text. */
const CODE = /^[A-Za-z][A-Za-z0-9_]{1,63}$/;

function problemOf(failure: Failure, answer: Answer): GraphqlProblem {
  const { path } = failure;
  const code = codeOf(failure);
  return {
    message: excerpt(answer, String(failure.message ?? "nothing more")),
    ...(Array.isArray(path) ? { path: path.filter(isStep).slice(0, 20) } : {}),
    ...(CODE.test(code) ? { code } : {}),
  };
}

function isStep(step: unknown): step is string | number {
  return typeof step === "string" || typeof step === "number";
}

/** Services like to quote the variable they refuse. */
function withoutValues(text: string, variables: unknown): string {
  const values = leavesOf(variables).sort((a, b) => b.length - a.length);
  return values.reduce((clean, value) => {
    // A short value is part of many words: only where it stands alone.
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
/** Names of the query that a server quotes: a field may be called `unauthorized`. */
const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;

function isRefusal(failure: Failure, status: number): boolean {
  const code = codeOf(failure);
  if (code !== "") return REFUSAL_CODE.test(code);
  // Not every server gives a code. A 400 is about the query itself.
  return status !== 400 && REFUSAL_WORDS.test(String(failure.message).replace(QUOTED, ""));
}

function codeOf({ extensions }: Failure): string {
  return isObject(extensions) ? String(extensions.code ?? "") : "";
}
