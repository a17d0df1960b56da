import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { DriverSettings, TlsMode } from "../driver-settings.ts";

type Host = DriverSettings["hosts"][number];

/** An SSLRequest of PostgreSQL's protocol: its length, then its code. */
const SSL_REQUEST = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);
const YES = "S";
const NO = "N";

/**
 * The connections of a client. They are made here, and not by the client, for two reasons: they can be destroyed while
 * they connect or hang, and an error of one that the client no longer listens to does not end the process.
 */
export class Sockets {
  readonly #open = new Set<Socket>();

  /**
   * Tries one host after the other.
   *
   * @param first the index of the host to begin with
   * @throws the error of the last host
   */
  async connect({ hosts, tls }: Pick<DriverSettings, "hosts" | "tls">, first: number): Promise<Socket> {
    let failure: unknown;
    for (let attempt = 0; attempt < hosts.length; attempt += 1) {
      try {
        return await this.#connectTo(hosts[(first + attempt) % hosts.length] ?? { host: "", port: 0 }, tls);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async #connectTo({ host, port }: Host, tls: TlsMode | undefined): Promise<Socket> {
    const socket = connect({ host, port, noDelay: true });
    this.#add(socket);
    await event(socket, "connect");
    if (tls === undefined) return socket;
    if (await offersTls(socket)) return await this.#secure(socket, host, tls);
    if (tls.isOptional) return socket;
    socket.destroy();
    throw failure("no-tls", "The server has no TLS.");
  }

  async #secure(socket: Socket, host: string, { settings }: TlsMode): Promise<Socket> {
    const secure = connectTls({
      socket,
      ...(isIP(host) === 0 ? { servername: host } : { host }),
      ...(settings as ConnectionOptions),
    });
    this.#add(secure);
    await event(secure, "secureConnect");
    return secure;
  }

  #add(socket: Socket): void {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    ignoreLateErrors(socket);
  }
}

/** @throws an error where the server answers with something else */
async function offersTls(socket: Socket): Promise<boolean> {
  const answer = event(socket, "data");
  socket.write(SSL_REQUEST);
  const text = (await answer)?.toString("latin1");
  // More than this letter could be something that another one on the way has put before the encrypted part.
  if (text === YES || text === NO) return text === YES;
  socket.destroy();
  throw failure("not-postgresql", "The answer is not one of PostgreSQL.");
}

/** @throws an error where the socket fails or closes before the event */
async function event(
  socket: Socket,
  name: "connect" | "secureConnect" | "data",
): Promise<Buffer | undefined> {
  const closing = new AbortController();
  const close = () => closing.abort();
  socket.once("close", close);
  try {
    const [data]: Array<Buffer | undefined> = await once(socket, name, { signal: closing.signal });
    return data;
  } catch (error) {
    if (!closing.signal.aborted) throw error;
    throw failure("closed", "The connection was closed.");
  } finally {
    socket.off("close", close);
  }
}

/** An error with a code, as those of the client have: `problemOf` says more for people. */
function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/**
 * The client removes all listeners when a socket closes. A write that still waits for TLS fails after that, and an
 * error that nobody listens to would end the process.
 */
function ignoreLateErrors(socket: Socket): void {
  const ignored = () => {};
  const removeAll = socket.removeAllListeners.bind(socket);
  socket.on("error", ignored);
  socket.removeAllListeners = (event) => {
    removeAll(event);
    return socket.on("error", ignored);
  };
}
