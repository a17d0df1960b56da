import { type Answer, type Call, readAnswer, Transport, type TransportOptions } from "../http/index.ts";
import { Channels } from "./channels.ts";
import { Events } from "./events.ts";
import { Networks } from "./networks.ts";
import { Watchers } from "./watchers.ts";

export type CrecClientOptions = TransportOptions;
export type ClientCall = Omit<Call, "read">;
/** `data` is the parsed JSON, `undefined` for an answer without content. */
export type ClientAnswer = { status: number; data: unknown };

/**
 * A client of the channel service, for one organization's key.
 *
 * ```ts
 * const client = new CrecClient({ baseUrl: "https://host/v1", apiKey });
 * for await (const channel of client.channels.list()) show(channel.name);
 * await client.close();
 * ```
 */
export class CrecClient {
  readonly baseUrl: string;
  readonly networks: Networks;
  readonly channels: Channels;
  readonly watchers: Watchers;
  readonly events: Events;
  readonly #transport: Transport;

  /** @throws {ArgumentError} when an option is not usable. */
  constructor(options: CrecClientOptions) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.baseUrl = transport.baseUrl;
    this.networks = new Networks(transport);
    this.channels = new Channels(transport);
    this.events = new Events(transport);
    this.watchers = new Watchers(transport, this.events);
  }

  /** Any call of the REST service, with the key, deadlines, repeats and errors of this client. */
  request(call: ClientCall): Promise<ClientAnswer> {
    const read = (answer: Answer) => ({ status: answer.status, data: readAnswer(answer) });
    return this.#transport.request({ ...call, read });
  }

  /** Ends everything under way with `CLIENT_CLOSED`, and leaves no connection open. */
  async close(): Promise<void> {
    await this.#transport.close();
  }
}
