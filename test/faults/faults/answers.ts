import type { Fault, Struck } from "./fault.ts";

/** More than any client of these tests takes: 32 MiB by default. */
const OVER_THE_CAP = 33 * 1024 * 1024;
const CHUNK = Buffer.alloc(1024 * 1024, " ");

/** The service, or something before it, answers what it should not. */
export const ANSWER_FAULTS: readonly Fault[] = [
  {
    ...{ name: "truncated JSON", acts: true, passes: false, codes: ["BAD_RESPONSE"] },
    answer: (struck) => {
      const { status, body } = wholeOf(struck);
      send(struck, status, "application/json", body.subarray(0, body.length - 1));
    },
  },
  {
    ...{ name: "empty 200", acts: true, passes: false, codes: ["BAD_RESPONSE"] },
    answer: (struck) => send(struck, 200, "application/json", ""),
  },
  {
    ...{ name: "HTML 502", acts: true, passes: true, codes: ["SERVICE_ERROR"] },
    answer: (struck) =>
      send(struck, 502, "text/html", `<html><h1>Bad gateway</h1>${struck.authorization}</html>`),
  },
  refusal("401", 401, { type: "UNAUTHORIZED" }, ["KEY_REFUSED"]),
  refusal("403", 403, { type: "FORBIDDEN" }, ["FORBIDDEN"]),
  refusal("404", 404, { type: "NOT_FOUND" }, ["NOT_FOUND"]),
  refusal("409", 409, { type: "CONFLICT" }, ["CONFLICT"]),
  {
    ...refusal("429 with Retry-After", 429, { type: "RATE_LIMITED" }, ["RATE_LIMITED"], {
      "retry-after": "1",
    }),
    passes: true,
  },
  { ...refusal("429 without Retry-After", 429, { type: "RATE_LIMITED" }, ["RATE_LIMITED"]), passes: true },
  { ...refusal("500", 500, { type: "INTERNAL_ERROR" }, ["SERVICE_ERROR"]), acts: true, passes: true },
  {
    ...{ name: "503", acts: true, passes: true, codes: ["SERVICE_ERROR"] },
    answer: (struck) => send(struck, 503, "text/plain", "upstream connect error"),
  },
  {
    ...{ name: "wrong content type", acts: true, passes: false, codes: ["BAD_RESPONSE"] },
    answer: (struck) => {
      const { status, body } = wholeOf(struck);
      send(struck, status, "text/html", body);
    },
  },
  {
    ...{ name: "over the size cap", acts: true, passes: false, codes: ["RESPONSE_TOO_LARGE"] },
    answer: ({ response }) => {
      response.writeHead(200, { "content-type": "application/json" });
      let sent = 0;
      const more = () => {
        while (sent < OVER_THE_CAP && !response.destroyed) {
          sent += CHUNK.length;
          if (!response.write(CHUNK)) return response.once("drain", more);
        }
        return response.end();
      };
      more();
    },
  },
  {
    ...{ name: "redirect", acts: false, passes: false, codes: ["BAD_RESPONSE"] },
    answer: ({ response }) => {
      response.writeHead(307, { location: "/redirected", "content-length": 0 }).end();
    },
  },
];

/** An error in the form of the service, which repeats the key that it got. */
function refusal(
  name: string,
  status: number,
  body: { type: string },
  codes: readonly string[],
  headers: Record<string, string> = {},
): Fault {
  return {
    ...{ name, acts: false, passes: false, codes },
    answer: (struck) => {
      const message = `refused: ${struck.authorization}`;
      send(struck, status, "application/json", JSON.stringify({ ...body, message }), headers);
    },
  };
}

function wholeOf({ answered }: Struck): { status: number; body: Buffer } {
  const { status = 200, body = Buffer.from("{}") } = answered ?? {};
  return { status, body: body.length > 1 ? body : Buffer.from("{}") };
}

function send(
  { response }: Struck,
  status: number,
  type: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { ...headers, "content-type": type, "content-length": Buffer.byteLength(body) })
    .end(body);
}
