import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import should from "should";
import { Sockets } from "../../src/fleet/postgres/socket.ts";
import { CrecError, openSharedState } from "../../src/index.ts";
import { selfSigned } from "../support/certificates.ts";

const PREFERRED = { isOptional: true, settings: { rejectUnauthorized: false } };

describe("the connections to PostgreSQL", () => {
  const certificate = selfSigned();
  const ends: Array<() => void> = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  /** Answers the first thing that it is sent, which asks for TLS. */
  const listening = async (answer: (socket: Socket) => void): Promise<number> => {
    const server: Server = createServer((socket) => {
      ends.push(() => socket.destroy());
      socket.on("error", () => {}).once("data", () => answer(socket));
    });
    ends.push(() => server.close());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const connected = async (port: number, tls: typeof PREFERRED | undefined = PREFERRED) => {
    const sockets = new Sockets();
    ends.push(() => sockets.destroy());
    const hosts = [{ host: "127.0.0.1", port }];
    return { sockets, socket: await sockets.connect({ hosts, tls }, 0) };
  };
  const withTls = (socket: Socket) => {
    socket.write("S");
    const secureContext = createSecureContext(certificate);
    new TLSSocket(socket, { isServer: true, secureContext }).on("error", () => {}).resume();
  };

  it("are encrypted where the server has TLS, else not", async () => {
    const encrypted = await connected(await listening(withTls));
    should(encrypted.socket).be.instanceOf(TLSSocket);
    const plain = await connected(await listening((socket) => socket.write("N")));
    should(plain.socket).not.be.instanceOf(TLSSocket);
  });

  it("do not end the process by an error after the client stopped listening", async () => {
    for (const answer of [withTls, (socket: Socket) => socket.write("N")]) {
      const { socket } = await connected(await listening(answer));
      socket.removeAllListeners();
      socket.emit("error", new Error("write EBADF"));
    }
  });

  it("end at once, also while the server hangs", async () => {
    const hanging = await listening(() => {});
    const sockets = new Sockets();
    const connecting = sockets.connect({ hosts: [{ host: "127.0.0.1", port: hanging }], tls: PREFERRED }, 0);
    sockets.destroy();
    await should(connecting).be.rejected();
  });

  const reason = async (port: number, query = ""): Promise<CrecError> => {
    const shared = await openSharedState(`postgres://u:p@127.0.0.1:${port}/d${query}`, { timeoutMs: 10_000 });
    const error = await shared.leave({ id: "a", name: "a" }).catch((reason: unknown) => reason);
    await shared.close();
    if (!(error instanceof CrecError)) throw new Error(`Not an error of ours: ${error}`);
    return error;
  };

  it("say that the server has no TLS although the URL asks for it", async () => {
    const port = await listening((socket) => socket.write("N"));
    const { code, message } = await reason(port, "?sslmode=require");
    should(code).equal("SHARED_STATE_REFUSED");
    should(message).match(/no TLS.*change sslmode in the URL/);
  });

  it("say that something else answers", async () => {
    for (const answer of ["HTTP/1.1 400 Bad Request\r\n\r\n", "S and more"]) {
      const { code, message } = await reason(await listening((socket) => socket.write(answer)));
      should(code).equal("SHARED_STATE_UNREACHABLE");
      should(message).match(/not one of PostgreSQL/);
    }
  });
});
