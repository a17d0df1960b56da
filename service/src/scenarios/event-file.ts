import type { ChannelEvent } from "../../../src/protocol/index.ts";

type Resource = Readonly<Record<string, unknown>>;

/** Who signs the events of a file, as a connection has it. */
export type Verification = {
  orgId: string;
  creTenantId: string;
  validSigners: readonly string[];
  minRequiredSignatures: number;
};

/** Of offsets of events that should be noticed: what they are part of. All others are ordinary. */
type Labels = Readonly<Record<string, string>>;

/** Events of one channel in a file, in the order of their offsets. A rehearsal of a flow reads it. */
export type EventFile = {
  format: "crec-events";
  version: 1;
  channel: { id: string; name: string };
  /** The base URL of the service. */
  service: string;
  snapshot: {
    networks: readonly Resource[];
    wallets: readonly Resource[];
    channels: ReadonlyArray<{ channel: Resource; watchers: readonly Resource[] }>;
  };
  verification: Verification;
  scenario: { name: string; seed: number; text: string; labels: Labels };
  events: readonly ChannelEvent[];
};

/** A file without its events, and the events, which are signed one by one as they are taken. */
export type Generated = { head: Omit<EventFile, "events">; events: AsyncGenerator<ChannelEvent, void> };

/** Characters of a piece: enough that sending it costs little, and so few that writing it takes no time. */
const PIECE = 32 * 1024;

/** The file as JSON, in pieces. An event is signed when the piece that it is in is taken. */
export async function* fileText({ head, events }: Generated): AsyncGenerator<string, void> {
  // Its last member is the list of events.
  let piece = `${JSON.stringify(head).slice(0, -1)},"events":[`;
  let separator = "";
  for await (const event of events) {
    piece += separator + JSON.stringify(event);
    separator = ",";
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]}`;
}
