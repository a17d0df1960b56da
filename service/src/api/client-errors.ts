import { type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { ErrorBody } from "../../../src/protocol/index.ts";

type ParserError = Error & {
  code?: string | undefined;
  rawPacket?: Buffer | { data: number[] } | undefined;
  bytesParsed?: number | undefined;
};
type Refusal = { status: number; message: string };

/** Errors of Node's HTTP parser, by code. Any other is a 400. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    message: "The headers and the address of the request are too long. Send at most 16 KiB of them.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    message: "The request did not arrive in time. Send it again without pauses.",
  },
};
const NOT_HTTP: Refusal = {
  status: 400,
  message:
    "This is not a request in HTTP/1.1. Check what sends it: the address begins with http://, not https://.",
};
const NO_PROXY: Refusal = {
  status: 400,
  message: "The method CONNECT is for proxies, and this service is not a proxy. Call it directly.",
};
const NO_EXPECTATION: Refusal = {
  status: 417,
  message: "The header Expect may say 100-continue and nothing else. Leave it out.",
};

/** A request line that is longer is refused for its length. */
const MOST_OF_LINE = 16_384;

/** Answers invalid HTTP in the format of the contract, and closes the connection. */
export function answerClientError(error: ParserError, socket: Duplex): void {
  // The client has closed the connection.
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  answer(socket, unknownMethod(error) ?? REFUSALS[error.code ?? ""] ?? NOT_HTTP);
}

/** Without this, Node closes the connection without an answer. */
export function refuseTunnels(server: Server): void {
  server.on("connect", (_request, socket) => answer(socket, NO_PROXY));
}

/** The refusal of a request line with a method that HTTP does not have. */
function unknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError): Refusal | undefined {
  if (code !== "HPE_INVALID_METHOD" || !Buffer.isBuffer(rawPacket)) return undefined;
  // Other requests may come before it in the same packet.
  const start = rawPacket.lastIndexOf("\n", Math.max(bytesParsed - 1, 0)) + 1;
  const line = rawPacket.toString("latin1", start, start + MOST_OF_LINE);
  const method = /^([\w!#$%&'*+.^`|~-]{1,40}) \S+ HTTP\/1\.[01]\r?\n/.exec(line)?.[1];
  if (method === undefined) return undefined;
  return {
    status: 400,
    message: `There is no method ${method}. Use GET, POST, PATCH or DELETE, in upper case.`,
  };
}

function answer(socket: Duplex, { status, message }: Refusal): void {
  const body = bodyOf(message);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** Without this, Node answers an unknown Expect itself, with an empty body. */
export function refuseExpectations(server: Server): void {
  server.on("checkExpectation", (_request, response) => {
    response.writeHead(NO_EXPECTATION.status, {
      "content-type": "application/json; charset=utf-8",
      connection: "close",
    });
    response.end(bodyOf(NO_EXPECTATION.message));
  });
}

function bodyOf(message: string): string {
  return JSON.stringify({ type: "VALIDATION_ERROR", message } satisfies ErrorBody);
}
