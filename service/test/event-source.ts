import { get, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { eventually } from "../../test/support/eventually.ts";
import type { TimelineEntry } from "../src/timeline/entry.ts";

/** A client of the time line's stream, which remembers what it got. */
export class EventSource {
  readonly response: IncomingMessage;
  readonly entries: TimelineEntry[] = [];
  /** How often the service has started. */
  resets = 0;
  /** Resolves when the stream has ended, however. */
  readonly ended: Promise<void>;

  private constructor(response: IncomingMessage) {
    this.response = response;
    this.ended = new Promise((resolve) => response.once("close", resolve));
    response.on("error", () => {});
    createInterface({ input: response })
      .on("line", (line) => {
        if (line === "event: reset") this.resets += 1;
        if (line.startsWith('data: {"id"')) this.entries.push(JSON.parse(line.slice("data: ".length)));
      })
      .on("error", () => {});
  }

  /** Connects as a page does, without a key. */
  static open(
    baseUrl: string,
    { headers = {}, query = "" }: { headers?: Record<string, string>; query?: string } = {},
  ): Promise<EventSource> {
    return new Promise((resolve, reject) => {
      get(`${baseUrl}/local/timeline/stream${query}`, { headers, agent: false }, (response) =>
        resolve(new EventSource(response)),
      ).once("error", reject);
    });
  }

  get status(): number | undefined {
    return this.response.statusCode;
  }

  get ids(): string[] {
    return this.entries.map(({ id }) => id);
  }

  /** The entries about one thing, once they are such. */
  async until(
    isMeant: (entry: TimelineEntry) => boolean,
    enough: (entries: TimelineEntry[]) => boolean,
  ): Promise<TimelineEntry[]> {
    return await eventually("the expected entries", () => {
      const meant = this.entries.filter(isMeant);
      return enough(meant) ? meant : undefined;
    });
  }

  close(): void {
    this.response.destroy();
  }
}
