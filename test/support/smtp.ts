import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { eventually } from "./eventually.ts";

/** A mail as it was received. `text` has the headers, and the lines as they were sent. */
export type Mail = { from: string; to: string[]; text: string; user: string };

/** A small SMTP server without encryption, which accepts any name and password. */
export class SmtpServer {
  /** Whether mails are refused. */
  refuses = false;
  readonly mails: Mail[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<SmtpServer> {
    const server = createServer();
    const smtp = new SmtpServer(server);
    server.on("connection", (socket) => smtp.#serve(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return smtp;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Waits until this many mails have arrived. */
  async receiving(count: number): Promise<Mail[]> {
    return eventually(
      `${count} mails`,
      () => this.mails,
      (mails) => mails.length >= count,
    );
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket.once("close", () => this.#sockets.delete(socket)));
    socket.on("error", () => socket.destroy());
    let mail: Mail = { from: "", to: [], text: "", user: "" };
    let rest = "";
    let isData = false;
    const answer = (line: string) => socket.write(`${line}\r\n`);
    const address = (line: string) => /<([^>]*)>/.exec(line)?.[1] ?? "";
    const take = (line: string): void => {
      if (isData && line !== ".") {
        mail.text += `${line}\n`;
      } else if (isData) {
        isData = false;
        this.mails.push(mail);
        mail = { from: "", to: [], text: "", user: mail.user };
        answer("250 accepted");
      } else {
        const command = line.slice(0, 4).toUpperCase();
        if (command === "EHLO") answer("250-test\r\n250 AUTH PLAIN");
        else if (command === "AUTH") {
          mail.user =
            Buffer.from(line.split(" ")[2] ?? "", "base64")
              .toString()
              .split("\0")[1] ?? "";
          answer("235 welcome");
        } else if (command === "MAIL") {
          mail.from = address(line);
          answer(this.refuses ? "451 not now" : "250 go on");
        } else if (command === "RCPT") {
          mail.to.push(address(line));
          answer("250 go on");
        } else if (command === "DATA") {
          isData = true;
          answer("354 go on");
        } else if (command === "QUIT") socket.end("221 bye\r\n");
        else answer("250 as you like");
      }
    };
    answer("220 test");
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) take(line);
    });
  }
}
