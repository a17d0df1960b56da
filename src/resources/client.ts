import {
  type Answer,
  baseUrlOf,
  type Call,
  type CallOptions,
  callOf,
  callOptions,
  type Mask,
  maskOf,
  readAnswer,
  TRANSPORT_OPTIONS,
  Transport,
  type TransportOptions,
} from "../http/index.ts";
import { checkedBy, dictionary, kindOf, optional, options, positiveWhole, text } from "../options/index.ts";
import { withoutNulls } from "../protocol/index.ts";
import { Account } from "./account.ts";
import { Channels } from "./channels.ts";
import { Events } from "./events.ts";
import { givenPairs, Networks } from "./networks.ts";
import { Operations } from "./operations.ts";
import { Queries } from "./queries.ts";
import { badResponse, isObject } from "./requests/checks.ts";
import { ResourceTransport } from "./requests/resource-transport.ts";
import { Wallets } from "./wallets.ts";
import { Watchers } from "./watchers.ts";

export type CrecClientOptions = TransportOptions & {
  /**
   * URL of the account's GraphQL service, which takes the same key.
   * @default none
   */
  graphqlUrl?: string | undefined;
  /**
   * Chain ids by chain selector, for networks that the service does not list or lists wrongly. They come first.
   * @default none
   */
  chainIds?: Readonly<Record<string, string | number>> | undefined;
  /**
   * Searches a second of all waits that follow operations. Where there are more, they take turns.
   * @default 5
   */
  waitSearchesPerSecond?: number | undefined;
};
const chainId = kindOf<string | number>("digits", (value) => /^(string|number)$/.test(typeof value));
const chainIds = dictionary(chainId);

const clientOptions = options<CrecClientOptions>({
  ...TRANSPORT_OPTIONS,
  graphqlUrl: optional(checkedBy((url: string) => url !== "" && baseUrlOf(url, "graphqlUrl"))),
  chainIds: optional(checkedBy((ids: Record<string, string>, path) => givenPairs(chainIds(ids, path)))),
  waitSearchesPerSecond: optional(positiveWhole),
});

/** A call of the REST service. */
export type ClientCall = Omit<Call, "read">;
/** The answer to a call of the REST service. */
export type ClientAnswer = {
  /** The HTTP status. */
  status: number;
  /** The parsed JSON; `undefined` for an answer without content. */
  data: unknown;
};

/**
 * A client of the channel service, for one organization's key.
 * @example
 * const client = new CrecClient({ baseUrl, apiKey });
 * for await (const channel of client.channels.list()) show(channel.name);
 * await client.close();
 */
export class CrecClient {
  /** The URL of the REST service. */
  readonly baseUrl: string;
  readonly networks: Networks;
  readonly channels: Channels;
  readonly watchers: Watchers;
  readonly events: Events;
  readonly wallets: Wallets;
  readonly operations: Operations;
  readonly queries: Queries;
  readonly account: Account;
  readonly #transport: ResourceTransport;
  readonly #graphql: Transport | undefined;
  /** Takes the whole key out of an answer. */
  readonly #withoutKey: Mask;

  /** @throws {ArgumentError} when an option is not usable. */
  constructor(options: CrecClientOptions) {
    const { graphqlUrl, chainIds, waitSearchesPerSecond = 5, ...ofTransport } = clientOptions(options);
    const transport = new ResourceTransport(ofTransport);
    this.#transport = transport;
    this.#graphql = graphqlUrl
      ? new Transport({ ...ofTransport, baseUrl: baseUrlOf(graphqlUrl, "graphqlUrl").href })
      : undefined;
    this.#withoutKey = maskOf([ofTransport.apiKey.trim()], { isWhole: true });
    this.baseUrl = transport.baseUrl;
    this.networks = new Networks(transport, chainIds);
    this.channels = new Channels(transport);
    this.events = new Events(transport);
    this.watchers = new Watchers(transport, this.events);
    this.wallets = new Wallets(transport, this.events);
    this.operations = new Operations(transport, this.events, this.networks, waitSearchesPerSecond);
    this.queries = new Queries(transport, this.events);
    this.account = new Account(this.#graphql);
  }

  /**
   * Any call of the REST service, with the key, time-outs, retries and errors of this client. An answer that repeats the
   * whole key has `***` instead.
   * @throws {HttpError} as every call.
   * @example
   * const { data } = await client.request({ method: "GET", path: "/channels", query: { limit: 1 } });
   */
  async request(call: ClientCall): Promise<ClientAnswer> {
    const checked = callOf(call, "call");
    const read = (answer: Answer) => {
      const data = readAnswer({ ...answer, text: this.#withoutKey(answer.text) });
      return { status: answer.status, data };
    };
    return this.#transport.request({ ...checked, read });
  }

  /**
   * The health check of the service: `ok` when it works. It is sent without the key.
   * @example
   * const { status } = await client.health();
   * status; // → "ok"
   */
  async health(options?: CallOptions): Promise<{ status: string }> {
    const call = { ...callOptions(options), method: "GET", path: "/health-check", anonymous: true } as const;
    const answer: unknown = await this.#transport.request(call);
    if (!isObject(answer) || typeof answer.status !== "string") throw badResponse("without its status");
    return { ...(withoutNulls(answer) as object), status: answer.status };
  }

  /**
   * Makes the client wait for what another client has just created. For 30 s after a create the service may still answer
   * 404 about it: the client then repeats the call, as it does for what it creates itself. `createdAt` is in Unix seconds
   * of this machine's clock; a time that is not in the last 30 s is ignored.
   * @example
   * client.noteCreated(watcher.watcher_id, watcher.created_at);
   */
  noteCreated(id: string, createdAt: number): void {
    this.#transport.noteCreated(text(id, "id"), createdAt);
  }

  /**
   * When something was created, in Unix seconds of this machine's clock: for what this client created or noted in the
   * last 30 s, else undefined. Pass it to `noteCreated` of another client.
   * @example
   * const { channel_id } = await client.channels.create({ name: "alerts of the south" });
   * client.createdAt(channel_id) !== undefined; // → true
   */
  createdAt(id: string): number | undefined {
    return this.#transport.createdAt(text(id, "id"));
  }

  /**
   * The time of the service in Unix milliseconds, by the head of its last answer and the time since: the clock of this
   * machine may be wrong. Undefined before the first answer that has a time.
   * @example
   * await client.health();
   * client.serviceTime() ?? Date.now();
   */
  serviceTime(): number | undefined {
    return this.#transport.serviceTime;
  }

  /** Ends all calls and waits with `CLIENT_CLOSED`, and closes all connections. */
  async close(): Promise<void> {
    await Promise.all([this.#transport.close(), this.#graphql?.close()]);
  }
}
