import { ArgumentError } from "../errors.ts";
import type { Answer } from "./answer.ts";
import type { Lane } from "./call-queue.ts";

/** What stands after the `?` of an address. A list repeats its name; undefined values are left out. */
export type QueryParameters = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

const URL_NOUNS = { baseUrl: "base URL", graphqlUrl: "GraphQL URL", url: "URL" } as const;

/** @throws {ArgumentError} naming the option; the message does not contain the text, which may hold credentials. */
export function baseUrlOf(text: string, option: keyof typeof URL_NOUNS = "baseUrl"): URL {
  const noun = URL_NOUNS[option];
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ArgumentError(
      option,
      `The ${noun} must be a complete http or https address, such as https://host/path.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ArgumentError(
      option,
      `The ${noun} must not contain a user name or password. ${option === "url" ? "Credentials have fields of their own." : "The API key has its own field."}`,
    );
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) {
    throw new ArgumentError(option, `The ${noun} must end with its path, without ? or #.`);
  }
  return url;
}

/** @throws {ArgumentError} naming `apiKey`. */
export function apiKeyOf(text: string): string {
  if (typeof text !== "string" || text.trim() === "") {
    throw new ArgumentError("apiKey", "The API key is missing. Enter the key of your organization.");
  }
  const key = text.trim();
  if (/[^\x20-\x7e]/.test(key)) {
    throw new ArgumentError(
      "apiKey",
      "The API key contains characters that are not allowed. Copy it again, without line breaks.",
    );
  }
  if (/^(["'`]).*\1$/.test(key)) {
    throw new ArgumentError(
      "apiKey",
      "The API key stands in quotation marks. Enter it without them; the file of Docker's --env-file takes none either.",
    );
  }
  const [, scheme] = /^(apikey|bearer|basic)\s/i.exec(key) ?? [];
  if (scheme !== undefined) {
    throw new ArgumentError("apiKey", `The API key begins with "${scheme}". Enter only what follows.`);
  }
  return key;
}

/** `path?a=1&b=x&b=y`: undefined values are left out, lists repeat their name. */
export function withQuery(path: string, query: QueryParameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item));
  }
  const text = search.toString();
  return text === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${text}`;
}

/** What every method of the client takes last. */
export type CallOptions = {
  /** Aborts the call immediately, with its reason as the error's `cause`. @default none */
  signal?: AbortSignal | undefined;
  /**
   * How long the call with its retries may take, in milliseconds. A method that makes several calls, such as `send`,
   * `createOrFind` or an iteration, allows this time for each: to limit them together, pass an `AbortSignal.timeout`.
   * @default the client's `timeoutMs`
   */
  timeoutMs?: number | undefined;
};

export type Call = CallOptions & {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Begins with `/` and is added to the base URL; empty for the base URL itself. */
  path: string;
  query?: QueryParameters | undefined;
  /** Sent as JSON. */
  body?: unknown | undefined;
  /** In addition to those of the transport; `authorization` cannot be replaced. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sends no key. @default false */
  anonymous?: boolean | undefined;
  /** Whether the call may be retried because a second one has no further effect. A GET always may. @default false */
  idempotent?: boolean | undefined;
  /**
   * For the poll of a channel that may wait for its turn: takes turns with other channels, after all other calls. Its
   * time begins with its turn. @default none
   */
  lane?: Lane | undefined;
  /** Called when the turn comes, with how long it was waited for, in milliseconds. @default none */
  onTurn?: ((waitedMs: number) => void) | undefined;
  /** Returns the result of an answer, or throws. @default `readAnswer`: the JSON of a 2xx */
  read?: ((answer: Answer) => unknown) | undefined;
};
