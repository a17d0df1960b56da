import { once } from "node:events";
import {
  Agent,
  request as ask,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { type Certificate, selfSigned } from "../support/certificates.ts";
import type { Answered, Fault } from "./faults/fault.ts";
import { forgetName, freshName, rememberName } from "./names.ts";

/** A request that arrived at the server. */
export type Arrival = {
  method: string;
  path: string;
  body: string;
  /** Whether the service got it, and could act. */
  reached: boolean;
};

/** Which requests a fault is for. */
export type Affects = (arrival: Arrival) => boolean;

export type ServerOptions = {
  /** Speaks TLS with this certificate, which the client trusts. */
  trusted?: Certificate | undefined;
  /** Is called by its address, by clients that do not know its name. */
  byAddress?: boolean | undefined;
};

/** Stands before the real service, passes on what comes, and strikes with one fault at a time. */
export class FaultyServer {
  readonly arrivals: Arrival[] = [];
  /** Requests that followed a redirect. */
  redirected = 0;
  readonly #name: string;
  readonly #target: URL;
  readonly #trusted: Certificate | undefined;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #sockets = new Set<Socket>();
  #server: Server | TlsServer;
  #port = 0;
  #fault: Fault | undefined;
  #affects: Affects = () => true;

  private constructor(target: string, { trusted, byAddress = false }: ServerOptions) {
    this.#name = byAddress ? "127.0.0.1" : freshName();
    this.#target = new URL(target);
    this.#trusted = trusted;
    this.#server = this.#newServer();
  }

  static async before(target: string, options: ServerOptions = {}): Promise<FaultyServer> {
    const server = new FaultyServer(target, options);
    await server.listenAgain();
    return server;
  }

  /** By a name, so that it can be forgotten. */
  get baseUrl(): string {
    return `${this.#origin}${this.#target.pathname.replace(/\/$/, "")}`;
  }

  get graphqlUrl(): string {
    return `${this.#origin}/graphql`;
  }

  get #origin(): string {
    return `${this.#trusted ? "https" : "http"}://${this.#name}:${this.#port}`;
  }

  /** From now on each request that the fault is for gets it. Connections that stand are closed first. */
  async strike(fault: Fault, affects: Affects = () => true): Promise<void> {
    this.arrivals.length = 0;
    this.#fault = fault;
    this.#affects = affects;
    this.#closeConnections();
    await fault.begin?.(this);
  }

  async heal(): Promise<void> {
    const fault = this.#fault;
    this.#fault = undefined;
    await fault?.end?.(this);
  }

  async stopListening(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#closeConnections();
    await closed;
  }

  async listenAgain(): Promise<void> {
    if (this.#server.listening) return;
    this.#server = this.#newServer();
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async forgetName(): Promise<void> {
    await forgetName(this.#name);
  }

  async rememberName(): Promise<void> {
    await rememberName(this.#name);
  }

  async changeCertificate(to: "trusted" | "untrusted"): Promise<void> {
    if (!this.#trusted) throw new Error("A server without TLS has no certificate to change.");
    (this.#server as TlsServer).setSecureContext(to === "trusted" ? this.#trusted : selfSigned());
    this.#closeConnections();
  }

  async close(): Promise<void> {
    await this.rememberName();
    if (this.#server.listening) await this.stopListening();
    this.#agent.destroy();
  }

  #closeConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #newServer(): Server | TlsServer {
    const take = (request: IncomingMessage, response: ServerResponse) => {
      response.on("error", () => {});
      this.#take(request, response).catch(() => response.destroy());
    };
    const server = this.#trusted ? createTlsServer(this.#trusted, take) : createServer(take);
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
    });
    // A client that does not trust the certificate ends the handshake.
    return server.on("tlsClientError", () => {});
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/", headers } = request;
    if (path === "/redirected") this.redirected += 1;
    const body = await buffer(request);
    const arrival: Arrival = { method, path, body: body.toString(), reached: false };
    this.arrivals.push(arrival);
    const fault = this.#fault;
    if (!fault?.answer || !this.#affects(arrival)) {
      arrival.reached = true;
      const { status, headers: answered, body: content } = await this.#ask(request, body);
      const type = answered["content-type"];
      response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(content);
      return;
    }
    arrival.reached = fault.acts;
    const answered = fault.acts ? await this.#ask(request, body) : undefined;
    fault.answer({ response, answered, authorization: headers.authorization ?? "" });
  }

  async #ask({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Answered> {
    const passed: Record<string, string> = {};
    for (const name of ["authorization", "content-type", "accept"] as const) {
      const value = headers[name];
      if (value !== undefined) passed[name] = value;
    }
    const asking = ask(new URL(url ?? "/", this.#target), { agent: this.#agent, method, headers: passed });
    asking.end(body);
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    return { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) };
  }
}
