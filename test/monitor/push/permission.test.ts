import { once } from "node:events";
import { fileURLToPath } from "node:url";
import should from "should";
import { type Borrowed, ownNodeRed } from "../../support/borrowed-node-red.ts";
import { eventually } from "../../support/eventually.ts";

const guarded = fileURLToPath(new URL("../../nodes/admin-auth-settings.cjs", import.meta.url));
const UPDATE = "crec/monitor/update";

/** What a browser of this user hears over the editor's web socket. */
class Listener {
  readonly #socket: WebSocket;
  readonly #token: string;
  readonly topics: string[] = [];

  private constructor(socket: WebSocket, token: string) {
    this.#socket = socket;
    this.#token = token;
    socket.addEventListener("message", ({ data }) => {
      const heard = JSON.parse(String(data)) as Array<{ topic?: string }> | object;
      if (Array.isArray(heard)) for (const { topic } of heard) this.topics.push(String(topic));
    });
  }

  static async open(url: string, token: string): Promise<Listener> {
    const socket = new WebSocket(`${url.replace("http", "ws")}comms`);
    await once(socket, "open");
    const listener = new Listener(socket, token);
    await listener.isAnswered();
    return listener;
  }

  send(topic: string, data: unknown): void {
    this.#socket.send(JSON.stringify({ topic, data }));
  }

  /** Node-RED answers each login: then it has read what was sent before. */
  async isAnswered(): Promise<void> {
    this.#socket.send(JSON.stringify({ auth: this.#token }));
    await once(this.#socket, "message");
  }

  async until(topic: string): Promise<void> {
    await eventually(
      `a message of ${topic}`,
      () => this.topics,
      (topics) => topics.includes(topic),
    );
  }

  close(): void {
    this.#socket.close();
  }
}

describe("updates of the sidebar, with a login", function () {
  this.timeout(120_000);

  let borrowed: Borrowed;
  const listeners: Listener[] = [];
  before(async () => {
    borrowed = await ownNodeRed({}, { settings: guarded, token: "admin" });
  });
  after(async () => {
    for (const one of listeners) one.close();
    await borrowed?.giveBack();
  });

  const listen = async (token: string) => {
    const listener = await Listener.open(borrowed.nodeRed.url, token);
    listeners.push(listener);
    return listener;
  };
  const askTicket = (token: string) =>
    borrowed.nodeRed.fetch("crec/monitor/open", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: "{}",
    });

  it("go to the session with the ticket only, and a ticket opens one session", async () => {
    should((await askTicket("guest")).status).equal(401);
    const [reader, guest] = [await listen("reader"), await listen("guest")];
    const { ticket } = (await (await askTicket("reader")).json()) as { ticket: string };
    reader.send("crec/monitor/open", { ticket });
    await reader.until(UPDATE);
    guest.send("crec/monitor/open", { ticket });
    guest.send("crec/monitor/open", {});
    guest.send("crec/monitor/seen", { number: 1 });
    await guest.isAnswered();
    // What is due to the guest leaves before what is due to a session that opens later.
    const second = (await (await askTicket("reader")).json()) as { ticket: string };
    const other = await listen("reader");
    other.send("crec/monitor/open", { ticket: second.ticket });
    await other.until(UPDATE);
    await guest.isAnswered();
    should(guest.topics).not.containEql(UPDATE);
  });
});
