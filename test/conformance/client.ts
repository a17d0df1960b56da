import should from "should";
import type { Target } from "./target.ts";

/** What a service answers: rows find out what it is. */
export type Json = ReturnType<typeof JSON.parse>;
export type Answer = { status: number; headers: Headers; body: Json };
/** One call and its answer, for the description at /openapi.json to be held against. */
export type Seen = { method: string; path: string; status: number; body: Json };

/** Plain calls by fetch: no retries, no judgement of the answer. */
export class Client {
  readonly target: Target;
  readonly seen: Seen[] = [];

  constructor(target: Target) {
    this.target = target;
  }

  /** A text as body is sent as it is, a header of `""` not at all. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(path.startsWith("http") ? path : this.target.baseUrl + path, {
      method,
      headers: Object.entries({
        authorization: `Apikey ${this.target.apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      }).filter(([, value]) => value !== ""),
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers, body: parsed(text) };
    if (!path.startsWith("http")) this.seen.push({ method, path, status: answer.status, body: answer.body });
    return answer;
  }

  /** The body of an answer that must have this status. */
  async expect(status: number, method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await this.call(method, path, body);
    should(answer.status).equal(status, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  get(path: string): Promise<Json> {
    return this.expect(200, "GET", path);
  }

  /** An answer that must be an error of the contract's shape, of this status, type and code. */
  async refused(
    error: { status: number | number[]; type?: string; code?: string | string[] },
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Json> {
    const answer = await this.call(method, path, body);
    const exchange = `${method} ${path} ${JSON.stringify(body)?.slice(0, 300)}: ${answer.status} ${JSON.stringify(answer.body)}`;
    should([error.status].flat().includes(answer.status)).be.true(exchange);
    should(answer.body).be.an.Object();
    should(answer.body.message).be.a.String().and.not.be.empty();
    if (error.type !== undefined) should(answer.body.type).equal(error.type, exchange);
    if (error.code !== undefined) should([error.code].flat().includes(answer.body.code)).be.true(exchange);
    return answer.body;
  }

  invalid(method: string, path: string, body?: unknown): Promise<Json> {
    return this.refused({ status: 400, type: "VALIDATION_ERROR" }, method, path, body);
  }

  missing(code: string, method: string, path: string, body?: unknown): Promise<Json> {
    return this.refused({ status: 404, type: "NOT_FOUND", code }, method, path, body);
  }

  conflict(code: string | undefined, method: string, path: string, body?: unknown): Promise<Json> {
    const error = { status: 409, type: "CONFLICT" };
    return this.refused(code === undefined ? error : { ...error, code }, method, path, body);
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
