import {
  baseUrlOf,
  bounded,
  type OutgoingRequest,
  openSocketPool,
  proxyFor,
  type SocketPool,
  scrubber,
} from "../../http/index.ts";
import { parseJson } from "../../json.ts";
import type { CustodyOptions } from "./custody-signer.ts";
import { SignerError } from "./signer-error.ts";

export type CustodianClientOptions = CustodyOptions & {
  /** The key service, as people call it. */
  custodian: string;
  baseUrl: string;
  /** Never shown in an error. */
  secrets: readonly string[];
};

export type CustodianCall = {
  method: OutgoingRequest["method"];
  /** Appended to the path of the base URL; with its query. */
  path: string;
  /** A function is called for each attempt: for tokens that are valid once. */
  headers?: Record<string, string> | (() => Record<string, string>);
  /** Sent as it is. */
  body?: string | undefined;
  /** Whether a repeat has no other effect. Then it is repeated while the key service does not answer. */
  repeats: boolean;
  signal?: AbortSignal | undefined;
};

export type CustodianAnswer = {
  status: number;
  /** The JSON of the body; undefined where it has none. */
  json: unknown;
  text: string;
  /** By the clock of the key service. */
  date: string | undefined;
};

const CONNECT_TIMEOUT_MS = 10_000;
const ATTEMPT_TIMEOUT_MS = 15_000;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;
const MAX_ANSWER_BYTES = 1024 * 1024;
const EXCERPT_LENGTH = 200;

/**
 * Calls the REST interface of a key service. Redirects are not followed: they would take the credentials elsewhere.
 * Errors have the code of `SignerError`, and no secret.
 */
export class CustodianClient {
  readonly #custodian: string;
  readonly #base: URL;
  readonly #pool: SocketPool;
  readonly #scrub: (text: string) => string;
  readonly #closing = new AbortController();

  /** @throws {ArgumentError} naming `baseUrl` or `proxy` */
  constructor({ custodian, baseUrl, secrets, tls, proxy }: CustodianClientOptions) {
    this.#custodian = custodian;
    this.#base = baseUrlOf(baseUrl);
    const scrubbers = secrets.filter((secret) => secret !== "").map(scrubber);
    this.#scrub = (text) => scrubbers.reduce((clean, scrub) => scrub(clean), text);
    this.#pool = openSocketPool({
      tls,
      proxy: proxyFor(proxy, this.#base, process.env),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
  }

  /** The path that a call requests, with that of the base URL: what some key services sign. */
  pathOf(path: string): string {
    return `${this.#base.pathname.replace(/\/+$/, "")}${path}`;
  }

  /** Any answer but one that says "later". @throws {SignerError} `SIGNER_UNAVAILABLE`; {AbortedError} */
  async call(call: CustodianCall): Promise<CustodianAnswer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(call);
      } catch (error) {
        const isLater = error instanceof SignerError && error.retryable;
        if (!isLater || !call.repeats || attempt === ATTEMPTS) throw error;
        await this.pause(FIRST_PAUSE_MS * 2 ** (attempt - 1), call.signal);
      }
    }
  }

  /** Waits, until the signal fires or the client is closed. @throws {AbortedError} */
  pause(ms: number, signal?: AbortSignal): Promise<void> {
    const bounds = {
      timeoutMs: ms * 2,
      onTimeout: () => new SignerError("SIGNER_TIMEOUT", "The pause took too long."),
      signals: [signal, this.#closing.signal],
    };
    return bounded(bounds, () => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#pool.destroy();
  }

  async #attempt({ method, path, headers = {}, body, signal }: CustodianCall): Promise<CustodianAnswer> {
    const { host, origin } = this.#base;
    const unavailable = (why: string, options: { cause?: unknown; state?: string } = {}) =>
      new SignerError("SIGNER_UNAVAILABLE", `${this.#custodian} at ${host} ${why}`, options);
    const bounds = {
      timeoutMs: ATTEMPT_TIMEOUT_MS,
      onTimeout: () => unavailable("does not answer. Check the network, and try again later."),
      signals: [signal, this.#closing.signal],
    };
    const { status, text, date } = await bounded(bounds, async (within) => {
      const request: OutgoingRequest = {
        origin,
        path: this.pathOf(path),
        method,
        headers: { accept: "application/json", ...(typeof headers === "function" ? headers() : headers) },
        ...(body === undefined ? {} : { body }),
      };
      try {
        const answer = await this.#pool.dispatcher.request({ ...request, signal: within });
        const { date } = answer.headers;
        return {
          status: answer.statusCode,
          text: this.#scrub(await answer.body.text()),
          date: date === undefined ? undefined : String(date),
        };
      } catch (thrown) {
        const { code, message } = thrown as { code?: unknown; message?: unknown };
        const cause = new Error(this.#scrub(String(message)));
        throw unavailable(
          `cannot be reached (${String(code ?? "no answer")}). Check its address in the signer, the network, and the proxy and TLS settings.`,
          { cause },
        );
      }
    });
    if (status === 429 || status >= 500) {
      throw unavailable(`does not sign now (HTTP ${status}). Try again later. It said: ${excerpt(text)}`, {
        state: String(status),
      });
    }
    return { status, json: text === "" ? undefined : tryParse(text), text, date };
  }
}

/** The error for an answer other than 2xx, where the key service has no words of its own for it. */
export function refusalOf(custodian: string, { status, text }: CustodianAnswer): SignerError {
  const said = ` It said: ${excerpt(text)}`;
  if (status === 401 || status === 403) {
    const message = `${custodian} refused the credentials of the signer (HTTP ${status}). Check them, and what they permit.${said}`;
    return new SignerError("SIGNER_UNAUTHORIZED", message, { state: String(status) });
  }
  if (status === 404) {
    const message = `${custodian} has no such key (HTTP 404). Check the key's name or id, and the address of the key service.${said}`;
    return new SignerError("SIGNER_KEY_UNSUITABLE", message, { state: "404" });
  }
  const message = `${custodian} refused to sign (HTTP ${status}). Nothing was submitted.${said}`;
  return new SignerError("SIGNER_REFUSED", message, { state: String(status) });
}

/** The start of what a key service said, on one line. */
export function excerpt(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, " ").trim();
  if (line === "") return "nothing.";
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
